package loadout

import "math"

// The prebuilt index, index.bin: an index together with its postings. All
// numbers are little endian; a text is as offset and size, in bytes, in the
// text section.
//
//	header    20 × uint32 (the field constants below)
//	rows      entries × 16 × uint32: five texts (raw, id, path, summary,
//	          priority), flags, lines, the estimate as a float64, how many
//	          keywords and patterns
//	records   entry (entries), start (entries + 1), words: see records.go
//	texts     of all keywords, all patterns, all terms: 2 × uint32 each
//	postings  start (terms + 1), posts
//	text      bytes
//	checksum  uint32: CRC-32C of everything before it
const (
	binaryMagic0  = 0x4c444b50 // "PKDL"
	binaryMagic1  = 0x0a1a0d58 // X, CR, SUB, LF: damaged by text transfers
	binaryVersion = 1
)

// The fields of the header.
const (
	fieldMagic0 = iota
	fieldMagic1
	fieldVersion
	fieldEntries
	fieldRecords
	fieldKeywords
	fieldPatterns
	fieldTerms
	fieldPosts
	fieldText   // bytes
	fieldHead   // two words: the index without its entries, a text
	fieldBudget = fieldHead + 2
	// fieldBudget is four float64; the last is NaN when nothing was observed.
	headerFields = fieldBudget + 8
)

const (
	rowFields     = 16
	checksumBytes = 4
	// maxBinary is the largest file that is read or written, in bytes.
	maxBinary = 1 << 30 // 1 GiB
	// searchRaw is the size of an entry in bytes up to which its texts are
	// looked for in its raw form, to store them once.
	searchRaw = 4 << 10 // 4 KiB
)

// BinaryError says why an index.bin cannot be used.
type BinaryError struct {
	Problem string
}

func (e *BinaryError) Error() string { return "prebuilt index: " + e.Problem }

var (
	errBinaryDamaged = &BinaryError{"damaged: the checksum or a table does not hold"}
	errBinaryForeign = &BinaryError{"not a prebuilt index of this version"}
	errBinaryLarge   = &BinaryError{"larger than 1 GiB"}
)

// Marshal returns the index and its postings as the bytes of an index.bin.
// An index that would pass 1 GiB is a *BinaryError.
func (m *Matcher) Marshal() ([]byte, error) {
	ix, p := m.ix, m.post
	w := &binaryWriter{text: make([]byte, 0, aboutEntry*len(ix.Entries)), rows: make([]uint32, 0, rowFields*len(ix.Entries))}
	for i := range ix.Entries {
		w.entry(&ix.Entries[i])
		if len(w.text) > maxBinary {
			return nil, errBinaryLarge
		}
	}
	var terms []uint32
	for _, t := range p.terms {
		terms = w.add(terms, t)
	}
	header := m.header(w, ix.head())
	size := binarySize(&header)
	if size > maxBinary {
		return nil, errBinaryLarge
	}
	out := appendWords(make([]byte, 0, size), header[:])
	for _, table := range [][]uint32{
		w.rows, p.entry, p.start, p.words, w.keywords, w.patterns, terms, p.postStart, p.posts,
	} {
		out = appendWords(out, table)
	}
	out = append(out, w.text...)
	return appendWords(out, []uint32{checksum(out)}), nil
}

// header stores the head and returns the header of a file with these tables.
func (m *Matcher) header(w *binaryWriter, head Value) [headerFields]uint32 {
	place := w.add(nil, string(head))
	h := [headerFields]uint32{
		fieldMagic0: binaryMagic0, fieldMagic1: binaryMagic1, fieldVersion: binaryVersion,
		fieldEntries: uint32(len(m.ix.Entries)), fieldRecords: uint32(len(m.post.words)),
		fieldKeywords: uint32(len(w.keywords) / 2), fieldPatterns: uint32(len(w.patterns) / 2),
		fieldTerms: uint32(len(m.post.terms)), fieldPosts: uint32(len(m.post.posts)),
		fieldText: uint32(len(w.text)), fieldHead: place[0], fieldHead + 1: place[1],
	}
	b := m.ix.Budget
	observed := math.NaN()
	if b.AvgObserved != nil {
		observed = *b.AvgObserved
	}
	for i, f := range [...]float64{b.AlwaysLoaded, b.OnDemandTotal, b.AvgTaskLoad, observed} {
		bits := math.Float64bits(f)
		h[fieldBudget+2*i], h[fieldBudget+2*i+1] = uint32(bits), uint32(bits>>32)
	}
	return h
}

