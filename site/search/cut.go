package search

import (
	"slices"

	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/site/shard"
)

// A word that very many sections hold is cut in two: the sections in which it weighs
// most are in the file of words, the others in a file of their own. A query that is being
// typed reads the first part alone.
const (
	mostWhole = 8192 // sections of a word that is not cut
	mostFirst = 4096 // sections of the first part
)

// weights is how finely the weight of a word in a section is known, to find the first
// part.
const weights = 4096

// typical is the number of words in a section, by field, as a power of two: so that a
// small change of the site does not change which sections are in a first part.
func typical(totals []int, sections int) (t [rank.Fields]int) {
	for f := range t {
		t[f] = 1
		for sections > 0 && 2*t[f]*sections <= totals[f] {
			t[f] *= 2
		}
	}
	return t
}

// weigher computes how much a word weighs in a section.
type weigher struct {
	rules   *rank.Rules
	typical [rank.Fields]int
	known   [shortCounts][]uint16 // weights of short postings, by count and length
}

// field is what a field that holds a word that often adds to its weight.
func (w *weigher) field(f, count, length int) float64 {
	b := w.rules.Lengths[f]
	return w.rules.Weights[f] * float64(count) / (1 - b + b*float64(length)/float64(w.typical[f]))
}

// maxKnown is the length in words up to which the weights of short postings are known.
const maxKnown = 1 << 11

// short is the weight of a word that the body alone holds a few times.
func (w *weigher) short(count, length int) uint16 {
	if length >= maxKnown {
		return w.scale(w.field(bodyField, count, length), 0)
	}
	known := &w.known[count-1]
	if *known == nil {
		*known = make([]uint16, maxKnown)
		for n := range *known {
			(*known)[n] = w.scale(w.field(bodyField, count, n), 0)
		}
	}
	return (*known)[length]
}

// scale makes a weight of what the fields add; heading is 1 where a heading holds the word.
func (w *weigher) scale(sum, heading float64) uint16 {
	share := sum / (w.rules.Saturation + sum)
	share += w.rules.Heading * (heading - share)
	return uint16(min(share*weights, weights-1))
}

// walk goes over the postings of a word in a pack. There are millions: it moves by
// numbers, not by shorter and shorter texts.
type walk struct {
	postings, lengths string
	from, to          int // the posting
	first, last       int // its lengths
	gap               int
}

// next reads a posting and returns its weight; false at the end, or when it is damaged.
func (x *walk) next(w *weigher) (weight uint16, ok bool) {
	x.from, x.first = x.to, x.last
	if x.from == len(x.postings) {
		return 0, false
	}
	if first := x.postings[x.from]; first < longMark {
		length, rest, ok := cutNumber(x.lengths[x.first:])
		if !ok {
			return 0, false
		}
		x.gap, x.to, x.last = int(first>>3)+1, x.from+1, len(x.lengths)-len(rest)
		return w.short(int(first&7)+1, length), true
	}
	one, rest, ok := cutPosting(x.postings[x.from:])
	lengths, sum, heading := x.lengths[x.first:], 0.0, 0.0
	for f, n := range one.count {
		if n == 0 || !ok {
			continue
		}
		if slices.Contains(w.rules.Headings, f) {
			heading = 1
		}
		var length int
		if length, lengths, ok = cutNumber(lengths); ok {
			sum += w.field(f, n, length)
		}
	}
	if !ok {
		return 0, false
	}
	x.gap, x.to, x.last = one.gap, len(x.postings)-len(rest), len(x.lengths)-len(lengths)
	return w.scale(sum, heading), true
}

// cut cuts a word in two and puts the second part, whose name it returns.
func (x *wordFiles) cut(packs []packWords) (first []packWords, rest string, err error) {
	var counts [weights]int
	for i := range packs {
		at := walk{postings: packs[i].postings, lengths: packs[i].lengths}
		for weight, ok := at.next(&x.weigher); ok; weight, ok = at.next(&x.weigher) {
			counts[weight]++
		}
		if at.to < len(at.postings) {
			return nil, "", errDamaged
		}
	}
	least, room := weights, mostFirst // of the weight least, that many are still taken
	for least > 0 && counts[least-1] <= room {
		least--
		room -= counts[least]
	}
	least--
	halves := [2][]half{make([]half, len(packs)), make([]half, len(packs))}
	for i := range packs {
		at := walk{postings: packs[i].postings, lengths: packs[i].lengths}
		for weight, ok := at.next(&x.weigher); ok; weight, ok = at.next(&x.weigher) {
			which := 1
			if int(weight) > least {
				which = 0
			} else if int(weight) == least && room > 0 {
				which = 0
				room--
			}
			halves[1-which][i].since += at.gap
			halves[which][i].add(&at)
		}
	}
	data := appendPacks(nil, joined(packs, halves[1]))
	name := shard.Name(data)
	return joined(packs, halves[0]), name, x.Put(shard.File{Path: pathOf(name), Data: data})
}

// half is one part of the postings of a pack.
type half struct {
	since    int // sections since the last one of this part, of the other part
	sections int
	postings []byte
	lengths  []byte
}

// add adds the posting that a walk is at: its bytes, when its gap is the same in this part.
func (h *half) add(x *walk) {
	if h.since == 0 {
		h.postings = append(h.postings, x.postings[x.from:x.to]...)
	} else {
		one, _, _ := cutPosting(x.postings[x.from:x.to]) // read before
		one.gap += h.since
		h.postings = appendPosting(h.postings, one)
		h.since = 0
	}
	h.lengths = append(h.lengths, x.lengths[x.first:x.last]...)
	h.sections++
}

// joined are the packs of which a part has sections.
func joined(packs []packWords, halves []half) []packWords {
	var list []packWords
	for i, h := range halves {
		if h.sections > 0 {
			list = append(list, packWords{packs[i].pack, h.sections, string(h.postings), string(h.lengths)})
		}
	}
	return list
}
