package repo

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/scratch"
)

// CheckTarget refuses an output directory that cannot be meant: a file, a place
// inside a pack, or one that holds a pack.
func CheckTarget(paths Paths, out string, r *Packs) error {
	shown := paths.Rel(out)
	if err := checkWritten(paths, "output directory", out); err != nil {
		return err
	}
	switch info, err := os.Stat(out); {
	case err == nil && !info.IsDir():
		return diag.WithHint(fmt.Errorf("output directory %s is a file", shown), "name a directory with --out DIR or out: in %s", ConfigName)
	case errors.Is(err, syscall.ENOTDIR):
		return diag.WithHint(fmt.Errorf("output directory %s lies below a file", shown), "name a directory with --out DIR or out: in %s", ConfigName)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("output directory %s: %w", shown, err)
	}
	target := regularfile.RealPath(out)
	if target == regularfile.RealPath(paths.Dir) {
		return diag.WithHint(fmt.Errorf("output directory %s is the repository itself", shown), "name a directory of its own, such as public")
	}
	for _, m := range r.Members {
		dir := regularfile.RealPath(paths.Abs(m.Dir))
		switch {
		case below(target, dir):
			return diag.WithHint(fmt.Errorf("output directory %s lies inside the pack %s", shown, m.Dir), "name a directory outside the pack, such as public")
		case below(dir, target):
			return diag.WithHint(fmt.Errorf("output directory %s holds the pack %s", shown, m.Dir), "name a directory of its own, such as public: it is replaced as a whole")
		}
	}
	return nil
}

// checkWritten refuses a link on the way to a place that a build writes to, and on the way to
// the state directory: before anything is written.
func checkWritten(paths Paths, what, name string) error {
	if err := errors.Join(regularfile.CheckWrite(name), regularfile.CheckWrite(paths.StorePath())); err != nil {
		return fmt.Errorf("%s %s: %w", what, paths.Rel(name), err)
	}
	return nil
}

// CheckOverlay refuses an overlay inside a pack: what compile writes there would be
// read as a part of the pack by the next one.
func CheckOverlay(paths Paths, overlay string, r *Packs) error {
	if overlay == "" {
		return nil
	}
	if err := checkWritten(paths, "overlay", overlay); err != nil {
		return err
	}
	target := regularfile.RealPath(overlay)
	for _, m := range r.Members {
		if below(target, regularfile.RealPath(paths.Abs(m.Dir))) {
			return diag.WithHint(fmt.Errorf("overlay %s lies inside the pack %s", paths.Rel(overlay), m.Dir), "name a directory outside the pack with --overlay DIR")
		}
	}
	return nil
}

// CheckProject refuses a place for the second index that cannot be meant.
func CheckProject(paths Paths, name, out string, r *Packs) error {
	if name == "" {
		return nil
	}
	const hint = "name a file below the repository root, such as .claude/loadout/index.json"
	if err := checkWritten(paths, "loadout.project", paths.Abs(name)); err != nil {
		return err
	}
	target := regularfile.RealPath(paths.Abs(name))
	if filepath.IsAbs(name) || !below(target, regularfile.RealPath(paths.Dir)) {
		return diag.WithHint(fmt.Errorf("loadout.project %s is not below the repository root", name), hint)
	}
	if below(target, regularfile.RealPath(out)) {
		return diag.WithHint(fmt.Errorf("loadout.project %s lies in the output directory", name), hint)
	}
	for _, m := range r.Members {
		if below(target, regularfile.RealPath(paths.Abs(m.Dir))) {
			return diag.WithHint(fmt.Errorf("loadout.project %s lies inside the pack %s", name, m.Dir), hint)
		}
	}
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		return diag.WithHint(fmt.Errorf("loadout.project %s is a directory", name), hint)
	}
	return nil
}

// Inside reports whether a path is a directory or lies below it, links followed.
func Inside(name, dir string) bool {
	return below(regularfile.RealPath(name), regularfile.RealPath(dir))
}

// below reports whether a path is a directory or lies below it.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

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
func ChooseOverlay(w *Repo, named string) (string, error) {
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
