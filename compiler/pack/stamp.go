package pack

import (
	"fmt"
	"io/fs"

	"github.com/packgen/packgen/compiler/packpath"
)

// Stamp tells one state of a file from another without reading it. The zero value
// is that of a file system that keeps no such data: it distinguishes nothing.
type Stamp struct {
	ModTime    int64  // nanoseconds since 1970, as the owner may set it
	ChangeTime int64  // the same of the last change of the file or its data, which nobody can set; 0 where unknown
	Inode      uint64 // 0 where unknown
}

// Stamp returns what the listing saw of the file.
func (f File) Stamp() Stamp { return f.stamp }

func stampOf(info fs.FileInfo) Stamp {
	s := Stamp{ModTime: info.ModTime().UnixNano()}
	s.fill(info.Sys())
	return s
}

// Look returns a file as it is now, size and stamp; the listing stays as it was.
func (p *Pack) Look(name string) (File, error) {
	if err := packpath.Check(name); err != nil {
		return File{}, err
	}
	info, err := fs.Stat(p.fsys, name)
	if err != nil {
		return File{}, fmt.Errorf("look at %s: %w", name, err)
	}
	return File{Path: name, Size: info.Size(), stamp: stampOf(info)}, nil
}
