package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/entryowner"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
)

// lockWait is how long a refresh waits for another one of the same index.
const lockWait = 10 * time.Second

// ErrBusy says that another refresh of the same index did not end.
var ErrBusy = errors.New("another refresh of this index is at work")

// MissingError says that there is no store, or no MEMORY.md in it.
type MissingError struct {
	Code string // STORE_NOT_FOUND or MEMORY_MD_NOT_FOUND
	Path string // absolute
}

func (e *MissingError) Error() string {
	if e.Code == "STORE_NOT_FOUND" {
		return "no store at " + e.Path
	}
	return "no MEMORY.md at " + e.Path
}

// RefreshOptions says what to publish where.
type RefreshOptions struct {
	Store   string // required: the MEMORY.md, or its directory
	Dest    string // required: the index.json to publish
	Agents  string // the directory in which Claude Code keeps what is of a user; "" for none
	At      time.Time
	DryRun  bool
	Outside bool // files beside the store are read too
	// AllowEmpty publishes an index without entries over one that has some.
	AllowEmpty bool
}

// Refreshed says what a refresh did, or would do (loadout section 22).
type Refreshed struct {
	Store, MemoryMD, StoreIndexPath, Dest string // absolute
	DryRun                                bool
	EntryCount, PathsRewritten            int
	// Issues are those of the store, Refusals those of the indexes that would be
	// replaced, IndexIssues of its index, DestIssues of the
	// published copy.
	Issues                  []Issue
	Refusals                []Issue // the reasons against replacing the files that exist
	Analysis                *Analysis
	IndexIssues, DestIssues []loadout.Issue
	Published               *loadout.Index
	BackupPath              string // "" when there was nothing to keep
	Wrote                   bool
}

// Errors counts the errors among the findings that decide.
func (r *Refreshed) Errors() int { return r.count(loadout.SeverityError) }

// Warnings counts the warnings among them.
func (r *Refreshed) Warnings() int { return r.count(loadout.SeverityWarning) }

func (r *Refreshed) count(s loadout.Severity) int {
	n := 0
	for _, i := range slices.Concat(r.Issues, r.Refusals) {
		if i.Severity == s {
			n++
		}
	}
	for _, i := range r.IndexIssues {
		if i.Severity == s {
			n++
		}
	}
	return n
}

// Refresh makes the index of a store again, checks it, and publishes it with
// absolute paths (loadout section 22). Findings of severity error stop it before
// anything is written: Wrote is false then. Refreshes of one index take turns,
// and a reader sees a whole index at any moment. It returns a *MissingError
// when there is no store, and an ErrBusy when another refresh does not end.
func Refresh(ctx context.Context, o RefreshOptions) (*Refreshed, error) {
	dir, err := filepath.Abs(o.Store)
	dest, destErr := filepath.Abs(o.Dest)
	if err = cmp.Or(err, destErr); err != nil {
		return nil, err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, &MissingError{"STORE_NOT_FOUND", dir}
	}
	file := dir
	if info.IsDir() {
		file = filepath.Join(dir, FileName)
	} else {
		dir = filepath.Dir(dir)
	}
	a, err := Analyze(ctx, file, o.Outside)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &MissingError{"MEMORY_MD_NOT_FOUND", dir}
	}
	if err != nil {
		return nil, err
	}
	a.LeaveOut()
	generated := layers.Stamp(o.At)
	ix, published := a.Index(generated, false), a.Index(generated, false)
	r := &Refreshed{
		Store: dir, MemoryMD: file, StoreIndexPath: filepath.Join(dir, "index.json"), Dest: dest, DryRun: o.DryRun, EntryCount: len(ix.Entries),
		Analysis: a, Issues: a.Validate(), IndexIssues: a.IndexIssues(loadout.Validate(ix)), Published: published,
	}
	published.Source = r.MemoryMD
	published.Budget.AvgObserved = layers.LogBeside(r.Dest).Observed(published)
	for i := range published.Entries {
		if p := &published.Entries[i].Path; !filepath.IsAbs(*p) {
			*p = filepath.Join(r.Store, filepath.FromSlash(*p))
			r.PathsRewritten++
		}
	}
	r.DestIssues = loadout.Validate(published)
	return r.finish(ctx, o, ix)
}

