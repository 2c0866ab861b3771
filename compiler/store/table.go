package store

import (
	"encoding/binary"
	"math/bits"
)

// table finds payloads by their names. A group can hold millions, so that they are kept in
// pieces without pointers, which are not copied when there are more, and the slots beside
// them hold no more than where one is.
type table struct {
	pieces [][]place
	n      int     // places
	slots  []int32 // number of the place + 1, 0 for none; a power of two, at least a quarter of them free
}

// pieceLen is how many places a piece has.
const pieceLen = 1 << 12

func (t *table) at(i int) *place { return &t.pieces[i/pieceLen][i%pieceLen] }

// slot returns the slot of a name, or the free one where it belongs. Names are hashes:
// their first bytes are as good as any others.
func (t *table) slot(n name) *int32 {
	mask := uint64(len(t.slots) - 1)
	for at := binary.LittleEndian.Uint64(n.digest[:]) + uint64(n.kind); ; at++ {
		s := &t.slots[at&mask]
		if *s == 0 || t.at(int(*s-1)).name == n {
			return s
		}
	}
}

// grow makes room for more payloads.
func (t *table) grow(more int) {
	if need := t.n + more; 4*need > 3*len(t.slots) {
		t.slots = make([]int32, 1<<bits.Len(uint(need+need/3)))
		for i := range t.n {
			*t.slot(t.at(i).name) = int32(i + 1)
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
	if s == 0 || t.at(int(s-1)).seg == dropped {
		return nil
	}
	return t.at(int(s - 1))
}

// put sets the place of a payload.
func (t *table) put(p place) {
	t.grow(1)
	s := t.slot(p.name)
	if *s > 0 {
		*t.at(int(*s - 1)) = p
		return
	}
	if t.n%pieceLen == 0 {
		t.pieces = append(t.pieces, make([]place, 0, min(t.n, pieceLen)))
	}
	last := &t.pieces[t.n/pieceLen]
	*last = append(*last, p)
	t.n++
	*s = int32(t.n)
}

// drop forgets a payload.
func (t *table) drop(n name) {
	if p := t.find(n); p != nil {
		p.seg = dropped
	}
}

// each yields the payloads.
func (t *table) each(yield func(p *place) bool) {
	for i := range t.n {
		if p := t.at(i); p.seg != dropped && !yield(p) {
			return
		}
	}
}
