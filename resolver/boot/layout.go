package boot

import (
	"io/fs"

	"github.com/packgen/packgen/compiler/pack"
)

// Layout names the folders that hold a role's briefs, as slash paths relative to the role
// directory; none is the format's own, briefs/. Skills are in skills/. Globs are relative to
// the one folder of their type; where a type has several, to the role directory.
type Layout []string

// PackLayout is the layout of a knowledge pack with a boot.yml of its own: its
// documents and wiki pages are the briefs, and their globs start at the pack.
func PackLayout() Layout { return Layout{"documents", "wiki"} }

// folders returns the folders of one type.
func (l Layout) folders(k Kind) []string {
	if k == brief && l != nil {
		return l
	}
	return []string{k.String() + "s"}
}

// base returns the folder, ending in a slash, that globs of one type start
// from; "" is the role directory.
func (l Layout) base(k Kind) string {
	if f := l.folders(k); len(f) == 1 && f[0] != "." {
		return f[0] + "/"
	}
	return ""
}

// entryName is the file that makes a directory a knowledge pack.
const entryName = pack.EntryName

// LayoutOf returns the layout of what is at the top of a file system: that
// of a pack when KNOWLEDGE.md is there and briefs/ is not, otherwise the format's own.
func LayoutOf(fsys fs.FS) Layout {
	if info, err := fs.Stat(fsys, entryName); err == nil && info.Mode().IsRegular() && !isDir(fsys, "briefs") {
		return PackLayout()
	}
	return nil
}

// IsRole reports whether what is at the top of a file system is a role:
// it has a boot.yml, or the folder of briefs or of skills.
func IsRole(fsys fs.FS) bool {
	if _, err := fs.Stat(fsys, configName); err == nil {
		return true
	}
	return isDir(fsys, "briefs") || isDir(fsys, "skills")
}

func isDir(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && info.IsDir()
}
