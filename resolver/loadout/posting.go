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

// posted is what one list says of an entry.
type posted struct {
	flags   byte
	singles int
	parts   []part
}

// Post hands on the keys of the lists that an entry is in, each once and in no order that
// means anything, with its posting in the list.
func Post(e *Entry, yield func(key string, posting []byte)) {
	if e.unusable() {
		return
	}
	mode := e.recordMode()
	if mode == recordEager {
		yield(coreKey, e.appendPosting(nil, posted{flags: byte(mode)}))
		return
	}
	var keys []string
	lists := map[string]*posted{}
	at := func(key string) *posted {
		if lists[key] == nil {
			keys, lists[key] = append(keys, key), &posted{flags: byte(mode)}
		}
		return lists[key]
	}
	for i, k := range e.Keywords {
		words, ok := e.pieces(k, false)
		if !ok {
			continue // it can never hit
		}
		for _, word := range words {
			if p := at(word); len(words) == 1 {
				p.singles++
			} else {
				p.parts = append(p.parts, part{i, len(words)})
			}
		}
	}
	for _, text := range e.Patterns {
		words, _ := e.pieces(text, true)
		for _, word := range words {
			at(word).flags |= postPattern
		}
	}
	if mode == recordLazy {
		(&weigher{}).eachStem(e, func(stem []byte, inSummary bool) {
			if key := stemMark + string(stem); lists[key] == nil && inSummary {
				at(key).flags |= postSummary
			} else {
				at(key)
			}
		})
	}
	for _, key := range keys {
		yield(key, e.appendPosting(nil, *lists[key]))
	}
}

// appendPosting appends a posting.
func (e *Entry) appendPosting(dst []byte, p posted) []byte {
	p.flags |= byte(min(p.singles, postSingles)) << postSingle
	if len(p.parts) > 0 {
		p.flags |= postParts
	}
	dst = append(dst, p.flags)
	if p.singles >= postSingles {
		dst = AppendVarint(dst, p.singles-postSingles)
	}
	dst = AppendVarint(dst, len(e.Keywords))
	switch n := e.TokensEst; {
	case math.IsNaN(n):
		dst = append(dst, postUnknown)
	case n == math.Trunc(n) && n >= 0 && n < 1<<30:
		dst = AppendVarint(dst, int(n)+postTokens)
	default:
		dst = append(dst, postFloat)
		for bits, i := math.Float64bits(n), 0; i < 64; i += 8 {
			dst = append(dst, byte(bits>>i))
		}
	}
	if len(p.parts) > 0 {
		dst = AppendVarint(dst, len(p.parts))
		for _, x := range p.parts {
			dst = AppendVarint(AppendVarint(dst, x.place), x.words)
		}
	}
	return dst
}
