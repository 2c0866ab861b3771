package rank

// What is kept of the hits of each of several wordings of a query. A caller who
// gives other wordings has said more of what is wanted, so less is needed of each.
// Calibrated; see the package documentation.
const (
	wordingMost  = 3    // sections for one wording
	wordingStop  = 0.80 // share of the wording's best score
	wordingLeast = 0.60 // share of the best score of all wordings that a wording's own best must reach
)

// Wordings cuts the hits of several wordings of one query, each best first: a
// wording that finds much less than another gives nothing, and each of them gives
// few.
func Wordings(lists [][]Hit) [][]Hit {
	best := 0.0
	for _, hits := range lists {
		if len(hits) > 0 {
			best = max(best, hits[0].Score)
		}
	}
	out := make([][]Hit, len(lists))
	for i, hits := range lists {
		if len(hits) == 0 || hits[0].Score < best*wordingLeast {
			continue
		}
		end := 0
		for end < len(hits) && end < wordingMost && hits[end].Score >= hits[0].Score*wordingStop {
			end++
		}
		out[i] = hits[:end]
	}
	return out
}
