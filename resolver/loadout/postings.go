package loadout

import "slices"

// postings is the inverted index of an Index: for each word the entries whose
// keywords or patterns hold it. A word is known by its number, its place in
// terms.
//
// An entry is posted under the first piece of each keyword (all pieces have to
// hit, so any one finds it) and under every piece of each pattern (one is
// enough). Keywords and patterns that cannot hit are posted nowhere; neither
// are core entries, which need no words.
type postings struct {
	records
	terms     []string // sorted
	postStart []uint32 // by term: start of its entries in posts; one more at the end
	posts     []uint32 // ranks, ascending for each term
}

// buildPostings makes the inverted index of entries.
func buildPostings(entries []Entry) *postings {
	b := newBuilder()
	for i := range entries {
		b.add(&entries[i])
	}
	return b.postings()
}

// postings returns the inverted index of the entries that were added.
func (b *builder) postings() *postings {
	p := &postings{records: b.ranked(), terms: b.terms}
	p.sortTerms(b.number)
	p.post()
	return p
}

// sortTerms numbers the words by their sorted order instead of appearance.
func (p *postings) sortTerms(number map[string]uint32) {
	slices.Sort(p.terms)
	renumber := make([]uint32, len(p.terms))
	for i, word := range p.terms {
		renumber[number[word]] = uint32(i)
	}
	for rank := range p.entry {
		eachSlot(p.of(uint32(rank)), func(_ bool, terms []uint32) {
			for i, t := range terms {
				terms[i] = renumber[t]
			}
		})
	}
}

// post fills the lists of ranks by term: once to count, once to write.
func (p *postings) post() {
	p.postStart = make([]uint32, len(p.terms)+1)
	p.eachPosting(func(t, _ uint32) { p.postStart[t+1]++ })
	for i := 1; i < len(p.postStart); i++ {
		p.postStart[i] += p.postStart[i-1]
	}
	p.posts = make([]uint32, p.postStart[len(p.terms)])
	next := slices.Clone(p.postStart[:len(p.terms)])
	p.eachPosting(func(t, rank uint32) {
		p.posts[next[t]] = rank
		next[t]++
	})
}

// eachPosting calls yield for each pair of term and rank once, ranks ascending.
func (p *postings) eachPosting(yield func(term, rank uint32)) {
	last := make([]uint32, len(p.terms)) // by term: the last rank posted, plus one
	for rank := range uint32(len(p.entry)) {
		eachSlot(p.of(rank), func(pattern bool, terms []uint32) {
			if !pattern && len(terms) > 0 {
				terms = terms[:1]
			}
			for _, t := range terms {
				if last[t] != rank+1 {
					last[t] = rank + 1
					yield(t, rank)
				}
			}
		})
	}
}

// find returns the number of a word.
func (p *postings) find(word []byte) (uint32, bool) {
	low, high := 0, len(p.terms)
	for low < high {
		mid := int(uint(low+high) >> 1)
		if p.terms[mid] < string(word) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == len(p.terms) || p.terms[low] != string(word) {
		return 0, false
	}
	return uint32(low), true
}

// plausible reports whether the tables point only where they may. The slots of a record
// are looked at when it is needed: see slotsSound.
func (p *postings) plausible() bool {
	if !ascending(p.start, len(p.words)) || !below(p.entry, len(p.entry)) || !ascending(p.postStart, len(p.posts)) || !below(p.posts, len(p.entry)) {
		return false
	}
	for rank := range p.entry {
		if p.start[rank+1]-p.start[rank] < recordSlots {
			return false
		}
	}
	return true
}

// fit reports whether the records are those of entries with these numbers of keywords and
// patterns, two for each entry.
func (p *postings) fit(sizes []uint32) bool {
	for rank, position := range p.entry {
		record := p.of(uint32(rank))
		if record[recordKeywords] != sizes[2*position] || record[recordHead]>>recordModeBits != sizes[2*position+1] || !slotsSound(record, len(p.terms)) {
			return false
		}
	}
	return true
}
