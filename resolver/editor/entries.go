package editor

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/loadout/index"
)

// maxIndex is the largest compiled/index.json that is read, in bytes.
const maxIndex = 64 << 20

// entry is an entry of the loadout index of the repository.
type entry struct {
	id, about     string
	file, section string // what it is made from, in the pack
}

// entriesOf are the entries of a pack, as it was compiled last: itself first.
func entriesOf(dir string) []entry {
	data, err := atomicfile.Read(filepath.Join(dir, "compiled", "index.json"), maxIndex)
	if err != nil {
		return nil // never compiled
	}
	ix, err := schema.DecodeIndex(data)
	if err != nil {
		return nil
	}
	list := []entry{{ix.Pack, "pack", pack.EntryName, ""}}
	for _, v := range ix.Views {
		list = append(list, entry{index.EntryID(ix.Pack, viewID(v.Path)), fmt.Sprintf("%d tokens", v.TokenEstimate), v.Path, ""})
	}
	for i := range ix.Splits {
		s := &ix.Splits[i]
		list = append(list, entry{index.EntryID(ix.Pack, s.ID), fmt.Sprintf("%s, %d tokens", s.Title, s.TokenEstimate), s.Document, s.SectionID})
	}
	return list
}

// entries offers the entries that a task may have to select: the packs, and the parts of
// the pack of the document and of the one whose name is typed.
func (c *completer) entries(typed string) {
	for _, dir := range packsOf(c.at.ws) {
		full := c.at.ws.Paths.Abs(dir)
		named := strings.HasPrefix(strings.ToLower(typed), path.Base(dir))
		if full != c.at.view.dir && !named { // its directory has the name of a pack
			c.offer(kindReference, path.Base(dir), "pack", typed)
			continue
		}
		for _, e := range entriesOf(full) {
			c.offer(kindReference, e.id, e.about, typed)
		}
	}
}

// entry is the entry whose id is at a place of routing goldens, and the directory of its
// pack.
func (at *place) entry() (dir string, e entry, ok bool) {
	if name, _, yaml := schemaAt(at); !yaml || name != "routing" {
		return "", entry{}, false
	}
	id := wordAt(at.lines.line(at.at.Line), at.offsetInLine())
	for _, dir := range packsOf(at.ws) {
		if !strings.HasPrefix(id, path.Base(dir)) {
			continue
		}
		for _, e := range entriesOf(at.ws.Paths.Abs(dir)) {
			if e.id == id {
				return at.ws.Paths.Abs(dir), e, true
			}
		}
	}
	return "", entry{}, false
}

// maxItemsWalked bounds how many files of a role are looked at.
const maxItemsWalked = 5000

// ofRole offers the briefs or skills that a list of boot.yml may name.
func (c *completer) ofRole(keys []string, typed string) bool {
	n := len(keys)
	if n < 2 || keys[n-2] != "briefs" && keys[n-2] != "skills" {
		return false
	}
	switch keys[n-1] {
	case "say", "ref", "hide", "not":
	default:
		return false
	}
	dir := filepath.Dir(c.at.name)
	root := regularfile.Dir(dir)
	if info, err := fs.Stat(root, "briefs"); keys[n-2] == "briefs" && c.at.view.pack != nil && (err != nil || !info.IsDir()) {
		for _, page := range c.at.view.pages() {
			if page != pack.EntryName {
				c.offer(kindFile, page, "", typed)
			}
		}
		return true
	}
	walked := 0
	_ = fs.WalkDir(root, keys[n-2], func(name string, d fs.DirEntry, err error) error {
		if walked++; err != nil || walked > maxItemsWalked {
			return fs.SkipAll
		}
		if !d.IsDir() {
			c.offer(kindFile, strings.TrimPrefix(name, keys[n-2]+"/"), "", typed)
		}
		return nil
	})
	return true
}
