package search

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/site/shard"
)

// list is the postings of a word while they are collected.
type list struct {
	sections int // that hold the word
	last     int // the last of them
	postings []byte
	lengths  []byte // words in the fields that hold it, of each section in turn
}

// add adds the posting of a section, which is after all of the list.
func (l *list) add(section int, count, lengths [rank.Fields]int) {
	l.postings = appendPosting(l.postings, posting{section - l.last, count})
	for f, n := range count {
		if n > 0 {
			l.lengths = binary.AppendUvarint(l.lengths, uint64(lengths[f]))
		}
	}
	l.sections++
	l.last = section
}

// lists are the words of a unit or a pack, by stem.
type lists map[string]*list

func (l lists) of(stem string) *list {
	words := l[stem]
	if words == nil {
		words = &list{last: -1}
		l[stem] = words
	}
	return words
}

// maxTally is the number of stems up to which a tally is used again: it remembers
// all of them.
const maxTally = 1 << 15

// tally counts words, and has room for their postings.
type tally struct {
	*rank.Tally
	lists   []list // by the number of the stem; empty between files
	touched []int
	w       store.Writer
}

var tallies = sync.Pool{New: func() any { return &tally{Tally: rank.NewTally()} }}

func (t *tally) release() {
	if t.Stems() <= maxTally {
		tallies.Put(t)
	}
}

// add adds the posting of a section to the list of a stem.
func (t *tally) add(stem, section int, count, lengths [rank.Fields]int) {
	for len(t.lists) <= stem {
		t.lists = append(t.lists, list{last: -1})
	}
	l := &t.lists[stem]
	if l.sections == 0 {
		t.touched = append(t.touched, stem)
	}
	l.add(section, count, lengths)
}

// Note returns what the search keeps of a file: the counts of its sections.
func Note(sections []rank.Section) string {
	if len(sections) == 0 {
		return ""
	}
	t := tallies.Get().(*tally)
	defer t.release()
	w := &t.w
	w.Reset()
	w.Uint(len(sections))
	for i := range sections {
		terms, lengths := t.Of(&sections[i])
		for _, n := range lengths {
			w.Uint(n)
		}
		for _, term := range terms {
			t.add(term.Stem, i, term.Count, lengths)
		}
	}
	slices.SortFunc(t.touched, func(a, b int) int { return strings.Compare(t.Stem(a), t.Stem(b)) })
	w.Uint(len(t.touched))
	for _, stem := range t.touched {
		l := &t.lists[stem]
		l.write(w, t.Stem(stem), 0)
		*l = list{last: -1, postings: l.postings[:0], lengths: l.lengths[:0]}
	}
	t.touched = t.touched[:0]
	return w.Text()
}

// Ranges is how many ranges of stems the words of a pack are written in, so that an index
// of many packs reads those of one range at a time.
const Ranges = len(rangeStarts) + 1

// rangeStarts are the stems that all but the first range begin with: about as many words
// are in each.
var rangeStarts = [...]string{"b", "c", "d", "e", "g", "i", "m", "o", "p", "r", "s", "st", "t", "u"}

// end hands on the words of each range in the order of their stems, valid until the next. What
// was handed on is no longer held. Sections are counted from base on.
func (l lists) end(keep func(words []byte), base int) {
	stems := slices.Sorted(maps.Keys(l))
	w := store.NewWriter(1 << 12)
	for i := range Ranges {
		n := len(stems)
		if i < len(rangeStarts) {
			n, _ = slices.BinarySearch(stems, rangeStarts[i])
		}
		w.Reset()
		l.writeStems(w, stems[:n], base)
		keep(w.Bytes())
		stems = stems[n:]
	}
}

// write writes all words in the order of their stems.
func (l lists) write(w *store.Writer, base int) {
	l.writeStems(w, slices.Sorted(maps.Keys(l)), base)
}

func (l lists) writeStems(w *store.Writer, stems []string, base int) {
	w.Uint(len(stems))
	for _, stem := range stems {
		l[stem].write(w, stem, base)
		delete(l, stem)
	}
}

// write writes a word. Sections are counted from base on, as the first posting does.
func (l *list) write(w *store.Writer, stem string, base int) {
	w.Str(stem)
	w.Uint(l.sections)
	w.Uint(l.last - base)
	w.Uint(len(l.postings))
	w.Raw(l.postings)
	w.Uint(len(l.lengths))
	w.Raw(l.lengths)
}

// leastWord is the least size of a word in what write writes, in bytes.
const leastWord = 5

// noted is a file's note, open.
type noted struct {
	lengths [][rank.Fields]int
	words   store.Reader // of the rest
	n       int          // words in it
}

// openNote reads the start of a note; false when it is damaged.
func openNote(note string) (*noted, bool) {
	r := store.NewReader(note)
	x := &noted{lengths: make([][rank.Fields]int, r.CountOf(rank.Fields))}
	for i := range x.lengths {
		for f := range rank.Fields {
			x.lengths[i][f] = r.Uint()
		}
	}
	x.n = r.CountOf(leastWord)
	x.words = *r
	return x, x.n > 0 || r.Done()
}

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
