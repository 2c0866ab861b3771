package repo

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/scratch"
)

// ExplainWrite adds what to do to an error of a place that cannot be written.
func ExplainWrite(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return diag.Refuse(diag.WithHint(err, "make it writable, or name a place that is: --overlay DIR for pack outputs, --out DIR for the site"))
	case errors.Is(err, publish.ErrNoLocks):
		return diag.Refuse(diag.WithHint(err, "name places on another file system: --overlay DIR for pack outputs, --out DIR for the site"))
	case errors.Is(err, syscall.ENOTDIR):
		return diag.WithHint(err, "move the file away that has the name of a directory")
	case diag.DiskFull(err):
		return diag.WithHint(err, "free some space and run again: the disk is full; every file is complete, either old or new")
	}
	return err
}

// ChooseOverlay returns the directory for pack outputs: the one that is named,
// none when the checkout can be written, otherwise one in the user's cache.
func (w *Repo) ChooseOverlay(named string) (string, error) {
	if named != "" {
		return w.Paths.Abs(named), nil
	}
	if !ReadOnly(w.Paths.Dir) {
		return "", nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", diag.WithHint(fmt.Errorf("%s is read-only and there is no cache directory: %w", w.Paths.Dir, err), "name a place for pack outputs with --overlay DIR")
	}
	sum := sha256.Sum256([]byte(w.Paths.Dir))
	overlay := filepath.Join(cache, "packgen", "overlay", hex.EncodeToString(sum[:8]))
	w.Remark("note: %s is read-only; pack outputs go to %s", w.Paths.Dir, overlay)
	return overlay, nil
}

// ReadOnly reports whether a repository root refuses files, in our state directory and
// beside it. One that refuses them in the state directory alone is not a read-only
// checkout, and a run reports what it cannot write.
func ReadOnly(root string) bool {
	return refusesFiles(filepath.Join(root, StateName)) && refusesFiles(root)
}

// refusesFiles reports whether no file can be made in a directory, for want of permission.
func refusesFiles(dir string) bool {
	err := regularfile.MkdirAll(dir, 0o777)
	if err == nil {
		var f scratch.File
		if f, err = scratch.NewFile(dir, "probe"); err == nil {
			err = f.Close()
		}
	}
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}