// head returns the text of the index with its entries emptied.
func (ix *Index) head() Value {
	if ix.Head != "" {
		return ix.Head
	}
	empty := *ix
	empty.Entries = nil
	return Value(AppendIndex(nil, &empty))
}

// binarySize returns the size in bytes of a file with that header.
func binarySize(h *[headerFields]uint32) uint64 {
	words := headerFields + uint64(h[fieldEntries])*(rowFields+2) + 1 + uint64(h[fieldRecords]) +
		2*uint64(h[fieldKeywords]) + 2*uint64(h[fieldPatterns]) + 3*uint64(h[fieldTerms]) + 1 + uint64(h[fieldPosts])
	return 4*words + uint64(h[fieldText]) + checksumBytes
}

// aboutEntry is about how many bytes of text an entry has.
const aboutEntry = 448

// binaryWriter gathers the texts of a file and the tables that point at them.
type binaryWriter struct {
	text     []byte
	rows     []uint32
	keywords []uint32
	patterns []uint32
}

// add stores a text and appends its place.
func (w *binaryWriter) add(refs []uint32, s string) []uint32 {
	refs = append(refs, uint32(len(w.text)), uint32(len(s)))
	w.text = append(w.text, s...)
	return refs
}

// The flags of a row. The entry's fault is above them.
const (
	flagTask = 1 << iota
	flagPlan
	flagEdit
	flagUnicode
	faultShift = iota
)

// entry appends an entry to the tables. A text that the raw entry holds as it
// is, which is nearly every one, is stored once.
func (w *binaryWriter) entry(e *Entry) {
	raw := string(e.JSON())
	offset := uint32(len(w.text))
	w.rows = w.add(w.rows, raw)
	within := func(refs []uint32, s string) []uint32 {
		if len(raw) <= searchRaw {
			if i := find(raw, s); i >= 0 {
				return append(refs, offset+uint32(i), uint32(len(s)))
			}
		}
		return w.add(refs, s)
	}
	for _, s := range [...]string{e.ID, e.Path, e.Summary, e.Priority} {
		w.rows = within(w.rows, s)
	}
	for _, s := range e.Keywords {
		w.keywords = within(w.keywords, s)
	}
	for _, s := range e.Patterns {
		w.patterns = within(w.patterns, s)
	}
	flags := uint32(e.Fault) << faultShift
	if e.Triggers.Task {
		flags |= flagTask
	}
	if e.Triggers.Plan {
		flags |= flagPlan
	}
	if e.Triggers.Edit {
		flags |= flagEdit
	}
	if e.unicode {
		flags |= flagUnicode
	}
	tokens := e.TokensEst
	if math.IsNaN(tokens) {
		tokens = math.NaN() // there are many: write one
	}
	bits := math.Float64bits(tokens)
	w.rows = append(w.rows, flags, uint32(e.Lines), uint32(bits), uint32(bits>>32),
		uint32(len(e.Keywords)), uint32(len(e.Patterns)))
}

// find returns the offset of s in text, -1 when it is absent. The kernel does
// without the package strings, which would bring the tables of Unicode along.
func find(text, s string) int {
	for i := 0; i+len(s) <= len(text); i++ {
		if text[i:i+len(s)] == s {
			return i
		}
	}
	return -1
}

func appendWords(dst []byte, words []uint32) []byte {
	for _, v := range words {
		dst = append(dst, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return dst
}
