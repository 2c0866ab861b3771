package index

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/resolver/loadout"
)

// heldOfDeclared is how many bytes are held of an entry with four declared keywords until all
// packs are joined.
const heldOfDeclared = 380

// What is held of each declared keyword until all packs are joined is little.
func TestLittleIsHeldOfDeclaredKeywords(t *testing.T) {
	const entries = 20_000
	p := &pack.Pack{}
	p.Meta.Name = "kettle"
	l := newLinter()
	before := inUse()
	l.declared = make([]candidate, 0, entries)
	for i := range entries {
		var d draft
		d.pack = p
		e := &loadout.Entry{ID: "id"}
		for k := range 4 {
			e.Keywords = append(e.Keywords, fmt.Sprintf("keyword-%08d-%d", i, k))
			d.declared.places = append(d.declared.places, where{fmt.Sprintf("documents/%08d.md", i), 4 + k, 3})
		}
		l.declare(&d, e)
	}
	held := (inUse() - before) / entries
	t.Logf("%d bytes an entry", held)
	if held > heldOfDeclared {
		t.Errorf("%d bytes are held of an entry, at most %d are allowed", held, heldOfDeclared)
	}
	runtime.KeepAlive(l)
}

func inUse() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
