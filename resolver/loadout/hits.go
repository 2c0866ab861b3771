package loadout

// hit is one included entry while the results are being put in order. All
// sorts of the kernel are of hits, since each further type that is sorted
// costs the browser build some kilobytes.
type hit struct {
	total  float64 // the score
	tokens float64 // the estimate, +Inf when unknown
	entry  uint32  // the position in the index
	place  uint32  // the place in a list that is to be put in order
}

// before reports whether a comes before b: score descending, tokens ascending
// with unknown ones last, then position (loadout section 6.5).
func (a *hit) before(b *hit) bool {
	switch {
	case a.total != b.total:
		return a.total > b.total
	case a.tokens != b.tokens:
		return a.tokens < b.tokens
	}
	return a.entry < b.entry
}

// sortHits puts hits in order. It is a merge sort from runs of two upward; the
// general one of the standard library would add 7 KB to the browser build.
func sortHits(hits []hit) { sortWith(hits, nil) }

// sortWith sorts with the room of an earlier sort, and returns that for the next one.
func sortWith(hits, room []hit) []hit {
	if cap(room) < len(hits) {
		room = make([]hit, len(hits))
	}
	from, to := hits, room[:len(hits)]
	for width := 1; width < len(hits); width *= 2 {
		for start := 0; start < len(hits); start += 2 * width {
			middle := min(start+width, len(hits))
			end := min(start+2*width, len(hits))
			merge(to[start:end], from[start:middle], from[middle:end])
		}
		from, to = to, from
	}
	copy(hits, from)
	return room
}

// merge merges two sorted lists into dst.
func merge(dst, a, b []hit) {
	for i := range dst {
		if len(b) == 0 || len(a) > 0 && !b[0].before(&a[0]) {
			dst[i], a = a[0], a[1:]
		} else {
			dst[i], b = b[0], b[1:]
		}
	}
}

// permute returns the list in the order of the hits' places.
func permute[T any](list []T, hits []hit) []T {
	ordered := make([]T, len(list))
	for i, h := range hits {
		ordered[i] = list[h.place]
	}
	return ordered
}
