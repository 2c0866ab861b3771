package pack

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/store"
)

// Whole reports whether all files of the pack are in its own directory, none of them
// through a link.
func (p *Pack) Whole() bool { return !p.Linked() && len(p.mapped) == 0 }

// FS is the file system that the pack is read from.
func (p *Pack) FS() fs.FS { return p.fsys }

// Linked reports whether files of the pack's own directory are read through links: then
// the times of the directories and files do not show every change.
func (p *Pack) Linked() bool { return len(p.links) > 0 }

// IsMapped reports whether a listed file comes from a mapped folder.
func (p *Pack) IsMapped(name string) bool { return p.mapping(name) != nil }

// Recall returns a pack that ReadEntry has read, with files of its own directory and of
// mapped folders that an earlier listing saw. It is for a caller that has looked at them
// and found them as they were.
func (p *Pack) Recall(files []File, watched []Watched, mappings []Mapping) *Pack {
	q := &Pack{
		Dir: p.Dir, Meta: p.Meta, Entry: p.Entry, Guide: p.Guide, EntryText: p.EntryText,
		Files: files, Listed: time.Now(), fsys: p.fsys,
	}
	if len(watched) == 0 {
		return q
	}
	q.own = map[string]bool{}
	for _, f := range q.List("documents") {
		q.own[f.Path] = true
	}
	all := slices.Clone(files)
	for i := range watched {
		m := watched[i].recalled(&mappings[i])
		q.mapped = append(q.mapped, m)
		all = append(all, m.pack.Files...)
	}
	slices.SortFunc(all, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	q.Files = all
	return q
}

// Unchanged reports whether regular files and directories of a file system, sorted by
// path, are as they were. The size of a directory is not compared. A link is a change.
func Unchanged(fsys fs.FS, files, dirs []File) bool {
	for start := 0; start < len(files); {
		dir := path.Dir(files[start].Path)
		end := start + 1
		for end < len(files) && path.Dir(files[end].Path) == dir {
			end++
		}
		if !unchangedIn(fsys, dir, files[start:end]) {
			return false
		}
		start = end
	}
	return !slices.ContainsFunc(dirs, func(d File) bool {
		now, ok := LookDir(fsys, d.Path)
		return !ok || now != d
	})
}

// sameFile reports whether what is at a path is the regular file that was there.
func sameFile(fsys fs.FS, f File) bool {
	info, err := fs.Lstat(fsys, f.Path)
	return err == nil && info.Mode().IsRegular() && store.StatOf(info) == f.Stat
}

// LookDir returns a directory as it is now, without a size.
func LookDir(fsys fs.FS, dir string) (File, bool) {
	info, err := fs.Lstat(fsys, dir)
	if err != nil || !info.IsDir() {
		return File{}, false
	}
	stat := store.StatOf(info)
	stat.Size = 0 // differs between file systems
	return File{dir, stat}, true
}

// Look returns a file as it is now; the listing stays as it was.
func (p *Pack) Look(name string) (File, error) {
	if err := packpath.Check(name); err != nil {
		return File{}, err
	}
	info, err := fs.Stat(p.fsys, name)
	if err != nil {
		return File{}, fmt.Errorf("look at %s: %w", name, err)
	}
	return File{name, store.StatOf(info)}, nil
}
