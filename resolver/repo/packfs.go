package repo

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
)

// maxOpenDirs is how many directories inside packs are kept open at once, over
// all packs. The files of a pack are read by directory, so few are enough.
const maxOpenDirs = 64

// packDirs keeps directories inside packs open while their files are read. An
// os.Root walks a path from its top for every file, which for many small files
// costs more than reading them.
type packDirs struct {
	lock sync.Mutex
	open []openDir // the one used last at the end
}

type openDir struct {
	of   *os.Root // of the pack
	name string
	root *os.Root
}

// find returns a directory that is open. It may be closed by the time that it is
// used: then reading fails, and the caller opens the path from its root.
func (d *packDirs) find(of *os.Root, name string) *os.Root {
	d.lock.Lock()
	defer d.lock.Unlock()
	i := slices.IndexFunc(d.open, func(o openDir) bool { return o.of == of && o.name == name })
	if i < 0 {
		return nil
	}
	found := d.open[i]
	d.open = append(slices.Delete(d.open, i, i+1), found)
	return found.root
}

// keep takes a directory and closes the least recently used one.
// Another goroutine may have opened the same one meanwhile: both are good.
func (d *packDirs) keep(of *os.Root, name string, root *os.Root) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.open = append(d.open, openDir{of, name, root})
	if len(d.open) > maxOpenDirs {
		d.open[0].root.Close() // only read: an error of Close loses nothing
		d.open = slices.Delete(d.open, 0, 1)
	}
}

// close closes every directory.
func (d *packDirs) close() {
	for _, o := range d.open {
		o.root.Close() // see above
	}
	d.open = nil
}

// packFS is the directory of a pack as a file system from which nothing outside
// can be reached: an os.Root with its open directories.
type packFS struct {
	root *os.Root
	fsys fs.FS // of the root
	dirs *packDirs
}

// dir returns an open directory; nil when the path has to be opened from its root.
func (p packFS) dir(name string) *os.Root {
	if name == "." {
		return p.root
	}
	if dir := p.dirs.find(p.root, name); dir != nil {
		return dir
	}
	above := p.dir(path.Dir(name))
	if above == nil {
		return nil
	}
	dir, err := regularfile.RootIn(above, path.Base(name))
	if err != nil {
		return nil
	}
	p.dirs.keep(p.root, name, dir)
	return dir
}

// Open opens a file. What fails in the open directory is tried from the top,
// which has the last word: a link may lead out of the one and stay in the other.
func (p packFS) Open(name string) (fs.File, error) {
	if above := path.Dir(name); above != "." && fs.ValidPath(name) {
		if dir := p.dir(above); dir != nil {
			if f, err := regularfile.FS(dir).Open(path.Base(name)); err == nil {
				return f, nil
			}
		}
	}
	return p.fsys.Open(name)
}

// ReadDir lists a directory.
func (p packFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if fs.ValidPath(name) {
		if dir := p.dir(name); dir != nil {
			if list, err := fs.ReadDir(regularfile.FS(dir), "."); err == nil {
				return list, nil
			}
		}
	}
	return fs.ReadDir(p.fsys, name)
}

// Lstat describes a file without following a link.
func (p packFS) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(p.fsys, name) }

// ReadLink returns where a link leads.
func (p packFS) ReadLink(name string) (string, error) { return fs.ReadLink(p.fsys, name) }

// overlaid is a pack whose compiled files lie elsewhere: below compiled/,
// indexes/ and runs/ the second file system is before the first.
type overlaid struct{ base, over fs.FS }

// pick returns the file system that serves a name.
func (o overlaid) pick(name string) fs.FS {
	if pack.LayerOf(name).IsOutput() {
		if _, err := fs.Stat(o.over, name); err == nil {
			return o.over
		}
	}
	return o.base
}

// Open opens a file.
func (o overlaid) Open(name string) (fs.File, error) { return o.pick(name).Open(name) }

// Lstat describes a file without following a link.
func (o overlaid) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(o.pick(name), name) }

// ReadLink returns where a link leads.
func (o overlaid) ReadLink(name string) (string, error) { return fs.ReadLink(o.pick(name), name) }

// ReadDir lists a directory: the root has what both hold. Outputs of one run
// belong together, so compiled/ and indexes/ come from one side; runs/ is the
// history, of both.
func (o overlaid) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." && name != string(pack.Runs) {
		return fs.ReadDir(o.pick(name), name)
	}
	entries, err := fs.ReadDir(o.base, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	over, overErr := fs.ReadDir(o.over, name)
	if overErr != nil && (err != nil || !errors.Is(overErr, fs.ErrNotExist)) {
		return nil, overErr
	}
	for _, e := range over {
		layer := name == string(pack.Runs) || pack.Layer(e.Name()).IsOutput()
		if layer && !slices.ContainsFunc(entries, func(have fs.DirEntry) bool { return have.Name() == e.Name() }) {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, nil
}
