package loadout

// fewScores is how many distinct scores are dealt into piles; with more, the
// candidates are sorted.
const fewScores = 64

// dealer puts candidates, which come in the order of rank, into the order of
// score. A match has few distinct scores, so dealing them into a pile for each
// is quicker than sorting.
type dealer struct {
	piles []pile // by score, descending
	many  bool   // too many distinct scores: candidates get sorted instead
	dealt int
}

// pile is the candidates of one score: how many, and once they are dealt where
// the next one goes.
type pile struct {
	score float64
	next  int
}

func (d *dealer) reset() {
	d.piles, d.many, d.dealt = d.piles[:0], false, 0
}

// find returns the pile of a score, or where it would be.
func (d *dealer) find(score float64) (at int, ok bool) {
	for i := range d.piles {
		if s := d.piles[i].score; s <= score {
			return i, s == score
		}
	}
	return len(d.piles), false
}

// count notes the score of a candidate.
func (d *dealer) count(score float64) {
	if d.many {
		return
	}
	at, ok := d.find(score)
	if !ok {
		if len(d.piles) == fewScores {
			d.many = true
			return
		}
		d.piles = append(d.piles, pile{})
		copy(d.piles[at+1:], d.piles[at:])
		d.piles[at] = pile{score: score}
	}
	d.piles[at].next++
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
	for i := range d.piles {
		size := d.piles[i].next
		d.piles[i].next = next
		next += size
	}
}

// place returns where the next candidate, with that score, goes.
func (d *dealer) place(score float64) int {
	if d.many {
		d.dealt++
		return d.dealt - 1
	}
	at, _ := d.find(score)
	d.piles[at].next++
	return d.piles[at].next - 1
}
