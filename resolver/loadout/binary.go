package loadout

import (
	"hash/crc32"
	"math"
	"strings"
)

// The prebuilt index, index.bin: an index together with its postings. All
// numbers are little endian, all offsets count bytes from the start of the text.
//
//	header    16 × uint32 (see the field constants below)
//	tokens    entries × float64, NaN for an unknown estimate
//	rows      entries × 12 × uint32: five texts (raw, id, path, summary,
//	          priority) as offset and size, flags, lines
//	ranks     entries × uint32
//	keywords  start (entries+1), texts (2 × keywords), term start (keywords+1), terms
//	patterns  the same
//	terms     texts (2 × terms), post start (terms+1), posts
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
	fieldKeywords
	fieldKeywordTerms
	fieldPatterns
	fieldPatternTerms
	fieldTerms
	fieldPosts
	fieldText     // bytes
	fieldHead     // offset in text
	fieldHeadSize // bytes
	headerFields  = 16
)

const (
	rowFields     = 12
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

// castagnoli makes the CRC-32C table once; the package that owns it caches it.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// Marshal returns the index and its postings as the bytes of an index.bin.
// An index that would pass 1 GiB is a *BinaryError.
func (m *Matcher) Marshal() ([]byte, error) {
	w := &binaryWriter{}
	ix, p := m.ix, m.post
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
	head := w.add(nil, string(ix.head()))

	header := [headerFields]uint32{
		fieldMagic0: binaryMagic0, fieldMagic1: binaryMagic1, fieldVersion: binaryVersion,
		fieldEntries:  uint32(len(ix.Entries)),
		fieldKeywords: uint32(len(w.keywords) / 2), fieldKeywordTerms: uint32(len(p.keywords.term)),
		fieldPatterns: uint32(len(w.patterns) / 2), fieldPatternTerms: uint32(len(p.patterns.term)),
		fieldTerms: uint32(len(p.terms)), fieldPosts: uint32(len(p.posts)),
		fieldText: uint32(len(w.text)), fieldHead: head[0], fieldHeadSize: head[1],
	}
	size := binarySize(&header)
	if size > maxBinary {
		return nil, errBinaryLarge
	}
	out := appendWords(make([]byte, 0, size), header[:])
	for i := range ix.Entries {
		out = appendFloat(out, ix.Entries[i].TokensEst)
	}
	for _, table := range [][]uint32{
		w.rows, p.rank,
		p.keywords.start, w.keywords, p.keywords.termStart, p.keywords.term,
		p.patterns.start, w.patterns, p.patterns.termStart, p.patterns.term,
		terms, p.postStart, p.posts,
	} {
		out = appendWords(out, table)
	}
	out = append(out, w.text...)
	return appendWords(out, []uint32{crc32.Checksum(out, castagnoli())}), nil
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
	n, terms := uint64(h[fieldEntries]), uint64(h[fieldTerms])
	words := headerFields + n*(2+rowFields+1) +
		pieceWords(n, uint64(h[fieldKeywords]), uint64(h[fieldKeywordTerms])) +
		pieceWords(n, uint64(h[fieldPatterns]), uint64(h[fieldPatternTerms])) +
		2*terms + terms + 1 + uint64(h[fieldPosts])
	return 4*words + uint64(h[fieldText]) + checksumBytes
}

func pieceWords(entries, slots, terms uint64) uint64 {
	return entries + 1 + 2*slots + slots + 1 + terms
}

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

// The flags of a row. The entry's fault stands above them.
const (
	flagTask = 1 << iota
	flagPlan
	flagEdit
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
			if i := strings.Index(raw, s); i >= 0 {
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
	w.rows = append(w.rows, flags, uint32(e.Lines))
}

func appendWords(dst []byte, words []uint32) []byte {
	for _, v := range words {
		dst = append(dst, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return dst
}

func appendFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) {
		f = math.NaN() // one form
	}
	bits := math.Float64bits(f)
	return appendWords(dst, []uint32{uint32(bits), uint32(bits >> 32)})
}
