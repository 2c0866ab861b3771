package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout/index"
)

// rulesWait is how long a split waits for another one of the same repository.
const rulesWait = 10 * time.Second

// LockRules lets the splits of a repository take turns. The lock is in the state
// directory, which git does not see.
func LockRules(ctx context.Context, paths Paths) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, rulesWait)
	defer cancel()
	if err := MakeState(paths); err != nil {
		return nil, diag.WithHint(fmt.Errorf("make %s: %w", StateName, err), "run again; nothing was changed")
	}
	unlock, err = atomicfile.Lock(ctx, filepath.Join(paths.Abs(StateName), "rules"))
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, diag.WithHint(errors.New("another packgen rules split is running here"), "wait for it, or stop it; nothing was changed")
	}
	if err != nil {
		return nil, diag.WithHint(err, "run again; nothing was changed")
	}
	return unlock, nil
}

// MakeState makes the state directory, which git does not see.
func MakeState(paths Paths) error {
	ignore := filepath.Join(paths.Abs(StateName), ".gitignore")
	if _, err := os.Stat(ignore); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return atomicfile.Write(ignore, []byte("*\n"))
}

// storeName is the directory of the store, below the state directory.
const storeName = "store"

// OpenStore opens what earlier runs have left of the work on this repository. With
// --no-cache everything is done again and nothing is remembered. A dry run leaves
// nothing on disk. The caller closes it after the last use of any result.
func OpenStore(paths Paths, o StoreOptions) *store.Disk {
	dir := paths.StorePath()
	switch {
	case o.Elsewhere, o.NoCache:
		return store.ReadOnly("")
	case o.DryRun:
		return store.ReadOnly(dir)
	}
	_ = MakeState(paths) // where nothing can be written, nothing is kept
	return store.Open(dir)
}

// StoreOptions say how the store of earlier results is opened.
type StoreOptions struct {
	DryRun    bool
	NoCache   bool // nothing of earlier runs is used
	Elsewhere bool // the repository is not to be written
}

// IndexGroup and SiteGroup are the parts of the store that hold what the index and
// the site need of packs, CodeGroup holds highlighted code, CheckGroup what checks of packs
// found. A pack has a part of its own, by its name.
const (
	PackGroup = "pack "

	inspectedGroup = "inspected " // of a pack that cannot be built, by its directory
	IndexGroup     = "index"
	SiteGroup      = "site"
	CodeGroup      = "code"
	CheckGroup     = "check"
)

// IndexAlone is the contribution of a command that makes an index and no site.
func IndexAlone(b *index.Builder) func(p *pack.Pack) []compiler.Contributor {
	return func(p *pack.Pack) []compiler.Contributor { return []compiler.Contributor{b.Contributor(p)} }
}

// WithoutResult asks for the whole result of a compile.
func WithoutResult(*pack.Pack, store.Digest) bool { return false }

// RunTime is the time of the run: SOURCE_DATE_EPOCH when set, otherwise zero, which
// stands for the clock.
func RunTime(getenv func(string) string) (time.Time, error) {
	text := getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Time{}, nil
	}
	var seconds int64
	if _, err := fmt.Sscanf(text, "%d", &seconds); err != nil || fmt.Sprint(seconds) != text || seconds < 0 || seconds > maxEpoch {
		return time.Time{}, diag.WithHint(fmt.Errorf("SOURCE_DATE_EPOCH is %q, not a number of seconds", text), "set it to a Unix time such as $(git log -1 --format=%%ct), or unset it")
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// maxEpoch is the last second of the year 9999, the end of the time format.
const maxEpoch = 253402300799

// IndexTime is the time stamp of an index: SOURCE_DATE_EPOCH, otherwise now.
func IndexTime(getenv func(string) string) (time.Time, error) {
	at, err := RunTime(getenv)
	if err == nil && at.IsZero() {
		at = time.Now()
	}
	return at, err
}
