package rank

import "slices"

// Where a list of sections ends. Calibrated; see the package documentation.
const (
	defaultStop = 0.60 // share of the best score below which nothing is taken
	defaultMost = 3    // sections for one wording of a query
	mostForPart = 2    // sections that one part of a query adds to those of the whole

	// A best section with this score is a clear answer, and what falls below a share of
	// its score adds nothing to it.
	clearScore = 60.0
	clearStop  = 0.95

	// A best section below this score is a guess, and most of those after it are worse
	// ones.
	guessScore = 30.0
	guessMost  = 2

	// leastHeld is the share of what the best section holds of the whole query that the
	// others must hold: one that holds much less of it is about something else.
	leastHeld = 0.7
)

// Ranked returns the sections that come near the best one: for the query as a
// whole, then the best of each of its parts.
func (r *bm25Ranking) Ranked(keep func(int) bool) []Hit {
	parts := make([][]Hit, len(r.scores))
	for part := 1; part < len(parts); part++ {
		parts[part] = r.top(part, keep, max(r.Stop, clearStop), mostForPart)
	}
	parts[0] = r.top(0, keep, r.Stop, r.mostOfWhole(parts[1:]))
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

// top returns the best sections for one part, 0 being the whole query, down to a share
// of the score of the best one.
func (r *bm25Ranking) top(part int, keep func(int) bool, stop float64, most int) []Hit {
	best := 0.0
	for i, score := range r.scores[part] {
		if score > best && (keep == nil || keep(i)) {
			best = score
		}
	}
	hits := r.hits(part, keep, stopAt(best, stop))
	if part == 0 && len(hits) > 0 {
		least := leastHeld * r.held(0, hits[0].Section)
		hits = slices.DeleteFunc(hits, func(h Hit) bool { return r.held(0, h.Section) < least })
	}
	return hits[:min(mostAt(best, most), len(hits))]
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

// stopAt is the score at which a list ends whose best section has a score.
func stopAt(best, stop float64) float64 {
	if best >= clearScore {
		return best * max(stop, clearStop)
	}
	return best * stop
}

// mostAt is how many sections a list may have whose best one has a score.
func mostAt(best float64, most int) int {
	if best < guessScore {
		return min(most, guessMost)
	}
	return most
}
