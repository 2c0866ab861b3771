package pack

import "io/fs"

// Stamp tells one state of a file from another without reading it. The zero value
// is that of a file system that keeps no such data: it tells nothing.
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
