package boot

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
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
