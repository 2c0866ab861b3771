package store

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// table finds payloads by their names. A group can hold hundreds of thousands, so
// that they are kept in one list without pointers, and the slots beside it hold no
// more than where in the list one is.
type table struct {
	list  []place
	slots []int32 // place in list + 1, 0 for none; a power of two, at least half of them free
}

// slot returns the slot of a name, or the free one where it belongs. Names are hashes:
// their first bytes are as good as any others.
func (t *table) slot(n name) *int32 {
	mask := uint64(len(t.slots) - 1)
	for at := binary.LittleEndian.Uint64(n.digest[:]) + uint64(n.kind); ; at++ {
		s := &t.slots[at&mask]
		if *s == 0 || t.list[*s-1].name == n {
			return s
		}
	}
}

// grow makes room for more payloads.
func (t *table) grow(more int) {
	t.list = slices.Grow(t.list, more)
	if need := 2 * (len(t.list) + more); need > len(t.slots) {
		t.slots = make([]int32, 1<<bits.Len(uint(need)))
		for i := range t.list {
			*t.slot(t.list[i].name) = int32(i + 1)
		}
	}
}

// find returns the place of a payload; nil when it is not known. It is valid until the
// next put.
func (t *table) find(n name) *place {
	if len(t.slots) == 0 {
		return nil
	}
	s := *t.slot(n)
	if s == 0 || t.list[s-1].seg == dropped {
		return nil
	}
	return &t.list[s-1]
}

// put sets the place of a payload.
func (t *table) put(p place) {
	if 2*(len(t.list)+1) > len(t.slots) {
		t.grow(max(16, len(t.list)))
	}
	s := t.slot(p.name)
	if *s > 0 {
		t.list[*s-1] = p
		return
	}
	t.list = append(t.list, p)
	*s = int32(len(t.list))
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
