package site

import (
	"encoding/hex"
	"path"
	"strconv"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/store"
)

// Sizes of the files of the navigation.
const (
	treeItems  = 400 // items of one folder in a file
	treeInline = 60  // items of a folder that is written where it is named
)

// treeNames are what readers call the upper folders.
var treeNames = map[string]string{string(pack.Documents): "Documents", string(pack.Wiki): "Wiki"}

// treeWriter writes the navigation of a pack: a file for the pack, and one for each folder
// above a size. An item is [name, file] for a page, [name, folder, items] for a folder;
// in place of items, and after the last one, may be the name of the file that has them.
// Names depend on the path alone, so that a page need not change when its pack does.
type treeWriter struct {
	ps  *packSite
	err error
}

// putTree writes the files of the navigation.
func (ps *packSite) putTree() error {
	w := treeWriter{ps: ps}
	roots := []any{}
	for _, f := range ps.roots() {
		roots = append(roots, []any{treeNames[f.path], f.path, w.items(f, 0)})
	}
	w.put("index", roots)
	return w.err
}

// items returns the items of a folder from a place on. Those that are too many are
// written to a file of their own.
func (w *treeWriter) items(f *folder, from int) []any {
	list := []any{}
	for i, it := range f.items[from:] {
		if i == treeItems {
			return append(list, w.file(f, from+i))
		}
		if it.folder == nil {
			list = append(list, []any{oneLine(it.name(), 200), path.Base(it.page.out)})
			continue
		}
		var inside any
		if it.folder.size <= treeInline {
			inside = w.items(it.folder, 0)
		} else {
			inside = w.file(it.folder, 0)
		}
		list = append(list, []any{oneLine(it.folder.name(), 200), path.Base(it.folder.path), inside})
	}
	return list
}

// file writes the items of a folder from a place on, and returns the name of the file.
func (w *treeWriter) file(f *folder, from int) string {
	sum := store.Sum([]byte(f.path + "\x00" + strconv.Itoa(from)))
	name := hex.EncodeToString(sum[:6])
	w.put(name, w.items(f, from))
	return name
}

func (w *treeWriter) put(name string, value any) {
	if w.err != nil {
		return
	}
	w.err = w.ps.putJSON("tree/"+name+".json", value)
}
