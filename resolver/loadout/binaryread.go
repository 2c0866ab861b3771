package loadout

import (
	"hash/crc32"
	"math"
	"unsafe"
)

// OpenBinary reads the bytes of an index.bin. It keeps data, which must not
// change afterwards. A file that is damaged, cut short or of another version
// is a *BinaryError, never a wrong answer.
func OpenBinary(data []byte) (*Matcher, error) {
	header, err := binaryHeader(data)
	if err != nil {
		return nil, err
	}
	r := &binaryReader{data: data[4*headerFields:]}
	text := data[len(data)-checksumBytes-int(header[fieldText]) : len(data)-checksumBytes]
	r.text = unsafe.String(unsafe.SliceData(text), len(text))

	n := int(header[fieldEntries])
	ix := &Index{Entries: make([]Entry, n)}
	for i := range ix.Entries {
		ix.Entries[i].TokensEst = r.float()
	}
	for i := range ix.Entries {
		r.row(&ix.Entries[i])
	}
	p := &postings{rank: r.words(n)}
	var keywords, patterns []string
	p.keywords, keywords = r.pieces(n, int(header[fieldKeywords]), int(header[fieldKeywordTerms]))
	p.patterns, patterns = r.pieces(n, int(header[fieldPatterns]), int(header[fieldPatternTerms]))
	p.terms = r.texts(int(header[fieldTerms]))
	p.postStart = r.words(len(p.terms) + 1)
	p.posts = r.words(int(header[fieldPosts]))
	head := r.at(header[fieldHead], header[fieldHeadSize])
	if r.damaged || !p.sound(n) {
		return nil, errBinaryDamaged
	}
	for i := range ix.Entries {
		e := &ix.Entries[i]
		e.Keywords = slice(keywords, p.keywords.start[i], p.keywords.start[i+1])
		e.Patterns = slice(patterns, p.patterns.start[i], p.patterns.start[i+1])
	}
	ix.SetHead(Value(head))
	return newMatcher(ix, p), nil
}

// slice returns list[from:to], nil when it is empty.
func slice(list []string, from, to uint32) []string {
	if from == to {
		return nil
	}
	return list[from:to:to]
}

// binaryHeader checks magic, version, size and checksum.
func binaryHeader(data []byte) (h [headerFields]uint32, err error) {
	if len(data) > maxBinary {
		return h, errBinaryLarge
	}
	if len(data) < 4*headerFields+checksumBytes {
		return h, errBinaryForeign
	}
	for i := range h {
		h[i] = word(data[4*i:])
	}
	if h[fieldMagic0] != binaryMagic0 || h[fieldMagic1] != binaryMagic1 || h[fieldVersion] != binaryVersion {
		return h, errBinaryForeign
	}
	end := len(data) - checksumBytes
	if binarySize(&h) != uint64(len(data)) || crc32.Checksum(data[:end], castagnoli()) != word(data[end:]) {
		return h, errBinaryDamaged
	}
	return h, nil
}

// word reads a little-endian number.
func word(b []byte) uint32 {
	_ = b[3]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// binaryReader reads tables one after the other. The header has proved that
// they fit.
type binaryReader struct {
	data    []byte
	text    string
	damaged bool
}

func (r *binaryReader) word() uint32 {
	v := word(r.data)
	r.data = r.data[4:]
	return v
}

func (r *binaryReader) float() float64 {
	low := r.word()
	return math.Float64frombits(uint64(low) | uint64(r.word())<<32)
}

func (r *binaryReader) words(n int) []uint32 {
	list := make([]uint32, n)
	b := r.data[:4*n]
	for i := range list {
		list[i] = word(b[4*i:])
	}
	r.data = r.data[4*n:]
	return list
}

// at returns a stored text.
func (r *binaryReader) at(offset, size uint32) string {
	end := uint64(offset) + uint64(size)
	if end > uint64(len(r.text)) {
		r.damaged = true
		return ""
	}
	return r.text[offset:end]
}

func (r *binaryReader) ref() string {
	offset := r.word()
	return r.at(offset, r.word())
}

func (r *binaryReader) texts(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = r.ref()
	}
	return list
}

func (r *binaryReader) row(e *Entry) {
	e.Raw = Value(r.ref())
	e.ID, e.Path, e.Summary, e.Priority = r.ref(), r.ref(), r.ref(), r.ref()
	flags := r.word()
	e.Triggers = Triggers{Task: flags&flagTask != 0, Plan: flags&flagPlan != 0, Edit: flags&flagEdit != 0}
	if flags >= (uint32(FaultNotObject)+1)<<faultShift {
		r.damaged = true
	}
	e.Fault = Fault(flags >> faultShift)
	e.Lines = int(int32(r.word()))
}

func (r *binaryReader) pieces(entries, slots, terms int) (pieces, []string) {
	p := pieces{start: r.words(entries + 1)}
	texts := r.texts(slots)
	p.termStart = r.words(slots + 1)
	p.term = r.words(terms)
	return p, texts
}

// sound reports whether the tables point only where they may.
func (p *postings) sound(entries int) bool {
	if !p.keywords.sound(len(p.terms)) || !p.patterns.sound(len(p.terms)) {
		return false
	}
	for i := 1; i < len(p.terms); i++ {
		if p.terms[i-1] >= p.terms[i] {
			return false
		}
	}
	return ascending(p.postStart, len(p.posts)) && below(p.posts, entries)
}

func (p *pieces) sound(terms int) bool {
	return ascending(p.start, len(p.termStart)-1) && ascending(p.termStart, len(p.term)) && below(p.term, terms)
}

// ascending reports whether starts begin at 0, never fall and end at end.
func ascending(starts []uint32, end int) bool {
	previous := uint32(0)
	for _, v := range starts {
		if v < previous {
			return false
		}
		previous = v
	}
	return starts[0] == 0 && uint64(previous) == uint64(end)
}

func below(list []uint32, limit int) bool {
	for _, v := range list {
		if uint64(v) >= uint64(limit) {
			return false
		}
	}
	return true
}
