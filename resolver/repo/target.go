package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regularfile"
)

// CheckTarget refuses an output directory that cannot be meant: a file, a place
// inside a pack, or one that holds a pack.
func (w *Repo) CheckTarget(out string, r *Packs) error {
	shown := w.Paths.Rel(out)
	if err := w.checkWritten("output directory", out); err != nil {
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
	if target == regularfile.RealPath(w.Paths.Dir) {
		return diag.WithHint(fmt.Errorf("output directory %s is the repository itself", shown), "name a directory of its own, such as public")
	}
	for _, m := range r.Members {
		dir := regularfile.RealPath(w.Paths.Abs(m.Dir))
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
func (w *Repo) checkWritten(what, name string) error {
	if err := errors.Join(regularfile.CheckWrite(name), regularfile.CheckWrite(w.Paths.StorePath())); err != nil {
		return fmt.Errorf("%s %s: %w", what, w.Paths.Rel(name), err)
	}
	return nil
}

// CheckOverlay refuses an overlay inside a pack: what compile writes there would be
// read as a part of the pack by the next one.
func (w *Repo) CheckOverlay(overlay string, r *Packs) error {
	if overlay == "" {
		return nil
	}
	if err := w.checkWritten("overlay", overlay); err != nil {
		return err
	}
	target := regularfile.RealPath(overlay)
	for _, m := range r.Members {
		if below(target, regularfile.RealPath(w.Paths.Abs(m.Dir))) {
			return diag.WithHint(fmt.Errorf("overlay %s lies inside the pack %s", w.Paths.Rel(overlay), m.Dir), "name a directory outside the pack with --overlay DIR")
		}
	}
	return nil
}

// CheckProject refuses a place for the second index that cannot be meant.
func (w *Repo) CheckProject(name, out string, r *Packs) error {
	if name == "" {
		return nil
	}
	const hint = "name a file below the repository root, such as .claude/loadout/index.json"
	if err := w.checkWritten("loadout.project", w.Paths.Abs(name)); err != nil {
		return err
	}
	target := regularfile.RealPath(w.Paths.Abs(name))
	if filepath.IsAbs(name) || !below(target, regularfile.RealPath(w.Paths.Dir)) {
		return diag.WithHint(fmt.Errorf("loadout.project %s is not below the repository root", name), hint)
	}
	if below(target, regularfile.RealPath(out)) {
		return diag.WithHint(fmt.Errorf("loadout.project %s lies in the output directory", name), hint)
	}
	for _, m := range r.Members {
		if below(target, regularfile.RealPath(w.Paths.Abs(m.Dir))) {
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
