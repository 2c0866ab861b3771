package rank

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/packgen/packgen/resolver/context/parallel"
)

// Index holds what BM25F counts in sections, so that a query can be scored without
// their texts. Scores over an index equal those over the texts.
type Index struct {
	lengths []sectionLength
	terms   int
	records []byte // of the terms, in the order of their stems
}

type sectionLength [fieldCount]int

// posting is a term in one section.
type posting struct {
	section int
	count   [fieldCount]int
}

// NewIndex counts the words of sections.
func NewIndex(sections []Section) *Index {
	x := &Index{lengths: make([]sectionLength, len(sections))}
	type part struct {
		from  int
		found map[string][]posting
	}
	var parts []part
	var lock sync.Mutex
	parallel.Ranges(len(sections), func(from, to int) {
		c := &counter{all: map[string]int{}}
		found := map[string][]posting{}
		for i := from; i < to; i++ {
			out := c.count(&sections[i])
			x.lengths[i] = out.length
			for _, h := range out.hits {
				found[c.stems[h.term]] = append(found[c.stems[h.term]], posting{i, h.count})
			}
		}
		lock.Lock()
		defer lock.Unlock()
		parts = append(parts, part{from, found})
	})
	slices.SortFunc(parts, func(a, b part) int { return a.from - b.from })
	all := map[string][]posting{}
	for _, p := range parts {
		for stem, list := range p.found {
			all[stem] = append(all[stem], list...)
		}
	}
	for _, stem := range slices.Sorted(maps.Keys(all)) {
		x.add(stem, all[stem])
	}
	return x
}

// add appends the record of a term: its stem, the length of what follows, and for each
// section the distance from the one before, the fields with a count, and the counts.
func (x *Index) add(stem string, list []posting) {
	var body []byte
	before := -1
	for _, p := range list {
		body = binary.AppendUvarint(body, uint64(p.section-before))
		before = p.section
		mask := byte(0)
		for f, n := range p.count {
			if n > 0 {
				mask |= 1 << f
			}
		}
		body = append(body, mask)
		for _, n := range p.count {
			if n > 0 {
				body = binary.AppendUvarint(body, uint64(n))
			}
		}
	}
	x.records = binary.AppendUvarint(x.records, uint64(len(stem)))
	x.records = append(x.records, stem...)
	x.records = binary.AppendUvarint(x.records, uint64(len(body)))
	x.records = append(x.records, body...)
	x.terms++
}

// Len is the number of sections.
func (x *Index) Len() int { return len(x.lengths) }

// Append appends the index to a file. It ends where it ends: nothing may follow it.
func (x *Index) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(x.lengths)))
	for _, lengths := range x.lengths {
		for _, n := range lengths {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	b = binary.AppendUvarint(b, uint64(x.terms))
	return append(b, x.records...)
}

// errIndex marks bytes that are not an index.
var errIndex = errors.New("read an index of words: the bytes are not an index")

// ReadIndex reads what Append wrote. The index keeps the bytes.
func ReadIndex(b []byte) (*Index, error) {
	r := &varints{rest: b}
	n := r.next(len(b))
	x := &Index{lengths: make([]sectionLength, n)}
	for i := range x.lengths {
		for f := range fieldCount {
			x.lengths[i][f] = r.next(math.MaxInt32)
		}
	}
	x.terms = r.next(len(b))
	if r.bad {
		return nil, errIndex
	}
	x.records = r.rest
	return x, nil
}

// counts finds the terms of a query in every section.
func (x *Index) counts(q *parsedQuery) ([]counted, error) {
	out := make([]counted, len(x.lengths))
	for i, lengths := range x.lengths {
		out[i].length = lengths
	}
	r := &varints{rest: x.records}
	for range x.terms {
		stem := r.bytes(r.next(len(r.rest)))
		body := r.bytes(r.next(len(r.rest)))
		if r.bad {
			return nil, errIndex
		}
		if t, ok := q.byStem[string(stem)]; ok && !take(out, t, body) {
			return nil, errIndex
		}
	}
	for i := range out {
		sortTerms(out[i].hits)
	}
	return out, nil
}

// take adds the record of a term to the counts; false if it is not one.
func take(out []counted, term int, body []byte) bool {
	r := &varints{rest: body}
	section := -1
	for len(r.rest) > 0 && !r.bad {
		section += r.next(len(out))
		mask := r.bytes(1)
		if r.bad || section < 0 || section >= len(out) {
			return false
		}
		hit := termCount{term: term}
		for f := range fieldCount {
			if mask[0]&(1<<f) != 0 {
				hit.count[f] = r.next(math.MaxInt32)
			}
		}
		out[section].hits = append(out[section].hits, hit)
	}
	return !r.bad
}

// varints reads numbers and bytes; after a fault it is bad and reads nothing.
type varints struct {
	rest []byte
	bad  bool
}

// next reads a number of at most most; 0 when there is none.
func (r *varints) next(most int) int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > uint64(most) {
		r.bad = true
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

// bytes reads so many bytes.
func (r *varints) bytes(n int) []byte {
	if r.bad || n > len(r.rest) {
		r.bad = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// ScoreIndex is Score over an index of the sections, whose texts and questions are not
// looked at. The error says that the index is damaged.
func (b BM25F) ScoreIndex(query string, x *Index, sections []Section) (Ranking, error) {
	q := parseQuery(query)
	if x.Len() != len(sections) {
		return nil, errIndex
	}
	counts, err := x.counts(q)
	if err != nil {
		return nil, err
	}
	return b.rank(q, sections, counts), nil
}
