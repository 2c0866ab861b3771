package store

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"os"
	"slices"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/scratch"
)

// A segment is a file of a group:
//
//	payloads   one after another; that of an action ends in a seal, see sealAction
//	index      for each payload an item of itemSize bytes, see putItem
//	footer     offset of the index (8), its items (4), its checksum (4), magic (16)
//
// All numbers are little endian. An item of size touched has no payload: it says
// that one of another segment was used.
const (
	magic      = "packgen store 2\n"
	itemSize   = 1 + 32 + 8 + 4 + 4 + 4
	footerSize = 8 + 4 + 4 + len(magic)

	// maxPayload is the largest blob in bytes that is kept on disk.
	maxPayload = 1 << 30
	touched    = 1<<32 - 1
)

// kind says what a payload is.
type kind uint8

const (
	blob   kind = 1 // addressed by its own digest
	action kind = 2 // digests of blobs, addressed by the key of the action
)

// name is the address of a payload.
type name struct {
	kind   kind
	digest Digest
}

// item is a payload in a segment.
type item struct {
	offset int64
	size   uint32 // bytes
	sum    uint32 // CRC-32C
	used   uint32 // hours since 1970 of the last use that is known
	name          // in the end, where it needs no room beside it
}

func putItem(b []byte, x *item) []byte {
	b = append(append(b, byte(x.kind)), x.digest[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(x.offset))
	b = binary.LittleEndian.AppendUint32(b, x.size)
	b = binary.LittleEndian.AppendUint32(b, x.sum)
	return binary.LittleEndian.AppendUint32(b, x.used)
}

func getItem(b []byte) (x item) {
	x.kind = kind(b[0])
	copy(x.digest[:], b[1:])
	b = b[1+len(x.digest):]
	x.offset = int64(binary.LittleEndian.Uint64(b))
	x.size = binary.LittleEndian.Uint32(b[8:])
	x.sum = binary.LittleEndian.Uint32(b[12:])
	x.used = binary.LittleEndian.Uint32(b[16:])
	return x
}

// errDamaged is a segment that is not used.
var errDamaged = errors.New("the segment is not whole, or another's")

// openSegment opens a segment and returns its index. What that says is checked
// against the size of the file, so that reads stay within it.
func openSegment(path string) (*os.File, segmentIndex, error) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil, nil, errDamaged
	}
	f, _, err := regularfile.Open(path)
	if err != nil {
		return nil, nil, err
	}
	x, err := readIndex(f)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, x, nil
}

func readIndex(f *os.File) (segmentIndex, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return decodeIndex(f, info.Size())
}

// segmentIndex is the index of a segment as it is on disk.
type segmentIndex []byte

func (x segmentIndex) len() int { return len(x) / itemSize }

// items yields the items in the order of their payloads.
func (x segmentIndex) items(yield func(item) bool) {
	for ; len(x) > 0 && yield(getItem(x)); x = x[itemSize:] {
	}
}

// decodeIndex reads the index of a segment of that size.
func decodeIndex(f io.ReaderAt, size int64) (segmentIndex, error) {
	var footer [footerSize]byte
	if size < int64(footerSize) {
		return nil, errDamaged
	}
	if _, err := f.ReadAt(footer[:], size-int64(footerSize)); err != nil {
		return nil, err
	}
	at := binary.LittleEndian.Uint64(footer[:])
	n := int64(binary.LittleEndian.Uint32(footer[8:]))
	end := size - int64(footerSize)
	if string(footer[16:]) != magic || at > uint64(end) || end-int64(at) != n*int64(itemSize) {
		return nil, errDamaged
	}
	text := make(segmentIndex, end-int64(at))
	if _, err := f.ReadAt(text, int64(at)); err != nil {
		return nil, err
	}
	if checksum(text) != binary.LittleEndian.Uint32(footer[12:]) {
		return nil, errDamaged
	}
	for x := range text.items {
		if x.size != touched && (x.offset < 0 || x.offset > int64(at) || int64(x.size) > int64(at)-x.offset) {
			return nil, errDamaged
		}
	}
	return text, nil
}

