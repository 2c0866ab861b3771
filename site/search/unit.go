package search

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/context/rank"
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
