package search

import (
	"slices"

	"github.com/packgen/packgen/resolver/context/rank"
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
}

// field is what a field that holds a word that often adds to its weight.
func (w *weigher) field(f, count, length int) float64 {
	b := w.rules.Lengths[f]
	return w.rules.Weights[f] * float64(count) / (1 - b + b*float64(length)/float64(w.typical[f]))
}

// weighed is a posting of a word that is cut.
type weighed struct {
	pack, weight, gap int32
	at, end           int32 // of its bytes in the postings of its pack
	lengths, last     int32 // of its bytes in the lengths
}

// weigh reads the postings of a pack; false when they are damaged.
func (w *weigher) weigh(list []weighed, pack int, words *packWords) ([]weighed, bool) {
	postings, lengths := words.postings, words.lengths
	for postings != "" {
		sum, heading, from := 0.0, 0.0, len(lengths)
		p, rest, ok := cutPosting(postings)
		for f, n := range p.count {
			if n > 0 && ok {
				if slices.Contains(w.rules.Headings, f) {
					heading = 1
				}
				var length int
				if length, lengths, ok = cutNumber(lengths); ok {
					sum += w.field(f, n, length)
				}
			}
		}
		if !ok {
			return nil, false
		}
		share := sum / (w.rules.Saturation + sum)
		share += w.rules.Heading * (heading - share)
		list = append(list, weighed{
			pack: int32(pack), weight: int32(min(share*weights, weights-1)), gap: int32(p.gap),
			at: int32(len(words.postings) - len(postings)), end: int32(len(words.postings) - len(rest)),
			lengths: int32(len(words.lengths) - from), last: int32(len(words.lengths) - len(lengths)),
		})
		postings = rest
	}
	return list, true
}

// cut cuts a word in two and puts the second part, whose name it returns.
func (x *wordFiles) cut(packs []packWords) (first []packWords, rest string, err error) {
	list, ok := x.weighed[:0], true
	for i := range packs {
		if list, ok = x.weigher.weigh(list, i, &packs[i]); !ok {
			return nil, "", errDamaged
		}
	}
	x.weighed = list
	var counts [weights]int
	for i := range list {
		counts[list[i].weight]++
	}
	least, room := weights, mostFirst // of the weight least, so many are still taken
	for least > 0 && counts[least-1] <= room {
		least--
		room -= counts[least]
	}
	least--
	halves := [2][]half{make([]half, len(packs)), make([]half, len(packs))}
	for i := range list {
		p := &list[i]
		which := 1
		if int(p.weight) > least {
			which = 0
		} else if int(p.weight) == least && room > 0 {
			which = 0
			room--
		}
		halves[1-which][p.pack].since += int(p.gap)
		halves[which][p.pack].add(p, &packs[p.pack])
	}
	data := appendPacks(nil, joined(packs, halves[1]))
	name := nameOf(data)
	return joined(packs, halves[0]), name, x.put(File{Path: pathOf(name), Data: data})
}

// half is one part of the postings of a pack.
type half struct {
	since    int // sections since the last one of this part, of the other part
	sections int
	postings []byte
	lengths  []byte
}

// add adds a posting of a word: its bytes, when its gap is the same in this part.
func (h *half) add(p *weighed, words *packWords) {
	bytes := words.postings[p.at:p.end]
	if h.since == 0 {
		h.postings = append(h.postings, bytes...)
	} else {
		one, _, _ := cutPosting(bytes) // read before
		one.gap += h.since
		h.postings = appendPosting(h.postings, one)
		h.since = 0
	}
	h.lengths = append(h.lengths, words.lengths[p.lengths:p.last]...)
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
