package regularfile

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// FS is [os.Root.FS] with regular files and directories alone.
func FS(root *os.Root) fs.FS {
	return tree{root.FS(), func(name string) (*os.File, error) { return root.OpenFile(name, os.O_RDONLY|noWait, 0) }}
}

// Dir is [os.DirFS] with regular files and directories alone. It follows links as [Open]
// does.
func Dir(dir string) fs.FS {
	return tree{os.DirFS(dir), func(name string) (*os.File, error) {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := CheckRead(full); err != nil {
			return nil, err
		}
		return os.OpenFile(full, os.O_RDONLY|noWait, 0)
	}}
}

// tree is a file system whose files are opened by a function.
type tree struct {
	base fs.FS
	open func(name string) (*os.File, error)
}

var (
	_ fs.ReadDirFS  = tree{}
	_ fs.ReadFileFS = tree{}
	_ fs.StatFS     = tree{}
	_ fs.ReadLinkFS = tree{}
)

// Open opens a regular file or a directory.
func (t tree) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f, err := t.open(name)
	if err != nil {
		return nil, named(err, name)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrFile}
	}
	if err != nil {
		f.Close()
		return nil, named(err, name)
	}
	return f, nil
}

// ReadFile reads a regular file.
func (t tree) ReadFile(name string) ([]byte, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return data, named(err, name)
}

// ReadDir lists a directory in the order of its names.
func (t tree) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.(*os.File).ReadDir(-1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, named(err, name)
}

// Stat describes what is at a path, links followed.
func (t tree) Stat(name string) (fs.FileInfo, error) { return fs.Stat(t.base, name) }

// Lstat describes what is at a path.
func (t tree) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(t.base, name) }

// ReadLink returns what a link names.
func (t tree) ReadLink(name string) (string, error) { return fs.ReadLink(t.base, name) }

// named gives an error of the system the path below the file system.
func named(err error, name string) error {
	if at, ok := err.(*fs.PathError); ok {
		return &fs.PathError{Op: at.Op, Path: name, Err: at.Err}
	}
	return err
}
