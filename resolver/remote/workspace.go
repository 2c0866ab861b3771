package remote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/regularfile"
)

// workspace is a directory in the cache where a tree is made. It belongs to a
// process as long as that holds the flock beside it; what a killed process leaves
// is removed by the next one.
type workspace struct {
	dir    string
	lock   *regularfile.FileLock
	adding *regularfile.FileLock // nothing is pruned meanwhile
}

const workLock = ".lock" // after the name of a workspace

// workspace makes an empty directory of its own.
func (c *Cache) workspace() (*workspace, error) {
	above := filepath.Join(c.dir, workDir)
	if err := errors.Join(regularfile.MkdirAll(above, 0o777), regularfile.MkdirAll(filepath.Join(c.dir, locksDir), 0o777)); err != nil {
		return nil, cacheFault("make the cache: %w", err)
	}
	adding := regularfile.Lock(c.lockName(pruneLock))
	if err := adding.RLock(); err != nil {
		return nil, cacheFault("lock the cache: %w", err)
	}
	w, err := c.newWorkspace(above)
	if err != nil {
		return nil, errors.Join(err, adding.Close())
	}
	w.adding = adding
	return w, nil
}

func (c *Cache) newWorkspace(above string) (*workspace, error) {
	// Making a workspace and removing abandoned ones exclude each other.
	gate := regularfile.Lock(c.lockName(workDir))
	if err := gate.Lock(); err != nil {
		return nil, cacheFault("lock the cache: %w", err)
	}
	defer gate.Close()
	c.sweep(above)
	dir, err := regularfile.MkdirTemp(above, "pull-")
	if err != nil {
		return nil, cacheFault("make a directory in the cache: %w", err)
	}
	w := &workspace{dir: dir, lock: regularfile.Lock(dir + workLock)}
	if err := w.lock.Lock(); err != nil {
		return nil, errors.Join(cacheFault("lock %s: %w", dir, err), regularfile.Remove(dir))
	}
	return w, nil
}

// close removes the workspace with all in it.
func (w *workspace) close() error {
	return errors.Join(regularfile.RemoveAll(w.dir), regularfile.Remove(w.dir+workLock), w.lock.Close(), w.adding.Close())
}

// sweep removes the workspaces of processes that are gone. What cannot be
// removed now is left to the next one.
func (c *Cache) sweep(above string) {
	entries, err := os.ReadDir(above)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := filepath.Join(above, strings.TrimSuffix(e.Name(), workLock))
		if !strings.HasPrefix(e.Name(), "pull-") {
			continue
		}
		lock := regularfile.Lock(name + workLock)
		if ok, err := lock.TryLock(); err != nil || !ok {
			continue
		}
		_ = regularfile.RemoveAll(name)
		_ = regularfile.Remove(name + workLock)
		_ = lock.Close()
	}
}

// alone waits until no other process works on the same thing.
func (c *Cache) alone(ctx context.Context, key string) (done func(), err error) {
	if err := regularfile.MkdirAll(filepath.Join(c.dir, locksDir), 0o777); err != nil {
		return nil, cacheFault("make the cache: %w", err)
	}
	lock := regularfile.Lock(c.lockName(key))
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("wait for another process that works on the same: %w", err)
	}
	return func() { _ = lock.Close() }, nil
}
