package boot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regularfile"
)

// root is a folder whose files a boot may read.
type root struct {
	dir  string   // real path on disk; "" for a file system that is not a disk
	disk *os.Root // nil for a file system that is not a disk
	fsys fs.FS
}

// place is one file or folder inside a root.
type place struct {
	root *root
	name string // slash path inside the root, "." for the root itself
}

// tree reads the files of a role. On a disk every access goes through an
// os.Root, so that a name swapped for a link between check and use still cannot
// leave the roots; links are resolved first, because an os.Root refuses every
// absolute link and roles are linked into place with those too.
type tree struct {
	roots []*root // the role directory first
}

// outsideError reports a link that leaves every allowed root, or leads into a .git.
type outsideError struct {
	target string
	git    bool
}

func (e *outsideError) Error() string {
	if e.git {
		return "it leads to " + e.target + ", which is for git alone"
	}
	return "it leads to " + e.target + ", outside the repository root"
}

// allow adds a directory of the disk, given by its real path.
func (t *tree) allow(dir string) error {
	r, err := regularfile.Root(dir)
	if err != nil {
		return err
	}
	t.roots = append(t.roots, &root{dir: dir, disk: r, fsys: regularfile.FS(r)})
	return nil
}

// Close releases the directories.
func (t *tree) Close() error {
	var errs []error
	for _, r := range t.roots {
		if r.disk != nil {
			errs = append(errs, r.disk.Close())
		}
	}
	return errors.Join(errs...)
}

// real returns the place's path on disk.
func (p place) real() string { return filepath.Join(p.root.dir, filepath.FromSlash(p.name)) }

func (p place) child(name string) place {
	return place{p.root, path.Join(p.name, name)}
}

// resolve follows the links in a place. The error is an *outsideError when the
// target is in no allowed root, and fs.ErrNotExist for a dangling link.
func (t *tree) resolve(p place) (place, error) {
	if p.root.dir == "" {
		return p, nil // the file system follows its own links
	}
	target, err := filepath.EvalSymlinks(p.real())
	if err != nil {
		return place{}, err
	}
	found, ok := t.locate(target)
	if git := ok && regularfile.IsGit(found.name); git || !ok {
		return place{}, &outsideError{target, git}
	}
	return found, nil
}

// locate finds the root that holds a real path.
func (t *tree) locate(target string) (place, bool) {
	for _, r := range t.roots {
		if rel, inside := within(r.dir, target); inside {
			return place{r, filepath.ToSlash(rel)}, true
		}
	}
	return place{}, false
}

// within returns the path of target relative to dir, when it is dir or below it.
func within(dir, target string) (string, bool) {
	rel, err := filepath.Rel(dir, target)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return rel, true
}

func (p place) stat() (fs.FileInfo, error) { return fs.Stat(p.root.fsys, p.name) }

func (p place) list() ([]fs.DirEntry, error) { return fs.ReadDir(p.root.fsys, p.name) }

// isTooLarge reports the error about a file that is larger than what is read.
func isTooLarge(err error) bool { return errors.As(err, new(*atomicfile.TooLargeError)) }

// read returns the content of a regular file of at most limit bytes.
func (p place) read(limit int) ([]byte, error) {
	f, err := p.root.fsys.Open(p.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return atomicfile.ReadOpen(f, p.name, int64(limit))
}

// minSuffix ends the name of a minified brief, which is beside its source.
const minSuffix = ".min"

// walker lists the items of a role (boot.yml section 9).
type walker struct {
	role    *Role
	visited int
	links   int
	twins   []*file // x.md.min files; path is theirs
	full    bool    // a limit was passed, so nothing more is listed
}

// spot is a file or folder on the way, under the name the role gives it.
type spot struct {
	place
	path  string   // below the role directory
	above []string // real paths of the folders it is in, to see a link that leads back
}

// folder lists one of the layout's folders. An absent one holds nothing.
func (w *walker) folder(k Kind, top place, name string) error {
	s, info, err := w.look(spot{place: top.child(name), path: name})
	if err != nil || info == nil || !info.IsDir() {
		return err
	}
	return w.dir(k, s)
}

// look follows links and returns the target; a nil info means that there is
// nothing to list, which has been reported where it needs to be.
func (w *walker) look(s spot) (spot, fs.FileInfo, error) {
	target, err := w.role.tree.resolve(s.place)
	var outside *outsideError
	switch {
	case errors.As(err, &outside):
		w.role.refuseLink(w.role.name+s.path, outside)
		return s, nil, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid), err != nil && isLinkLoop(err):
		return s, nil, nil // a dangling link is skipped; one to itself dangles too
	case err != nil:
		return s, nil, err
	}
	s.place = target
	info, err := s.stat()
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil, nil
	}
	return s, info, err
}

// isLinkLoop recognises the error for links that lead to each other, which has
// no value to compare with.
func isLinkLoop(err error) bool {
	return strings.Contains(err.Error(), "too many links") || strings.Contains(err.Error(), "too many levels")
}

