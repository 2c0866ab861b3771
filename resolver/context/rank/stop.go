package rank

import "slices"

// Where a list of sections ends. Calibrated; see the package documentation.
const (
	defaultStop = 0.85 // share of the best score below which a section must say something new
	defaultMost = 3    // sections for one wording of a query
	mostForPart = 2    // sections that one part of a query adds to those of the whole

	// A best section with this score is a clear answer, and what falls below a share of
	// its score adds nothing to it.
	clearScore = 75.0
	clearStop  = 0.95

	// A best section below guessScore is a guess, and most of those after it are worse
	// ones. Below nothingScore it is not even that: nothing comes after it, and a part of
	// the query with no better one adds nothing.
	guessScore   = 30.0
	guessMost    = 2
	nothingScore = 12.0

	// A section that comes near the best one holds at least heldShare of what that holds
	// of the query, and its headings at most headingLack of the query less.
	heldShare   = 0.7
	headingLack = 0.1

	// A section that holds newShare of the query that none before it holds is needed
	// beside them, down to newStop of the best score.
	newShare = 0.25
	newStop  = 0.65
)

// Ranked returns the sections that come near the best one: for the query as a
// whole, then the best of each of its parts.
func (r *bm25Ranking) Ranked(keep func(int) bool) []Hit {
	parts := make([][]Hit, len(r.scores))
	for part := 1; part < len(parts); part++ {
		parts[part] = r.ofPart(part, keep)
	}
	parts[0] = r.ofWhole(keep, r.mostOfWhole(parts[1:]))
	best := map[int]float64{}
	for _, hits := range parts {
		for _, h := range hits {
			best[h.Section] = max(best[h.Section], h.Score)
		}
	}
	hits := make([]Hit, 0, len(best))
	for section, score := range best {
		hits = append(hits, Hit{Section: section, Score: score, Title: true})
	}
	sortHits(hits)
	return hits
}

// mostOfWhole is how many sections the query as a whole gives beside those of its parts.
// Where each part has a clear answer in a section of its own, the query is several
// questions: further sections that hold words of all of them answer none.
func (r *bm25Ranking) mostOfWhole(parts [][]Hit) int {
	seen := map[int]bool{}
	for _, hits := range parts {
		if len(hits) == 0 || hits[0].Score < clearScore || seen[hits[0].Section] {
			return r.Most
		}
		seen[hits[0].Section] = true
	}
	if len(parts) == 0 {
		return r.Most
	}
	return 1
}

// ofPart returns the best section for a part, and a second one that is nearly as good;
// nothing for a part that no section meets.
func (r *bm25Ranking) ofPart(part int, keep func(int) bool) []Hit {
	best := r.best(part, keep)
	if best < nothingScore {
		return nil
	}
	hits := r.hits(part, keep, best*r.near(best))
	return hits[:min(mostForPart, len(hits))]
}

// ofWhole returns the best section for the query as a whole, and those that are needed
// beside it: because they are nearly as good, or hold words of the query that none
// before them holds.
func (r *bm25Ranking) ofWhole(keep func(int) bool, most int) []Hit {
	best := r.best(0, keep)
	near := best * r.near(best)
	hits := r.hits(0, keep, min(near, best*newStop))
	if len(hits) == 0 {
		return nil
	}
	most = mostAt(best, most)
	list := hits[:1:1]
	first := r.holdings(hits[0].Section)
	covered := slices.Clone(first.terms)
	for _, h := range hits[1:] {
		if len(list) >= most {
			break
		}
		next := r.holdings(h.Section)
		alike := h.Score >= near && next.share >= heldShare*first.share && next.inHeadings >= first.inHeadings-headingLack
		if !alike && (h.Score < best*newStop || r.added(covered, next.terms) < newShare) {
			continue
		}
		list = append(list, h)
		for i, holds := range next.terms {
			covered[i] = covered[i] || holds
		}
	}
	return list
}

// mostAt is how many sections a list may have whose best one has a score.
func mostAt(best float64, most int) int {
	switch {
	case best < nothingScore:
		return min(most, 1)
	case best < guessScore:
		return min(most, guessMost)
	}
	return most
}

// best is the best score for a part among the sections that keep accepts.
func (r *bm25Ranking) best(part int, keep func(int) bool) float64 {
	best := 0.0
	for i, score := range r.scores[part] {
		if score > best && (keep == nil || keep(i)) {
			best = score
		}
	}
	return best
}

// near is the share of a best score from which on a section is nearly as good.
func (r *bm25Ranking) near(best float64) float64 {
	if best >= clearScore {
		return max(r.Stop, clearStop)
	}
	return r.Stop
}

// holdings is what a section holds of the query as a whole.
type holdings struct {
	share      float64 // of the query's weight
	inHeadings float64 // the same of its titles, headings and questions
	terms      []bool  // by place in the query
}

func (r *bm25Ranking) holdings(section int) holdings {
	terms := r.query.parts[0].terms
	h := holdings{terms: make([]bool, len(terms))}
	all := 0.0
	for i, t := range terms {
		all += r.weight[t]
		p := r.posting(section, t)
		if p == nil {
			continue
		}
		h.terms[i] = true
		h.share += r.weight[t]
		h.inHeadings += r.weight[t] * inHeadings(p.count)
	}
	h.share, h.inHeadings = h.share/all, h.inHeadings/all
	return h
}

// added is the share of the query's weight that is in terms and not in covered.
func (r *bm25Ranking) added(covered, terms []bool) float64 {
	all, added := 0.0, 0.0
	for i, t := range r.query.parts[0].terms {
		all += r.weight[t]
		if terms[i] && !covered[i] {
			added += r.weight[t]
		}
	}
	return added / all
}

// hits returns the sections that meet a part with at least a score, best first.
func (r *bm25Ranking) hits(part int, keep func(int) bool, least float64) []Hit {
	var hits []Hit
	for i, score := range r.scores[part] {
		if score > 0 && score >= least && (keep == nil || keep(i)) {
			hits = append(hits, Hit{Section: i, Score: score})
		}
	}
	sortHits(hits)
	return hits
}