// finish publishes the index unless something refuses it. own is the index of the store,
// which is written where the store has a place for one.
func (r *Refreshed) finish(ctx context.Context, o RefreshOptions, own *loadout.Index) (*Refreshed, error) {
	if r.Errors() == 0 {
		if err := r.refuse(own, o); err != nil {
			return nil, err
		}
	}
	if o.DryRun || r.Errors() > 0 {
		return r, nil
	}
	return r, r.publish(ctx, own)
}

// refuse looks at the indexes that would be replaced.
func (r *Refreshed) refuse(ix *loadout.Index, o RefreshOptions) (err error) {
	if r.Refusals, err = Refusals(r.Dest, ix, o.AllowEmpty, true); err != nil && !o.DryRun {
		return err
	}
	// A link in the store is not followed; writing there refuses it.
	if info, err := os.Lstat(r.StoreIndexPath); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	list, err := Refusals(r.StoreIndexPath, ix, o.AllowEmpty, false)
	if err != nil && !o.DryRun {
		return err
	}
	r.Refusals = append(r.Refusals, list...)
	return nil
}

// publish writes the index of the store, where that has a place for one, and the published one,
// the old one of which is kept as a backup.
func (r *Refreshed) publish(ctx context.Context, own *loadout.Index) error {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	unlock, err := atomicfile.Lock(ctx, r.Dest)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("lock %s: %w", r.Dest, ErrBusy)
	}
	if err != nil {
		return err
	}
	defer unlock()
	swept := append(indexfile.Paths(r.Dest), r.Dest+atomicfile.BackupSuffix)
	if r.StoreIndexPath != "" {
		swept = append(swept, r.StoreIndexPath)
	}
	atomicfile.Sweep(swept...)
	// The store is not trusted: a link in it could lead the write anywhere.
	if info, err := os.Lstat(r.StoreIndexPath); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("write %s: it is a link or no regular file", r.StoreIndexPath)
	}
	if r.BackupPath, err = atomicfile.Backup(r.Dest, indexjson.MaxIndex); err != nil {
		return fmt.Errorf("keep a backup of %s: %w", r.Dest, err)
	}
	if r.StoreIndexPath != "" {
		if err := atomicfile.Write(r.StoreIndexPath, indexjson.Write(own)); err != nil {
			return fmt.Errorf("write %s: %w", r.StoreIndexPath, err)
		}
	}
	if err := indexfile.Write(r.Dest, indexjson.Write(r.Published)); err != nil {
		return fmt.Errorf("publish the index: %w", err)
	}
	r.Wrote = true
	return nil
}

// The codes of what keeps an index from being written.
const (
	codeEmptied = "INDEX_EMPTIED" // it would lose all of its entries
	codeForeign = "INDEX_FOREIGN" // another program wrote the file
)

// Refusals says the reasons against writing an index of memories over what is at a
// path. An index without entries does not take the place of one that has some, as
// happens when the references of a MEMORY.md cannot be read any more, unless
// allowEmpty says so. And only an index that was made of a MEMORY.md is replaced;
// with kept, where a copy of the old file stays, so is what is not an index at all.
func Refusals(name string, ix *loadout.Index, allowEmpty, kept bool) ([]Issue, error) {
	text, err := atomicfile.Read(name, indexjson.MaxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	refuse := func(code, message, hint string) []Issue {
		return []Issue{{Severity: loadout.SeverityError, Code: code, Message: message, Hint: hint}}
	}
	old, err := indexjson.Read(text)
	switch {
	case err == nil && old.Check() == nil && len(old.Entries) == 0 && len(text) > 0:
		return nil, nil // it has nothing to lose
	case err != nil || old.Check() != nil:
		if kept {
			return nil, nil
		}
		return refuse(codeForeign, fmt.Sprintf("A file that is not an index is in its place: %s", name), "Move it away, or name another file"), nil
	case !entryowner.IsMemory(old):
		return refuse(codeForeign, fmt.Sprintf("The index in its place was not made of a MEMORY.md: %s", name), "Move it away, or name another file"), nil
	case len(ix.Entries) == 0 && !allowEmpty:
		return refuse(codeEmptied, fmt.Sprintf("No reference could be read; all entries of %s would be lost: %d", name, len(old.Entries)),
			"Write references as: Name — description → `path.md`; or add --allow-empty"), nil
	}
	return nil, nil
}
