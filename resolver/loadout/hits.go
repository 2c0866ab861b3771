package loadout

import "slices"

// hit is one included entry while the results are being put in order. All
// sorts of the kernel are of hits, since each further type that is sorted
// costs the browser build some kilobytes.
type hit struct {
	total  float64 // the score
	tokens float64 // the estimate, +Inf when unknown
	entry  uint32  // the position in the index
	place  uint32  // the place in a list that is to be put in order
}

// sortHits orders hits: score descending, tokens ascending with unknown ones
// last, then position (loadout section 6.5).
func sortHits(hits []hit) {
	slices.SortFunc(hits, func(a, b hit) int {
		switch {
		case a.total > b.total:
			return -1
		case a.total < b.total:
			return 1
		case a.tokens < b.tokens:
			return -1
		case a.tokens > b.tokens:
			return 1
		}
		return int(int64(a.entry) - int64(b.entry))
	})
}

// permute returns the list in the order of the hits' places.
func permute[T any](list []T, hits []hit) []T {
	ordered := make([]T, len(list))
	for i, h := range hits {
		ordered[i] = list[h.place]
	}
	return ordered
}
