package loadout

// The prebuilt index, index.bin: an index together with its postings. All
// numbers are little endian; a text is as offset and size, in bytes, in the
// text section.
//
//	header    20 × uint32 (the field constants below)
//	rows      entries × 16 × uint32: five texts (raw, id, path, summary,
//	          priority), flags, lines, the estimate as a float64, how many
//	          keywords and patterns
//	records   entry (entries), start (entries + 1), words: see scorerecords.go
//	texts     of all keywords, all patterns, all terms: 2 × uint32 each
//	postings  start (terms + 1), posts
//	text      bytes; they may end in the stems of the weighted dialect, see stempostings.go
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

// The flags of a row. The entry's fault is above them.
const (
	flagTask = 1 << iota
	flagPlan
	flagEdit
	flagUnicode
	faultShift = iota
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
