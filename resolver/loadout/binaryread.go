package loadout

import (
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
	sizes := make([]uint32, 0, 2*n)
	for i := range ix.Entries {
		r.row(&ix.Entries[i])
		sizes = append(sizes, r.word(), r.word())
	}
	p := &postings{}
	p.entry = r.words(n)
	p.start = r.words(n + 1)
	p.words = r.words(int(header[fieldRecords]))
	keywords := r.texts(int(header[fieldKeywords]))
	patterns := r.texts(int(header[fieldPatterns]))
	p.terms = r.texts(int(header[fieldTerms]))
	p.postStart = r.words(len(p.terms) + 1)
	p.posts = r.words(int(header[fieldPosts]))
	head := r.at(header[fieldHead], header[fieldHead+1])
	for i := range ix.Entries {
		e := &ix.Entries[i]
		e.Keywords, keywords = r.split(keywords, sizes[2*i])
		e.Patterns, patterns = r.split(patterns, sizes[2*i+1])
	}
	if r.damaged || len(keywords)+len(patterns) > 0 || !p.plausible() || !p.fit(sizes) {
		return nil, errBinaryDamaged
	}
	ix.setHead(Value(head))
	ix.Budget = binaryBudget(&header)
	return newMatcher(ix, p), nil
}

// binaryBudget reads the budget from a header.
func binaryBudget(h *[headerFields]uint32) Budget {
	var f [4]float64
	for i := range f {
		f[i] = math.Float64frombits(uint64(h[fieldBudget+2*i]) | uint64(h[fieldBudget+2*i+1])<<32)
	}
	b := Budget{AlwaysLoaded: f[0], OnDemandTotal: f[1], AvgTaskLoad: f[2]}
	if !math.IsNaN(f[3]) {
		b.AvgObserved = &f[3]
	}
	return b
}

// split takes n strings off a list; none is nil.
func (r *binaryReader) split(list []string, n uint32) (head, tail []string) {
	if n == 0 {
		return nil, list
	}
	if uint64(n) > uint64(len(list)) {
		r.damaged = true
		return nil, list
	}
	return list[:n:n], list[n:]
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
	if binarySize(&h) != uint64(len(data)) || checksum(data[:end]) != word(data[end:]) {
		return h, errBinaryDamaged
	}
	return h, nil
}

// word reads a little-endian number.
func word(b []byte) uint32 {
	_ = b[3]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// binaryReader reads tables one after another. The header has proved that
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
	e.unicode = flags&flagUnicode != 0
	e.Fault = Fault(flags >> faultShift)
	e.Lines = int(int32(r.word()))
	e.TokensEst = r.float()
}
