package pack

import (
	"io/fs"
	"path"
	"path/filepath"

	"github.com/packgen/packgen/compiler/diag"
)

// ReadEntry reads the front matter of the pack at the root of a file system and
// nothing else: it opens KNOWLEDGE.md and lists no files, so that a catalog of
// many packs is cheap (agent-knowledge sections 12.1 and 12.3). Diagnostics,
// error and dir are those of OpenFS; the pack has no Files.
func ReadEntry(fsys fs.FS, dir string) (*Pack, []diag.Diagnostic, error) {
	p := &Pack{Dir: dir, fsys: fsys}
	found := &findings{}
	name := dirName(dir)
	ok, err := p.readEntry(name, found)
	p.attribute(name, found)
	diag.Sort(found.list)
	if err != nil || !ok {
		return nil, found.list, err
	}
	return p, found.list, nil
}

// dirName is the last element of a directory's name, "" for none.
func dirName(dir string) string {
	if dir == "" {
		return ""
	}
	if name := path.Base(filepath.ToSlash(dir)); name != "." && name != "/" {
		return name
	}
	return ""
}
