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
	lengths []byte // of the sections: for each field four bytes, then four of its group
	total   sectionTotal
	terms   int
	records []byte // of the terms, in the order of their stems
}

type sectionLength [fieldCount]int

// sectionBytes is the size of a section in an index.
const sectionBytes = 4 * (fieldCount + 1)

// NewIndex counts the words of sections.
func NewIndex(sections []Section) *Index {
	x := &Index{}
	lengths := make([]sectionLength, len(sections))
	type part struct {
		from  int
		found map[string][]posting
	}
	var parts []part
	var lock sync.Mutex
	parallel.Ranges(len(sections), func(from, to int) {
		c := NewTally()
		found := map[string][]posting{}
		for i := from; i < to; i++ {
			var terms []Term
			terms, lengths[i] = c.Of(&sections[i])
			for _, t := range terms {
				found[c.stems[t.Stem]] = append(found[c.stems[t.Stem]], posting{i, t.Count})
			}
		}
		lock.Lock()
		defer lock.Unlock()
		parts = append(parts, part{from, found})
	})
	groups := map[string]uint32{"": 0} // numbers of documents
	for i := range sections {
		group, ok := groups[sections[i].Document]
		if !ok {
			group = uint32(len(groups))
			groups[sections[i].Document] = group
		}
		for f, n := range lengths[i] {
			x.total[f] += float64(n)
			x.lengths = binary.LittleEndian.AppendUint32(x.lengths, uint32(n))
		}
		x.lengths = binary.LittleEndian.AppendUint32(x.lengths, group)
	}
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
func (x *Index) Len() int { return len(x.lengths) / sectionBytes }

// length is that of the fields of a section.
func (x *Index) length(section int) (length sectionLength) {
	for f := range length {
		length[f] = int(binary.LittleEndian.Uint32(x.lengths[section*sectionBytes+4*f:]))
	}
	return length
}

// groups are the numbers of the documents of all sections.
func (x *Index) groups() []uint32 {
	groups := make([]uint32, x.Len())
	for i := range groups {
		groups[i] = binary.LittleEndian.Uint32(x.lengths[(i+1)*sectionBytes-4:])
	}
	return groups
}

// Append appends the index to a file. It ends where it ends: nothing may follow it.
func (x *Index) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(x.Len()))
	for _, sum := range x.total {
		b = binary.AppendUvarint(b, uint64(sum))
	}
	b = append(b, x.lengths...)
	b = binary.AppendUvarint(b, uint64(x.terms))
	return append(b, x.records...)
}

// errIndex marks bytes that are not an index.
var errIndex = errors.New("read an index of words: the bytes are not an index")

// ReadIndex reads what Append wrote. The index keeps the bytes.
func ReadIndex(b []byte) (*Index, error) {
	r := &varints{rest: b}
	n := r.next(len(b))
	x := &Index{}
	for f := range x.total {
		x.total[f] = float64(r.next(math.MaxInt32))
	}
	x.lengths = r.bytes(n * sectionBytes)
	x.terms = r.next(len(b))
	if r.bad {
		return nil, errIndex
	}
	x.records = r.rest
	return x, nil
}

// find finds the terms of a query.
func (x *Index) find(q *parsedQuery) (occurrences, error) {
	o := occurrences{postings: make([][]posting, len(q.terms)), length: x.length, total: x.total, groups: x.groups(), versions: versions{}}
	r := &varints{rest: x.records}
	for range x.terms {
		stem := r.bytes(r.next(len(r.rest)))
		body := r.bytes(r.next(len(r.rest)))
		if r.bad {
			return o, errIndex
		}
		numbered := len(stem) > 1 && stem[0] == 'v' && isNumbered(string(stem))
		if !numbered && !q.mayBe(stem) {
			continue
		}
		t, asked := q.byStem[string(stem)]
		if !asked && !numbered {
			continue
		}
		list, ok := x.postings(body)
		if !ok {
			return o, errIndex
		}
		if asked {
			o.postings[t] = list
		}
		for _, p := range list {
			if numbered && p.count[fieldTitle] > 0 {
				o.versions.add(p.section, string(stem))
			}
		}
	}
	return o, nil
}

// postings reads the record of a term; false when it is not one.
func (x *Index) postings(body []byte) ([]posting, bool) {
	list := make([]posting, 0, len(body)/3+1)
	r := &varints{rest: body}
	p := posting{section: -1}
	for len(r.rest) > 0 && !r.bad {
		step := r.next(x.Len())
		mask := r.bytes(1)
		p.section += step
		if r.bad || step == 0 || p.section >= x.Len() {
			return nil, false
		}
		p.count = [fieldCount]int{}
		for f := range fieldCount {
			if mask[0]&(1<<f) != 0 {
				p.count[f] = r.next(math.MaxInt32)
			}
		}
		list = append(list, p)
	}
	return list, !r.bad
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

// bytes reads that many bytes.
func (r *varints) bytes(n int) []byte {
	if r.bad || n > len(r.rest) {
		r.bad = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}
