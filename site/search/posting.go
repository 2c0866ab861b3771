package search

import (
	"encoding/binary"

	"github.com/packgen/packgen/resolver/context/rank"
)

// posting is a word in a section.
type posting struct {
	gap   int // from the section before; the first counts from -1
	count [rank.Fields]int
}

// Limits of a posting that is one byte: the word is in the body alone, a few times,
// and the section is one of the next.
const (
	shortGaps   = 16
	shortCounts = 8
	longMark    = 0x80 // other postings start with a byte that has this bit and one for each field
)

// bodyField is the field of which short postings speak.
const bodyField = 2

// appendPosting appends a posting: one byte, (gap-1)<<3 | (count-1), where the word is
// only in the body and both are small; otherwise a byte that marks the fields, the
// gap, and the count of each field.
func appendPosting(b []byte, p posting) []byte {
	mask, short := 0, p.gap <= shortGaps
	for f, n := range p.count {
		if n > 0 {
			mask |= 1 << f
		}
	}
	if n := p.count[bodyField]; short && mask == 1<<bodyField && n <= shortCounts {
		return append(b, byte((p.gap-1)<<3|(n-1)))
	}
	b = append(b, longMark|byte(mask))
	b = binary.AppendUvarint(b, uint64(p.gap))
	for _, n := range p.count {
		if n > 0 {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return b
}

// maxCount is more than a section can hold of anything.
const maxCount = 1 << 31

// cutPosting reads the posting at the start of a text; false when there is none.
func cutPosting(s string) (p posting, rest string, ok bool) {
	if s == "" {
		return p, "", false
	}
	first := s[0]
	s = s[1:]
	if first < longMark {
		p.gap = int(first>>3) + 1
		p.count[bodyField] = int(first&7) + 1
		return p, s, true
	}
	number := func() (n int) {
		var whole bool
		if n, s, whole = cutNumber(s); !whole || n == 0 {
			ok = false
		}
		return n
	}
	const marks = longMark | (1<<rank.Fields - 1)
	ok = first&^marks == 0
	p.gap = number()
	for f := range p.count {
		if first&(1<<f) != 0 {
			p.count[f] = number()
		}
	}
	return p, s, ok && first != longMark
}

// cutNumber reads the number at the start of a text; false when there is none.
func cutNumber(s string) (n int, rest string, ok bool) {
	if s != "" && s[0] < 0x80 {
		return int(s[0]), s[1:], true
	}
	for i := 0; i < len(s) && i < binary.MaxVarintLen32; i++ {
		n |= int(s[i]&0x7f) << (7 * i)
		if s[i] < 0x80 {
			return n, s[i+1:], n <= maxCount
		}
	}
	return 0, "", false
}
