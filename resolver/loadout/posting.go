package loadout

import "math"

// The lists of an index that is cut into small files, by key: a word of a task as the
// tokenizers cut it, the stem of a word after stemMark, and coreKey for the core entries,
// which no word decides on. All that scoring an entry needs of it is in its postings, so
// that the lists of the words of a task are enough to say which entries it loads, in which
// order and at what cost; see [Excerpt].
const (
	coreKey  = ""
	stemMark = "~" // after all other first characters of a key
)

// A posting is a byte of what follows, how many keywords the entry has, its tokens, and
// the keywords of several words that the word is a part of. Numbers are unsigned varints.
const (
	postMode    = 3      // the bits of the mode, as in a record; unusable entries have no postings
	postPattern = 1 << 2 // the word is in a pattern
	postSummary = 1 << 3 // the stem is in the summary alone
	postParts   = 1 << 4 // keywords of several words follow: the number of them, then place and words of each
	postSingle  = 5      // from here: how many keywords are the word alone
	postSingles = 7      // so many and more: the rest follows
)

// Tokens of a posting.
const (
	postUnknown = 0 // there is no estimate
	postFloat   = 1 // eight bytes follow
	postTokens  = 2 // and more: the estimate and this
)

// part is a keyword of several words, one of which is the word of a list.
type part struct{ place, words int }

// AppendVarint appends a number as an unsigned varint.
func AppendVarint(dst []byte, n int) []byte {
	for ; n >= 0x80; n >>= 7 {
		dst = append(dst, byte(n)|0x80)
	}
	return append(dst, byte(n))
}

// varints reads numbers and texts; what does not fit makes it damaged, and empty.
type varints struct {
	text    string
	damaged bool
}

func (v *varints) byte() byte {
	if v.text == "" {
		v.damaged = true
		return 0
	}
	b := v.text[0]
	v.text = v.text[1:]
	return b
}

func (v *varints) number() (n int) {
	for shift := 0; ; shift += 7 {
		b := v.byte()
		n |= int(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
		if shift > 21 { // more than anything here is
			v.fail()
			return 0
		}
	}
}

func (v *varints) cut() string {
	n := v.number()
	if n > len(v.text) {
		v.fail()
		return ""
	}
	s := v.text[:n]
	v.text = v.text[n:]
	return s
}

func (v *varints) fail() { v.text, v.damaged = "", true }

// tokens reads the tokens of a posting.
func (v *varints) tokens() float64 {
	switch n := v.number(); n {
	case postUnknown:
		return math.NaN()
	case postFloat:
		bits := uint64(0)
		for i := 0; i < 64; i += 8 {
			bits |= uint64(v.byte()) << i
		}
		return math.Float64frombits(bits)
	default:
		return float64(n - postTokens)
	}
}