// readPayload reads a payload, into buf where that is large enough; nil when it is
// not what was written. A blob is what its name says: a checksum proves nothing about a
// file that somebody else has written.
func readPayload(f *os.File, x *item, buf []byte) []byte {
	if uint64(cap(buf)) < uint64(x.size) || buf == nil {
		buf = make([]byte, x.size)
	}
	data := buf[:x.size]
	if _, err := f.ReadAt(data, x.offset); err != nil {
		return nil
	}
	if x.kind == blob && Sum(data) != x.digest || x.kind != blob && checksum(data) != x.sum {
		return nil
	}
	return data
}

// sealAction appends the seal of the result of an action.
func sealAction(key Digest, data []byte) []byte { return seal("action "+string(key[:]), data) }

// unsealAction returns the result of an action that this user's runs have kept; false for
// one that came with a checkout.
func unsealAction(key Digest, data []byte) ([]byte, bool) {
	return Unseal("action "+string(key[:]), data)
}

// encodeIndex returns what follows the payloads of a segment.
func encodeIndex(items []item, offset int64) []byte {
	b := make([]byte, 0, len(items)*itemSize+footerSize)
	for i := range items {
		b = putItem(b, &items[i])
	}
	sum := checksum(b)
	b = binary.LittleEndian.AppendUint64(b, uint64(offset))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(items)))
	b = binary.LittleEndian.AppendUint32(b, sum)
	return append(b, magic...)
}

// segmentWriter writes the payloads of a new segment. When the disk refuses, what
// it has not taken stays in memory, and so does all that follows.
type segmentWriter struct {
	file    *os.File // nil: nothing can be written
	touched []item   // uses of payloads of other segments
	flushed int64    // bytes on disk
	pending []byte   // bytes after them
	failed  bool
}

// writeSize is the size in bytes of the pieces that are written.
const writeSize = 256 << 10

// add appends a payload and says where it is.
func (w *segmentWriter) add(x item, data []byte) item {
	x.offset, x.size, x.sum = w.flushed+int64(len(w.pending)), uint32(len(data)), checksum(data)
	if len(data) < writeSize {
		w.pending = append(w.pending, data...)
		if len(w.pending) >= writeSize {
			w.flush()
		}
		return x
	}
	if w.flush(); len(w.pending) > 0 || !w.write(data) {
		w.pending = append(w.pending, data...)
	}
	return x
}

// write appends bytes to those on disk; false when that fails.
func (w *segmentWriter) write(data []byte) bool {
	if w.file == nil || w.failed {
		return false
	}
	if n, err := w.file.WriteAt(data, w.flushed); err != nil || n < len(data) {
		w.failed = true
		return false
	}
	w.flushed += int64(len(data))
	return true
}

// flush writes what is pending.
func (w *segmentWriter) flush() {
	if len(w.pending) > 0 && w.write(w.pending) {
		w.pending = w.pending[:0]
	}
}

// read returns a payload that was added; onDisk says that it must be read there.
func (w *segmentWriter) read(x *item) (data []byte, onDisk bool) {
	if x.offset < w.flushed {
		return nil, true
	}
	at := x.offset - w.flushed
	return append([]byte(nil), w.pending[at:at+int64(x.size)]...), false
}

// finish ends the file with the index of its payloads; the segment is not used when that
// fails.
func (w *segmentWriter) finish(payloads []item) error {
	w.flush()
	if w.file == nil || w.failed {
		return errDamaged
	}
	slices.SortFunc(payloads, func(a, b item) int { return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.kind, b.kind)) })
	_, err := w.file.WriteAt(encodeIndex(append(payloads, w.touched...), w.flushed), w.flushed)
	return err
}

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
