package compiler

import (
	"fmt"

	"github.com/packgen/packgen/compiler/store"
)

// aside is what is only needed of one file at a time, and of all files together would fill
// much memory.
type aside struct {
	links []link
	items []string // one-line forms of statements for compiled/facts.md, in their order
}

// asideOf returns the links and items of a file.
func (m *material) asideOf(f *file) (aside, error) {
	if !f.asideSum.Known() {
		return f.aside, nil
	}
	data, ok := m.cache.store.Blob(f.asideSum)
	a, whole := unpackAside(data)
	if !ok || !whole {
		return aside{}, fmt.Errorf("the links of %s are no longer in the store: run again", f.path)
	}
	return a, nil
}

// pack writes the links and items of a file.
func (a *aside) pack(w *store.Writer) {
	w.Uint(len(a.links))
	for _, l := range a.links {
		w.Str(l.dest)
		w.Str(l.fragment)
		w.Str(l.label)
		w.Bool(l.image)
		w.Bool(l.wiki)
		w.Str(l.list)
		w.Str(l.include)
		l.at.pack(w)
	}
	w.Strs(a.items)
}

// unpackAside reads what pack wrote; false when that is damaged.
func unpackAside(data []byte) (a aside, ok bool) {
	r := store.ReadBytes(data)
	a.links = make([]link, r.Count())
	for i := range a.links {
		a.links[i] = link{r.Str(), r.Str(), r.Str(), r.Bool(), r.Bool(), r.Str(), r.Str(), unpackPlace(r)}
	}
	a.items = r.Strs()
	return a, r.Done()
}
