package pack

import (
	"errors"
	"io/fs"
	"path"

	"github.com/packgen/packgen/compiler/store"
)

// handle is an open directory of a pack.
type handle interface {
	read() ([]seen, error)             // what is in it, in any order
	enter(name string) (handle, error) // a directory in it, which is not a link
	close()
}

// seen is what a directory holds under one name. The stat is that of a regular
// file.
type seen struct {
	name string
	kind fs.FileMode // type bits
	stat store.Stat
}

// fsHandle is a directory of any file system.
type fsHandle struct {
	fsys fs.FS
	dir  string
}

var _ handle = fsHandle{}

func (h fsHandle) read() ([]seen, error) {
	entries, err := fs.ReadDir(h.fsys, h.dir)
	if err != nil {
		return nil, err
	}
	list := make([]seen, 0, len(entries))
	for _, e := range entries {
		s := seen{name: e.Name(), kind: e.Type()}
		if s.kind.IsRegular() {
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue // gone since the directory was read
			}
			if err != nil {
				return nil, err
			}
			s.stat = store.StatOf(info)
		}
		list = append(list, s)
	}
	return list, nil
}

func (h fsHandle) enter(name string) (handle, error) {
	return fsHandle{h.fsys, path.Join(h.dir, name)}, nil
}

func (h fsHandle) close() {}
