package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/secret"
)

// walker lists the files of a pack.
type walker struct {
	fsys   fs.FS
	found  *findings
	files  []File
	links  map[string]string // listed path → path without links
	later  []link            // links to directories
	linked map[string]bool   // directories entered through a link
	full   bool
}

// link is a symbolic link to a directory that has yet to be entered.
type link struct {
	path string // as listed
	at   string // where the link itself stands, without links
	to   string // where it leads, without links
}

// list fills Files in path order. Real directories come first; then those that
// links lead to, each at most once and never from within itself, so that links
// cannot make the list endless.
func (p *Pack) list(found *findings) error {
	p.Listed = time.Now()
	w := &walker{fsys: p.fsys, found: found, links: map[string]string{}, linked: map[string]bool{}}
	if err := w.directory("", "."); err != nil {
		return err
	}
	for len(w.later) > 0 {
		next := w.later[0]
		w.later = w.later[1:]
		if err := w.enter(next); err != nil {
			return err
		}
	}
	slices.SortFunc(w.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	p.Files, p.links = w.files, w.links
	return nil
}

// enter walks a linked directory.
func (w *walker) enter(l link) error {
	switch {
	case l.to == "." || strings.HasPrefix(l.at, l.to+"/"):
		w.found.add("symlink-loop", diag.Error, l.path, "The link leads to a directory it stands in.", "remove the link")
		return nil
	case w.linked[l.to]:
		w.found.add("symlink-repeated", diag.Warning, l.path, fmt.Sprintf("Another link leads to %s already; this one is not followed.", l.to), "keep one link to a directory")
		return nil
	}
	w.linked[l.to] = true
	return w.directory(l.path, l.to)
}

// directory lists one directory: listed is its path in the pack, real the one
// without links.
func (w *walker) directory(listed, real string) error {
	entries, err := fs.ReadDir(w.fsys, real)
	if err != nil {
		return fmt.Errorf("list %s: %w", orRoot(listed), err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || w.full {
			continue
		}
		name := path.Join(listed, e.Name())
		if shown := secret.RedactPath(name); shown != name {
			w.secretName(shown, e.IsDir())
			continue
		}
		if err := packpath.Check(name); err != nil {
			w.found.add("path-escape", diag.Error, listed, fmt.Sprintf("The name %q cannot be used: %v.", e.Name(), err), "rename the file")
			continue
		}
		if err := w.entry(name, path.Join(real, e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

// secretName reports a name that holds a likely secret. What bears it is left out
// of the pack, since the path stands in every output (agent-knowledge section
// 18.4); shown is the path that may be printed.
func (w *walker) secretName(shown string, dir bool) {
	what := "The name of this file holds"
	if dir {
		what = "The name of this directory holds"
	}
	w.found.add("secret-suspect", diag.Error, shown, what+" a likely secret; nothing of it is used.", "revoke the secret, then rename it here and in its history")
}

func orRoot(dir string) string {
	if dir == "" {
		return "the pack root"
	}
	return dir
}

// entry lists one name of a directory.
func (w *walker) entry(name, real string, e fs.DirEntry) error {
	if name == "scripts" && (e.IsDir() || e.Type()&fs.ModeSymlink != 0) {
		w.found.add("scripts-present", diag.Info, name, "scripts/ is not part of a pack; it is ignored.", "keep programs beside the pack, or in a skill")
		return nil
	}
	switch {
	case e.IsDir():
		return w.directory(name, real)
	case e.Type()&fs.ModeSymlink != 0:
		return w.link(name, real)
	case !e.Type().IsRegular():
		w.special(name)
		return nil
	}
	info, err := e.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // gone since the directory was read
	}
	if err != nil {
		return fmt.Errorf("list %s: %w", name, err)
	}
	w.file(name, real, info)
	return nil
}

// link lists what a symbolic link leads to.
func (w *walker) link(name, real string) error {
	at, info, err := resolve(w.fsys, real)
	switch {
	case errors.Is(err, ErrEscape):
		w.found.add("symlink-escape", diag.Error, name, "The symbolic link leads out of the pack.", "put the files into the pack, or link to them by a relative path inside it")
	case errors.Is(err, ErrLoop):
		w.found.add("symlink-loop", diag.Error, name, "The symbolic links lead in a circle.", "remove the link")
	case err != nil:
		w.found.add("symlink-broken", diag.Warning, name, "The symbolic link leads to nothing.", "remove the link, or restore the file")
	case isHidden(at):
		w.found.add("symlink-hidden", diag.Warning, name, "The symbolic link leads to a hidden file or directory, which is no part of a pack.", "rename what it leads to, or remove the link")
	case isInput(name) && isOutput(at):
		w.found.add("symlink-output", diag.Error, name, "The symbolic link leads to where compile writes: outputs would become inputs.", "remove the link")
	case info.IsDir():
		w.later = append(w.later, link{name, real, at})
	case info.Mode().IsRegular():
		w.file(name, at, info)
	default:
		w.special(name)
	}
	return nil
}

// isHidden reports a path with a name that starts with "." (section 2).
func isHidden(at string) bool { return at != "." && strings.Contains("/"+at, "/.") }

// isInput reports a path below a directory whose files a compile reads.
func isInput(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	return slices.Contains([]string{"documents", "wiki", "sources", "ontology", "answers"}, top)
}

// isOutput reports a path below a directory that a compile writes.
func isOutput(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	return slices.Contains([]string{"compiled", "indexes", "runs"}, top)
}

func (w *walker) special(name string) {
	w.found.add("special-file", diag.Error, name, "A device, pipe or socket cannot be part of a pack.", "remove it")
}

func (w *walker) file(name, real string, info fs.FileInfo) {
	if len(w.files) >= MaxFiles {
		w.full = true
		w.found.add("pack-oversize", diag.Error, name, fmt.Sprintf("The pack holds more than %d files; the rest is not listed.", MaxFiles), "")
		return
	}
	w.files = append(w.files, File{Path: name, Size: info.Size(), stamp: stampOf(info)})
	if name != real {
		w.links[name] = real
	}
}
