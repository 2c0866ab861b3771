package pack

import (
	"io/fs"
	"path"
	"slices"
	"time"
)

// Whole reports whether all files of the pack are in its own directory, none of them
// behind a link: then the stamps of the directories and files tell whether anything
// changed.
func (p *Pack) Whole() bool { return len(p.links) == 0 && len(p.mapped) == 0 }

// FS is the file system that the pack is read from.
func (p *Pack) FS() fs.FS { return p.fsys }

// Recall returns a pack that ReadEntry has read, with files that an earlier listing
// saw. It is for a caller that has looked at them and found them as they were.
func (p *Pack) Recall(files []File) *Pack {
	return &Pack{
		Dir: p.Dir, Meta: p.Meta, Entry: p.Entry, Guide: p.Guide, EntryText: p.EntryText,
		Files: files, Listed: time.Now(), fsys: p.fsys,
	}
}

// Stamped returns a file with a stamp.
func Stamped(path string, size int64, stamp Stamp) File { return File{path, size, stamp} }

// Unchanged reports whether regular files and directories of a file system, sorted by
// path, are as they were. Of a directory only the stamp is compared. A link is a change.
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
		info, err := fs.Lstat(fsys, d.Path)
		return err != nil || !info.IsDir() || stampOf(info) != d.stamp
	})
}

// sameFile reports whether what is at a path is the regular file that was there.
func sameFile(fsys fs.FS, f File) bool {
	info, err := fs.Lstat(fsys, f.Path)
	return err == nil && info.Mode().IsRegular() && info.Size() == f.Size && stampOf(info) == f.stamp
}

// LookDir returns a directory as it is now.
func LookDir(fsys fs.FS, dir string) (File, bool) {
	info, err := fs.Lstat(fsys, dir)
	if err != nil || !info.IsDir() {
		return File{}, false
	}
	return File{dir, 0, stampOf(info)}, true
}
