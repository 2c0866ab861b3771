package rank

import "github.com/packgen/packgen/resolver/context/parallel"

// Overlap is the reference scorer of agent-knowledge section 13.5: two points
// for each word of the query in the title, one for each in the body alone.
type Overlap struct{}

// Name returns "overlap".
func (Overlap) Name() string { return "overlap" }

// Score counts shared words.
func (Overlap) Score(query string, sections []Section) Ranking {
	words := WordSet{}
	for _, w := range Words(query) {
		words[w] = true
	}
	r := &overlapRanking{hits: make([]Hit, len(sections))}
	parallel.Ranges(len(sections), func(from, to int) {
		var scan wordScanner
		seen := WordSet{}
		for i := from; i < to; i++ {
			clear(seen)
			note := func(word []byte) {
				if words[string(word)] && !seen[string(word)] {
					seen[string(word)] = true
				}
			}
			scan.all(sections[i].Title, true, note)
			title := len(seen)
			scan.all(Prose(belowTitle(&sections[i])), true, note)
			r.hits[i] = Hit{Section: i, Score: float64(title + len(seen)), Title: title > 0}
		}
	})
	return r
}

type overlapRanking struct {
	hits []Hit // by section
}

// Ranked returns every section with a score above 0.
func (r *overlapRanking) Ranked(keep func(int) bool) []Hit {
	var list []Hit
	for _, h := range r.hits {
		if h.Score > 0 && (keep == nil || keep(h.Section)) {
			list = append(list, h)
		}
	}
	sortHits(list)
	return list
}

// Elsewhere returns false: shared words say too little.
func (r *overlapRanking) Elsewhere(Range, func(int) bool) bool { return false }

// Judge is sure of every selection: shared words say too little.
func (r *overlapRanking) Judge(selected []int, _ func(int) bool) Judgement {
	if len(selected) == 0 {
		return Judgement{}
	}
	return Judgement{Score: sureScore}
}
