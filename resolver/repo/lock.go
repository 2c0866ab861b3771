package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
)

// rulesWait is how long a split waits for another one of the same repository.
const rulesWait = 10 * time.Second

// LockRules lets the splits of a repository take turns. The lock is in the state
// directory, which git does not see.
func (w *Repo) LockRules(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, rulesWait)
	defer cancel()
	if err := w.MakeState(); err != nil {
		return nil, diag.WithHint(fmt.Errorf("make %s: %w", StateName, err), "run again; nothing was changed")
	}
	unlock, err = atomicfile.Lock(ctx, filepath.Join(w.Paths.Abs(StateName), "rules"))
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, diag.WithHint(errors.New("another packgen rules split is running here"), "wait for it, or stop it; nothing was changed")
	}
	if err != nil {
		return nil, diag.WithHint(err, "run again; nothing was changed")
	}
	return unlock, nil
}

// MakeState makes the state directory, which git does not see.
func (w *Repo) MakeState() error {
	ignore := filepath.Join(w.Paths.Abs(StateName), ".gitignore")
	if _, err := os.Stat(ignore); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return atomicfile.Write(ignore, []byte("*\n"))
}
