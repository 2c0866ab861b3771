package loadout

// maxBuckets is how many distinct scores get a bucket each; with more, the
// candidates are sorted.
const maxBuckets = 64

// buckets is a bucket sort: it puts candidates, which come in the order of rank, into
// the order of score. A match has few distinct scores, so a bucket for each is quicker
// than sorting.
type buckets struct {
	list   []bucket // by score, descending
	many   bool     // too many distinct scores: candidates get sorted instead
	placed int
}

// bucket is the candidates of one score: how many, and once they are placed where
// the next one goes.
type bucket struct {
	score float64
	next  int
}

func (d *buckets) reset() {
	d.list, d.many, d.placed = d.list[:0], false, 0
}

// find returns the bucket of a score, or where it would be.
func (d *buckets) find(score float64) (at int, ok bool) {
	for i := range d.list {
		if s := d.list[i].score; s <= score {
			return i, s == score
		}
	}
	return len(d.list), false
}

// count notes the score of a candidate.
func (d *buckets) count(score float64) {
	if d.many {
		return
	}
	at, ok := d.find(score)
	if !ok {
		if len(d.list) == maxBuckets {
			d.many = true
			return
		}
		d.list = append(d.list, bucket{})
		copy(d.list[at+1:], d.list[at:])
		d.list[at] = bucket{score: score}
	}
	d.list[at].next++
}

// prepare makes room for candidates whose scores were all counted.
func (d *buckets) prepare(found []candidate) {
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
	for i := range d.list {
		size := d.list[i].next
		d.list[i].next = next
		next += size
	}
}

// place returns where the next candidate, with that score, goes.
func (d *buckets) place(score float64) int {
	if d.many {
		d.placed++
		return d.placed - 1
	}
	at, _ := d.find(score)
	d.list[at].next++
	return d.list[at].next - 1
}
