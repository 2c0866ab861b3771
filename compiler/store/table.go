package store

import (
	"encoding/binary"
	"math/bits"

	"github.com/packgen/packgen/compiler/scratch"
)

// table finds payloads by their names. A group can hold millions, so that little more than
// where one is found is in memory: the places are records of one size, which are held as long
// as they are few. A place that can no longer be read is not known. Its methods must not be
// called at the same time.
type table struct {
	places scratch.Bytes
	n      int
	slots  []uint64 // a part of the name, and number of the place + 1; a power of two, at least a quarter of them free
}

// placeSize is the size of a place in bytes.
const placeSize = itemSize + 4 + 1

// numberMask are the bits of a slot that are the number of a place.
const numberMask = 1<<32 - 1

// at reads a place.
func (t *table) at(i int) (p place, ok bool) {
	var b [placeSize]byte
	if _, err := t.places.ReadAt(b[:], int64(i)*placeSize); err != nil {
		return p, false
	}
	p.item, p.number = getItem(b[:]), i
	p.seg, p.used = int32(binary.LittleEndian.Uint32(b[itemSize:])), b[itemSize+4] == 1
	return p, true
}

// encoded is a place as it is kept.
func (p *place) encoded(b *[placeSize]byte) []byte {
	binary.LittleEndian.PutUint32(putItem(b[:0], &p.item)[itemSize:placeSize], uint32(p.seg))
	b[itemSize+4] = 0
	if p.used {
		b[itemSize+4] = 1
	}
	return b[:]
}

// slot returns the slot of a name, or the free one where it belongs, and the part of the name
// that goes into it. Names are hashes: their bytes are as good as any others.
func (t *table) slot(n name) (slot *uint64, tag uint64) {
	slot, tag = t.free(n, func(s uint64) bool {
		p, ok := t.at(int(s&numberMask) - 1)
		return ok && p.name == n
	})
	return slot, tag
}

// free returns the first slot of a name that is free, or whose place is the one wanted; nil
// wants none.
func (t *table) free(n name, wanted func(slot uint64) bool) (slot *uint64, tag uint64) {
	mask := uint64(len(t.slots) - 1)
	tag = binary.LittleEndian.Uint64(n.digest[8:]) &^ numberMask
	for at := binary.LittleEndian.Uint64(n.digest[:]) + uint64(n.kind); ; at++ {
		s := &t.slots[at&mask]
		if *s == 0 || wanted != nil && *s&^numberMask == tag && wanted(*s) {
			return s, tag
		}
	}
}

// grow makes room for more payloads.
func (t *table) grow(more int) {
	if need := t.n + more; 4*need > 3*len(t.slots) {
		t.slots = make([]uint64, 1<<bits.Len(uint(need+need/3)))
		for i := range t.n {
			if p, ok := t.at(i); ok {
				s, tag := t.free(p.name, nil)
				*s = tag | uint64(i+1)
			}
		}
	}
}

// find returns the place of a payload; false when it is not known.
func (t *table) find(n name) (p place, ok bool) {
	if len(t.slots) == 0 {
		return p, false
	}
	s, _ := t.slot(n)
	if *s == 0 {
		return p, false
	}
	p, ok = t.at(int(*s&numberMask) - 1)
	return p, ok && p.seg != dropped
}

// put sets the place of a payload.
func (t *table) put(p place) {
	t.grow(1)
	s, tag := t.slot(p.name)
	if *s > 0 {
		p.number = int(*s&numberMask) - 1
		t.save(&p)
		return
	}
	var b [placeSize]byte
	t.places.Append(p.encoded(&b))
	t.n++
	*s = tag | uint64(t.n)
}

// save keeps a place that was found, and has been changed.
func (t *table) save(p *place) {
	var b [placeSize]byte
	_, _ = t.places.WriteAt(p.encoded(&b), int64(p.number)*placeSize)
}

// drop forgets a payload.
func (t *table) drop(n name) {
	if p, ok := t.find(n); ok {
		p.seg = dropped
		t.save(&p)
	}
}

// each yields the payloads. What is changed of one is kept.
func (t *table) each(yield func(p *place) bool) {
	for i := range t.n {
		p, ok := t.at(i)
		if !ok || p.seg == dropped {
			continue
		}
		before := p
		more := yield(&p)
		if p != before {
			t.save(&p)
		}
		if !more {
			return
		}
	}
}

// close lets the places go.
func (t *table) close() {
	_ = t.places.Close()
	*t = table{}
}
