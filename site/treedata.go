package site

import (
	"encoding/hex"
	"path"
	"strconv"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/model"
)

// Sizes of the files of the navigation.
const (
	treeItems  = 400 // items of one folder in a file
	treeInline = 60  // items of a folder that is written where it is named
)

// navigation is the navigation of a pack in files, by their names: one for the pack, and one
// for each folder above a size. An item is [name, file] for a page, [name, folder, items] for
// a folder; in place of items, and after the last one, may be the name of the file that has
// them. Names depend on the path alone, so that a page need not change when its pack does.
type navigation map[string][]any

// navigationOf makes the navigation of a pack.
func navigationOf(ps *model.Pack) navigation {
	nav, roots := navigation{}, []any{}
	for _, f := range ps.Roots() {
		roots = append(roots, []any{model.RootNames[f.Path], f.Path, nav.items(f, 0)})
	}
	nav["index"] = roots
	return nav
}

// items returns the items of a folder from a place on. Those that are too many are
// in a file of their own.
func (nav navigation) items(f *model.Folder, from int) []any {
	list := []any{}
	for i, it := range f.Items[from:] {
		if i == treeItems {
			return append(list, nav.file(f, from+i))
		}
		if it.Folder == nil {
			list = append(list, []any{diag.OneLine(it.Name(), 200), path.Base(it.Page.Out)})
			continue
		}
		var inside any
		if it.Folder.Size <= treeInline {
			inside = nav.items(it.Folder, 0)
		} else {
			inside = nav.file(it.Folder, 0)
		}
		list = append(list, []any{diag.OneLine(it.Folder.Name(), 200), path.Base(it.Folder.Path), inside})
	}
	return list
}

// file adds a file with the items of a folder from a place on, and returns its name.
func (nav navigation) file(f *model.Folder, from int) string {
	sum := store.Sum([]byte(f.Path + "\x00" + strconv.Itoa(from)))
	name := hex.EncodeToString(sum[:6])
	nav[name] = nav.items(f, from)
	return name
}

// putTree writes the files of the navigation.
func putTree(w *making) error {
	for name, items := range navigationOf(w.ps) {
		if err := w.putJSON("tree/"+name+".json", items); err != nil {
			return err
		}
	}
	return nil
}
