package search

import (
	"encoding/binary"
	"maps"
	"slices"
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
const maxTally = 1 << 16

// tally counts, and knows how many stems it has seen at most.
type tally struct {
	*rank.Tally
	seen int
}

var tallies = sync.Pool{New: func() any { return &tally{Tally: rank.NewTally()} }}

func (t *tally) of(s *rank.Section) ([]rank.Term, [rank.Fields]int) {
	terms, lengths := t.Of(s)
	t.seen += len(terms)
	return terms, lengths
}

func (t *tally) release() {
	if t.seen <= maxTally {
		tallies.Put(t)
	}
}

// Note returns what the search keeps of a file: the counts of its sections.
func Note(sections []rank.Section) string {
	if len(sections) == 0 {
		return ""
	}
	t := tallies.Get().(*tally)
	defer t.release()
	w := store.NewWriter(1 << 11)
	w.Uint(len(sections))
	words := lists{}
	for i := range sections {
		terms, lengths := t.of(&sections[i])
		for _, n := range lengths {
			w.Uint(n)
		}
		for _, term := range terms {
			words.of(term.Stem).add(i, term.Count, lengths)
		}
	}
	words.write(w)
	return w.Text()
}

// leastWord is the least size of a word in what write writes, in bytes.
const leastWord = 5

// write writes the words in the order of their stems.
func (l lists) write(w *store.Writer) {
	w.Uint(len(l))
	for _, stem := range slices.Sorted(maps.Keys(l)) {
		words := l[stem]
		w.Str(stem)
		w.Uint(words.sections)
		w.Uint(words.last)
		w.Str(string(words.postings))
		w.Str(string(words.lengths))
	}
}

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
