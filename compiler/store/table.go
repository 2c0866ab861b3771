package store

import (
	"encoding/binary"
	"maps"
	"slices"
)

// table finds payloads by their names. A group can hold hundreds of thousands, so
// that they are kept in one list without pointers, and the map beside it holds no
// more than eight bytes of each name.
type table struct {
	list []place
	at   map[uint64]int32 // where in list, by slot
}

// slot is where the search for a name begins. Names are hashes: hardly two share one.
func slot(n name) uint64 { return binary.LittleEndian.Uint64(n.digest[:]) + uint64(n.kind) }

// grow makes room for more payloads, where there are many.
func (t *table) grow(more int) {
	if more > len(t.list) {
		at := make(map[uint64]int32, len(t.list)+more)
		maps.Copy(at, t.at)
		t.list, t.at = slices.Grow(t.list, more), at
	}
}

// find returns the place of a payload; nil when there is none. It is valid until the
// next put.
func (t *table) find(n name) *place {
	for s := slot(n); ; s++ {
		i, ok := t.at[s]
		if !ok {
			return nil
		}
		if p := &t.list[i]; p.name == n {
			if p.seg == dropped {
				return nil
			}
			return p
		}
	}
}

// put sets the place of a payload.
func (t *table) put(p place) {
	s := slot(p.name)
	for ; ; s++ {
		i, ok := t.at[s]
		if !ok {
			break
		}
		if t.list[i].name == p.name {
			t.list[i] = p
			return
		}
	}
	t.at[s] = int32(len(t.list))
	t.list = append(t.list, p)
}

// drop forgets a payload.
func (t *table) drop(n name) {
	if p := t.find(n); p != nil {
		p.seg = dropped
	}
}

// each yields the payloads.
func (t *table) each(yield func(p *place) bool) {
	for i := range t.list {
		if t.list[i].seg != dropped && !yield(&t.list[i]) {
			return
		}
	}
}
