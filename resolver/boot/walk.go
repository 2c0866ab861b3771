package boot

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/diag"
)

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
