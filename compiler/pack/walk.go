package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/store"
)

// walker lists the files of a pack.
type walker struct {
	pack   *Pack
	found  *findings
	files  []File
	links  map[string]string // listed path → path without links
	later  []link            // links to directories
	linked map[string]bool   // directories entered through a link

	keep func(listed string, isDir bool) bool // of a mapped folder: what is taken; nil takes all

	spare   chan struct{} // goroutines that may join in; nil when none may
	helpers sync.WaitGroup
	others  []handed // who listed directories of this one
	err     error
}

// link is a symbolic link to a directory that has yet to be entered.
type link struct {
	path string // as listed
	at   string // where the link itself is, without links
	to   string // where it leads, without links
}

// list fills Files in path order. Real directories come first; then those that
// links lead to, each at most once and never from within itself, so that links
// cannot make the list endless.
func (p *Pack) list(found *findings) error {
	p.Listed = time.Now()
	w := newWalker(p)
	// The walk waits for the system more than it works: two at it are enough.
	w.spare = make(chan struct{}, min(runtime.GOMAXPROCS(0), maxWalkers)-1)
	err := w.tree("", ".")
	w.helpers.Wait()
	if err = w.gather(err); err != nil {
		return err
	}
	w.spare = nil
	slices.SortFunc(w.later, func(a, b link) int { return strings.Compare(a.path, b.path) })
	for len(w.later) > 0 {
		next := w.later[0]
		w.later = w.later[1:]
		if err := w.enter(next); err != nil {
			return err
		}
	}
	byPath := func(a, b File) int { return strings.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(w.files, byPath) {
		slices.SortFunc(w.files, byPath)
	}
	if len(w.files) > maxFiles {
		found.add("pack-oversize", diag.Error, EntryName, fmt.Sprintf("the pack holds more than %d files; the rest is not listed", maxFiles), "split the pack")
		w.files = w.files[:maxFiles]
	}
	p.renamed = setApart(w.files, w.links, w.found)
	p.Files, p.links = w.files, w.links
	found.list = append(found.list, w.found.list...)
	return nil
}

// maxFolders is how many folders may be in each other: the work of every file grows with
// their number.
const maxFolders = 64

// maxWalkers is how many goroutines list directories at once.
const maxWalkers = 4

func newWalker(p *Pack) *walker {
	return &walker{pack: p, found: &findings{}, links: map[string]string{}, linked: map[string]bool{}}
}

// hand gives a directory to another goroutine when one is idle.
func (w *walker) hand(h handle, listed, real string) bool {
	select {
	case w.spare <- struct{}{}:
	default:
		return false
	}
	other := newWalker(w.pack)
	other.spare = w.spare
	w.others = append(w.others, handed{other, len(w.files)})
	w.helpers.Go(func() {
		defer h.close()
		other.err = other.directory(h, listed, real)
		<-w.spare
		other.helpers.Wait()
	})
	return true
}

// handed is a walker with the place of its files among those of another.
type handed struct {
	*walker
	at int
}

// gather takes over what other goroutines have listed. Everything but the files is
// sorted afterwards, and so are they where a link adds some.
func (w *walker) gather(err error) error {
	own, at := w.files, 0
	if len(w.others) > 0 {
		w.files = make([]File, 0, 2*len(own))
	}
	for _, o := range w.others {
		err = errors.Join(err, o.gather(o.err))
		w.files = append(append(w.files, own[at:o.at]...), o.files...)
		at = o.at
		w.later = append(w.later, o.later...)
		w.found.list = append(w.found.list, o.found.list...)
		maps.Copy(w.links, o.links)
	}
	if len(w.others) > 0 {
		w.files = append(w.files, own[at:]...)
	}
	return err
}

// enter walks a linked directory.
func (w *walker) enter(l link) error {
	switch {
	case l.to == "." || strings.HasPrefix(l.at, l.to+"/"):
		w.found.add("symlink-loop", diag.Error, l.path, "the link leads to a directory that holds it", "remove the link")
		return nil
	case w.linked[l.to]:
		w.found.add("symlink-repeated", diag.Warning, l.path, fmt.Sprintf("another link leads to %s already; this one is not followed", l.to), "keep one link to a directory")
		return nil
	}
	w.linked[l.to] = true
	return w.tree(l.path, l.to)
}

// tree lists a directory and all below: listed is its path in the pack, real the
// one without links.
func (w *walker) tree(listed, real string) error {
	h, err := w.pack.openHandle(real)
	if err != nil {
		return fmt.Errorf("list %s: %w", orRoot(listed), err)
	}
	defer h.close()
	return w.directory(h, listed, real)
}

// directory lists an open directory.
func (w *walker) directory(h handle, listed, real string) error {
	entries, err := h.read()
	if err != nil {
		return fmt.Errorf("list %s: %w", orRoot(listed), err)
	}
	slices.SortFunc(entries, inPathOrder)
	for _, e := range entries {
		name, ok := w.nameOf(listed, e)
		if !ok {
			continue
		}
		if len(w.files) > maxFiles {
			return nil // list says so
		}
		if w.keep != nil && !w.keep(name, e.kind.IsDir()) {
			continue
		}
		if w.keep != nil && !e.kind.IsDir() && packpath.CheckFile(e.name) != nil {
			w.found.add(idMapped, diag.Warning, name, "the file is left out: agents and tools obey a file of this name wherever they find it", "name it under exclude: of the mapped folder, or rename it if it is a page for people")
			continue
		}
		if shown := secret.RedactPath(e.name); shown != e.name { // the directories above were looked at before
			w.secretName(join(listed, shown), e.kind.IsDir())
			continue
		}
		if hits := secret.FindInName(e.name); len(hits) > 0 {
			w.found.add("secret-suspect", diag.Warning, join(listed, e.name), fmt.Sprintf("the name holds a possible %s", hits[0].Kind), "rename it; if it is not a secret, name it under rules: in packgen.yaml")
		}
		if err := packpath.Check(name); err != nil {
			w.found.add("path-escape", diag.Error, listed, fmt.Sprintf("the name %q cannot be used: %v", e.name, err), "rename the file")
			continue
		}
		if e.kind.IsDir() && strings.Count(name, "/") >= maxFolders {
			w.found.add("path-escape", diag.Error, listed, fmt.Sprintf("folders nest deeper than %d levels; what is deeper is left out", maxFolders), "move the files up")
			continue
		}
		at := name
		if real != listed {
			at = path.Join(real, e.name)
		}
		if err := w.entry(h, name, at, e); err != nil {
			return err
		}
	}
	return nil
}

// gitBookFolder is what the hidden folder of GitBook, .gitbook, is called in a pack that
// a folder is mapped into: pictures of pages are in it, below assets.
const (
	gitBookFolder = "_gitbook"
	gitBookOwn    = ".gitbook"
)

// nameOf returns the path of an entry of a directory; false for one that is hidden.
func (w *walker) nameOf(listed string, e seen) (name string, ok bool) {
	if w.keep != nil && e.name == gitBookOwn && e.kind.IsDir() {
		return join(listed, gitBookFolder), true
	}
	if w.keep != nil && path.Base(listed) == gitBookFolder && e.name != "assets" || e.name == gitBookFolder && w.keep != nil {
		return "", false
	}
	return join(listed, e.name), !strings.HasPrefix(e.name, ".")
}

// inPathOrder compares names of one directory as the paths of what is listed for
// them: a directory is where its name with a slash would.
func inPathOrder(a, b seen) int {
	if !a.kind.IsDir() && !b.kind.IsDir() {
		return strings.Compare(a.name, b.name)
	}
	slash := func(s seen) string {
		if s.kind.IsDir() {
			return s.name + "/"
		}
		return s.name
	}
	return strings.Compare(slash(a), slash(b))
}

// join appends a name to a clean path, of which "" is the root.
func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// secretName reports a name that holds a likely secret. What bears it is left out
// of the pack, since the path is in every output (agent-knowledge section
// 18.4); shown is the path that may be printed.
func (w *walker) secretName(shown string, dir bool) {
	what := "the name of this file holds"
	if dir {
		what = "the name of this directory holds"
	}
	w.found.add("secret-suspect", diag.Error, shown, what+" a likely secret; nothing of it is used", "revoke the secret, then rename it here and in its history")
}

func orRoot(dir string) string {
	if dir == "" {
		return "the pack root"
	}
	return dir
}

// entry lists one name of a directory.
func (w *walker) entry(in handle, name, real string, e seen) error {
	isLink := e.kind&fs.ModeSymlink != 0
	switch {
	case isRecord(name):
	case name == "scripts" && (e.kind.IsDir() || isLink):
		w.found.add("scripts-present", diag.Info, name, "scripts/ is not part of a pack; it is ignored", "keep programs beside the pack, or in a skill")
	case e.kind.IsDir():
		h, err := in.enter(e.name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone since the directory above was read
		}
		if err != nil {
			return fmt.Errorf("list %s: %w", name, err)
		}
		if w.hand(h, name, real) {
			return nil
		}
		defer h.close()
		return w.directory(h, name, real)
	case isLink:
		return w.link(name, real)
	case !e.kind.IsRegular():
		w.special(name)
	case Layer(name).IsOutput() || name == SplitsDir:
		w.found.add(outputBlocked, diag.Error, name, "a file is where compile keeps its outputs", "move it away")
	default:
		w.file(name, real, e.stat)
	}
	return nil
}

// link lists what a symbolic link leads to.
func (w *walker) link(name, real string) error {
	if isWritten(name) {
		w.found.add(symlinkEscape, diag.Error, name, "the symbolic link is where compile writes, and compile follows none", "remove the link; compile makes what belongs there")
		return nil
	}
	at, info, err := resolve(w.pack.fsys, real)
	switch {
	case errors.Is(err, errEscape):
		w.found.add(symlinkEscape, diag.Error, name, "the symbolic link leads out of the pack", "put the files into the pack, or link to them by a relative path inside it")
	case errors.Is(err, errLoop):
		w.found.add("symlink-loop", diag.Error, name, "the symbolic links lead in a circle", "remove the link")
	case err != nil:
		w.found.add("symlink-broken", diag.Warning, name, "the symbolic link leads to nothing", "remove the link, or restore the file")
	case isHidden(at):
		w.found.add("symlink-hidden", diag.Warning, name, "the symbolic link leads to a hidden file or directory, which is not part of a pack", "rename what it leads to, or remove the link")
	case LayerOf(name).IsInput() && LayerOf(at).IsOutput():
		w.found.add("symlink-output", diag.Error, name, "the symbolic link leads to where compile writes: outputs would become inputs", "remove the link")
	case info.IsDir():
		w.later = append(w.later, link{name, real, at})
	case info.Mode().IsRegular():
		w.file(name, at, store.StatOf(info))
	default:
		w.special(name)
	}
	return nil
}

// isWritten reports a path that a compile writes whatever the pack holds, or a
// directory that it writes into. Views are distinguished from those made by hand while
// compiling.
func isWritten(name string) bool {
	switch name {
	case IndexPath, SourceMapPath, SplitsDir:
		return true
	}
	return Layer(name).IsOutput() || strings.HasPrefix(name, SplitsDir+"/")
}

// The rules about what is in the way of outputs.
const (
	symlinkEscape = "symlink-escape"
	outputBlocked = "output-blocked"
)

// BlocksOutputs reports a finding about something that is where a compile
// writes, so that nothing of the pack can be written.
func BlocksOutputs(d diag.Diagnostic) bool {
	return d.ID == outputBlocked || d.ID == symlinkEscape && isWritten(d.Path)
}

// isHidden reports a path with a name that starts with "." (section 2).
func isHidden(at string) bool { return at != "." && strings.Contains("/"+at, "/.") }

func (w *walker) special(name string) {
	if isWritten(name) || path.Dir(name) == "runs" && path.Ext(name) == ".json" {
		w.found.add(outputBlocked, diag.Error, name, "a device, pipe or socket is where compile keeps its outputs", "remove it; compile makes what belongs there")
		return
	}
	w.found.add("special-file", diag.Error, name, "a device, pipe or socket cannot be part of a pack", "remove it")
}

func (w *walker) file(name, real string, stat store.Stat) {
	w.files = append(w.files, File{name, stat})
	if name != real {
		w.links[name] = real
	}
}
