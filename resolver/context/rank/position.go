package rank

import "slices"

// Position is the place of one section in a ranking, with the reasons.
type Position struct {
	Place int      // by its score for the query as a whole, from 1; 0 when it shares no word with the query
	Score float64  // its own
	Best  float64  // of the best section
	Taken bool     // it is in the list for the query as a whole
	Full  bool     // that list has as many sections as it may
	Lacks []string // words of the query that the section does not hold, as the word rules cut them
	Above []int    // the sections before it, best first, at most maxAbove
}

// maxAbove is how many better sections a position names.
const maxAbove = 3

// Positioner is a ranking that gives the place of a section.
type Positioner interface {
	// Position looks at one section.
	Position(section int) Position
}

// Position looks at one section.
func (r *bm25Ranking) Position(section int) Position {
	isIt := func(h Hit) bool { return h.Section == section }
	hits := r.hits(0, nil, 0)
	s := Position{Score: r.scores[0][section], Place: slices.IndexFunc(hits, isIt) + 1}
	if len(hits) > 0 {
		s.Best = hits[0].Score
	}
	list := r.ofWhole(nil, r.Most)
	s.Taken, s.Full = slices.ContainsFunc(list, isIt), len(list) == mostAt(s.Best, r.Most)
	for _, h := range hits[:max(0, min(s.Place-1, maxAbove))] {
		s.Above = append(s.Above, h.Section)
	}
	for _, word := range Words(r.query.text) {
		if t, ok := r.query.byWord[word]; ok && !r.holds(section, t) && r.query.terms[t].weight == 1 {
			s.Lacks = appendOnce(s.Lacks, word)
		}
	}
	return s
}
