package rank

import (
	"cmp"
	"math"
	"slices"
)

// What is kept of the sections that each of several wordings of a query finds. A caller
// who gives other wordings has said more of what is wanted, so less is needed of each.
// Calibrated; see the package documentation.
const (
	wordingMost  = 2    // sections for one wording
	wordingStop  = 0.87 // share of the wording's best score, with what the others add
	wordingLeast = 0.70 // share of the best score of all wordings that a wording's own best must reach
	wordingNear  = 0.60 // share of the wording's best score, without what the others add
	wordingAgree = 0.50 // part of a section's mean score over all wordings that adds to its score for one
)

// Wordings ranks the sections for each of several wordings of one query, best first. A
// section rises that other wordings find too; a wording that finds much less than another
// gives nothing. The scores of hits are those of the wording alone. For a single wording
// they are what it ranks.
func Wordings(rankings []Ranking, keep func(section int) bool) [][]Hit {
	lists := make([][]Hit, len(rankings))
	if len(rankings) == 1 {
		lists[0] = rankings[0].Ranked(keep)
		return lists
	}
	best := 0.0
	for i, r := range rankings {
		lists[i] = nearBest(r, keep)
		if len(lists[i]) > 0 {
			best = max(best, lists[i][0].Score)
		}
	}
	mean := meanScore(rankings)
	for i, hits := range lists {
		if len(hits) == 0 || hits[0].Score < best*wordingLeast {
			lists[i] = nil
			continue
		}
		together := func(h Hit) float64 { return math.Round((h.Score+float64(wordingAgree*mean(h.Section)))*100) / 100 }
		slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(together(b), together(a)) })
		end := 1
		for end < min(len(hits), wordingMost) && together(hits[end]) >= wordingStop*together(hits[0]) {
			end++
		}
		lists[i] = hits[:end]
	}
	return lists
}

// nearBest returns the sections that a wording as a whole finds, down to a share of its
// best score; all that it ranks where a scorer says no more.
func nearBest(r Ranking, keep func(section int) bool) []Hit {
	b, ok := r.(*bm25Ranking)
	if !ok {
		return r.Ranked(keep)
	}
	hits := b.hits(0, keep, wordingNear*b.best(0, keep))
	for i := range hits {
		hits[i].Title = true
	}
	return hits
}

// meanScore returns the mean score of a section over all wordings, 0 where a scorer does
// not know it.
func meanScore(rankings []Ranking) func(section int) float64 {
	return func(section int) float64 {
		sum := 0.0
		for _, r := range rankings {
			if b, ok := r.(*bm25Ranking); ok {
				sum += b.scores[0][section]
			}
		}
		return sum / float64(len(rankings))
	}
}
