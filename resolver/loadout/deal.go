package loadout

import "slices"

// fewScores is how many distinct scores are dealt into piles; with more, the
// candidates are sorted.
const fewScores = 64

// dealer puts candidates, which come in the order of rank, into the order of
// score. A match has few distinct scores, so dealing them into a pile for each
// is quicker than sorting.
type dealer struct {
	scores []float64 // distinct, descending
	sizes  []int     // by score: how many candidates have it; then where the next goes
	many   bool      // too many distinct scores: candidates get sorted instead
	dealt  int
}

func (d *dealer) reset() {
	d.scores, d.sizes, d.many, d.dealt = d.scores[:0], d.sizes[:0], false, 0
}

// find returns the pile of a score, or where it would be.
func (d *dealer) find(score float64) (pile int, ok bool) {
	for i, s := range d.scores {
		if s <= score {
			return i, s == score
		}
	}
	return len(d.scores), false
}

// count notes the score of a candidate.
func (d *dealer) count(score float64) {
	if d.many {
		return
	}
	pile, ok := d.find(score)
	if !ok {
		if len(d.scores) == fewScores {
			d.many = true
			return
		}
		d.scores = slices.Insert(d.scores, pile, score)
		d.sizes = slices.Insert(d.sizes, pile, 0)
	}
	d.sizes[pile]++
}

// open readies place for candidates whose scores were all counted.
func (d *dealer) open(found []candidate) {
	if d.many {
		order := make([]hit, len(found))
		for i, c := range found {
			order[i] = hit{total: c.total, tokens: float64(c.rank), place: uint32(i)}
		}
		sortHits(order)
		copy(found, permute(found, order))
		return
	}
	next := 0
	for i, size := range d.sizes {
		d.sizes[i] = next
		next += size
	}
}

// place returns where the next candidate, with that score, goes.
func (d *dealer) place(score float64) int {
	if d.many {
		d.dealt++
		return d.dealt - 1
	}
	pile, _ := d.find(score)
	d.sizes[pile]++
	return d.sizes[pile] - 1
}