// dir lists a folder and what is below it.
func (w *walker) dir(k Kind, s spot) error {
	if s.root.dir != "" {
		real := s.real()
		if slices.Contains(s.above, real) {
			w.report(idLinkLoop, diag.Warning, s.path, "the link "+quote(s.path)+" leads back to a folder it is in and is not followed", "remove the link")
			return nil
		}
		s.above = append(slices.Clip(s.above), real)
	}
	if strings.Count(s.path, "/") > w.role.limits.depth {
		w.limit(s.path, fmt.Sprintf("folders are nested more than %d deep", w.role.limits.depth))
		return nil
	}
	entries, err := s.list()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := w.entry(k, s, e); err != nil || w.full {
			return err
		}
	}
	return nil
}

// entry takes one entry of a folder.
func (w *walker) entry(k Kind, in spot, e fs.DirEntry) error {
	if w.visited++; w.visited > w.role.limits.entries {
		w.limit(in.path, fmt.Sprintf("the role holds more than %d files and folders", w.role.limits.entries))
		return nil
	}
	name := e.Name()
	if !utf8.ValidString(name) {
		w.report(idEncoding, diag.Warning, in.path, fmt.Sprintf("file name %q is not UTF-8; the file is left out", name), "rename the file")
		return nil
	}
	s := spot{place: in.child(name), path: path.Join(in.path, name), above: in.above}
	mode := e.Type()
	if mode&fs.ModeSymlink != 0 {
		if k == brief && leftOut(name) {
			return nil
		}
		if w.links++; w.links > w.role.limits.links {
			w.limit(in.path, fmt.Sprintf("the role holds more than %d links", w.role.limits.links))
			return nil
		}
		var info fs.FileInfo
		var err error
		if s, info, err = w.look(s); err != nil || info == nil {
			return err
		}
		mode = info.Mode()
	}
	switch {
	case mode.IsDir():
		if k == brief && leftOut(name) {
			return nil
		}
		return w.dir(k, s)
	case mode.IsRegular():
		w.file(k, s)
	}
	return nil
}

// leftOut reports whether a folder below briefs/ takes no part.
func leftOut(name string) bool { return name == ".scratch" || name == ".archive" }

// file takes one regular file.
func (w *walker) file(k Kind, s spot) {
	f := &file{kind: k, path: s.path, src: s.place}
	switch {
	case k == skill, strings.HasSuffix(s.path, ".md"):
		f.below = strings.TrimPrefix(s.path, w.role.layout.base(k))
		f.shown = escapeAttribute(w.role.name + s.path)
		w.role.items[k] = append(w.role.items[k], f)
	case strings.HasSuffix(s.path, ".md"+minSuffix):
		w.twins = append(w.twins, f)
	}
}

// finish sorts the items and gives the minified briefs to their sources.
func (w *walker) finish() {
	r := w.role
	for k := range r.items {
		slices.SortFunc(r.items[k], func(a, b *file) int { return strings.Compare(a.below, b.below) })
	}
	briefs := make(map[string]*file, len(r.items[brief]))
	for _, f := range r.items[brief] {
		briefs[f.path] = f
	}
	var orphans []string
	for _, twin := range w.twins {
		source := briefs[strings.TrimSuffix(twin.path, minSuffix)]
		if source == nil {
			orphans = append(orphans, twin.path)
			continue
		}
		source.src, source.twin = twin.src, true
	}
	if len(orphans) > 0 && !w.full {
		slices.Sort(orphans)
		w.report(idTwinOrphan, diag.Error, orphans[0],
			"orphan .md.min file(s) detected without .md source: "+listed(orphans, quote), "restore the source, or remove the minified file")
	}
}

func (w *walker) report(id string, s diag.Severity, path, message, hint string) {
	w.role.diags = append(w.role.diags, w.role.fault(id, s, path, message, hint))
}

func (w *walker) limit(path, message string) {
	w.full = true
	w.report(idLimit, diag.Error, path, message, "make the role smaller")
}

// maxListed is how many names a message lists before it only counts.
const maxListed = 10

// listed joins names for a message.
func listed(names []string, form func(string) string) string {
	var b strings.Builder
	for i, name := range names {
		if i == maxListed {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(form(name))
	}
	return b.String()
}

// Visit passes on every brief and skill, said or not, with its content as it is
// in the file: briefs first, each type in path order. Path is below the role
// directory. Shown is the file that was read, as messages name it; for a
// minified brief this is the twin, whose content a boot would print. Files over
// [maxItemBytes] are skipped. The error is that of visit, or for a file that
// cannot be read.
func (r *Role) Visit(ctx context.Context, visit func(path, shown string, content []byte) error) error {
	for k := range r.items {
		for _, f := range r.items[k] {
			if err := ctx.Err(); err != nil {
				return err
			}
			shown := r.name + f.path
			if f.twin {
				shown += minSuffix
			}
			content, err := f.src.read(maxItemBytes)
			switch {
			case isTooLarge(err):
				continue
			case err != nil:
				return fmt.Errorf("read %s: %w", shown, err)
			}
			if err := visit(f.path, shown, content); err != nil {
				return err
			}
		}
	}
	return nil
}
