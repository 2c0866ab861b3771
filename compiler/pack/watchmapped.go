package pack

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Watched shows whether a mapped folder is as it was, and with it what the pack lists of
// it.
type Watched struct {
	Key   string        // how the folder is mapped
	Files []WatchedFile // its files, those that the pack leaves out as drafts too, by Path
	Dirs  []File        // its directories, by their paths in the folder
}

// WatchedFile is a file of a mapped folder.
type WatchedFile struct {
	File          // by its path in the folder
	Listed string // in the pack; "" for a file that is not one of it
}

// key is a text that differs where another folder is mapped, or in another way.
func (m *Mapping) key() string {
	return fmt.Sprintf("%q %q %q %q %t %t", m.Dir, m.Below, m.Include, m.Exclude, m.MDX, m.Drafts)
}

// WatchMapped returns what shows whether the mapped folders are as they were. It is false
// where that cannot be seen: a link is in one of them.
func (p *Pack) WatchMapped() (list []Watched, ok bool) {
	for _, m := range p.mapped {
		w := Watched{Key: m.key()}
		for _, f := range m.seen {
			real, ok := m.pack.links[f.Path]
			if !ok || !sameFile(m.pack.fsys, File{real, f.Stat}) {
				return nil, false
			}
			one := WatchedFile{File: File{real, f.Stat}}
			if p.mapping(f.Path) == m {
				one.Listed = f.Path
			}
			w.Files = append(w.Files, one)
		}
		slices.SortFunc(w.Files, func(a, b WatchedFile) int { return strings.Compare(a.Path, b.Path) })
		err := fs.WalkDir(m.pack.fsys, ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case name != "." && strings.HasPrefix(path.Base(name), "."):
				if d.IsDir() {
					return fs.SkipDir // never listed
				}
				return nil
			case d.Type()&fs.ModeSymlink != 0:
				return fs.ErrInvalid
			case !d.IsDir():
				return nil
			case name != "." && !m.keep(path.Join(m.at, name), true):
				return fs.SkipDir
			}
			dir, ok := LookDir(m.pack.fsys, name)
			if !ok {
				return fs.ErrInvalid
			}
			w.Dirs = append(w.Dirs, dir)
			return nil
		})
		if err != nil {
			return nil, false
		}
		list = append(list, w)
	}
	return list, true
}

// Holds reports whether a folder is mapped as it was, and is as it was.
func (w *Watched) Holds(m *Mapping) bool {
	if m.FS == nil || w.Key != m.key() {
		return false
	}
	files := make([]File, len(w.Files))
	for i, f := range w.Files {
		files[i] = f.File
	}
	return Unchanged(m.FS, files, w.Dirs)
}

// recalled is the mapping with the files that it had.
func (w *Watched) recalled(m *Mapping) *mapped {
	folder := &Pack{Dir: m.Dir, fsys: m.FS, links: map[string]string{}}
	for _, f := range w.Files {
		if f.Listed != "" {
			folder.Files = append(folder.Files, File{f.Listed, f.Stat})
			folder.links[f.Listed] = f.Path
		}
	}
	slices.SortFunc(folder.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return &mapped{Mapping: *m, at: path.Join("documents", m.Below), pack: folder}
}
