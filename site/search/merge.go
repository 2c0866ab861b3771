package search

import (
	"cmp"
	"container/heap"

	"github.com/packgen/packgen/compiler/store"
)

// packWords is a word in one pack.
type packWords struct {
	pack     int
	sections int
	postings string
	lengths  string
}

// cursor is at a word of a pack.
type cursor struct {
	packWords
	stem string
	r    *store.Reader
	left int
}

// next goes to the next word; false at the end, or when the part is damaged.
func (c *cursor) next() bool {
	if c.left == 0 {
		return false
	}
	c.left--
	c.stem, c.sections = c.r.Str(), c.r.Uint()
	c.r.Uint() // the last section
	c.postings, c.lengths = c.r.Str(), c.r.Str()
	return c.postings != ""
}

// cursors is a heap: the least stem first, then the first pack.
type cursors []*cursor

func (c cursors) Len() int { return len(c) }
func (c cursors) Less(i, j int) bool {
	if n := cmp.Compare(c[i].stem, c[j].stem); n != 0 {
		return n < 0
	}
	return c[i].pack < c[j].pack
}
func (c cursors) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *cursors) Push(x any)   { *c = append(*c, x.(*cursor)) }
func (c *cursors) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// eachWord yields the words of a range of all packs in the order of their stems.
func eachWord(packs []Pack, stems int, yield func(stem string, packs []packWords) error) error {
	var open cursors
	for i, p := range packs {
		words, err := "", error(nil)
		if p.Words != nil {
			words, err = p.Words(stems)
		} else if stems < len(p.Part.Words) {
			words = p.Part.Words[stems]
		}
		if err != nil {
			return err
		}
		r := store.NewReader(words)
		c := &cursor{packWords: packWords{pack: i}, r: r, left: r.CountOf(leastWord)}
		if c.next() {
			open = append(open, c)
		} else if !r.Done() {
			return errDamaged
		}
	}
	heap.Init(&open)
	var found []packWords
	for len(open) > 0 {
		stem := open[0].stem
		found = found[:0]
		for len(open) > 0 && open[0].stem == stem {
			c := open[0]
			found = append(found, c.packWords)
			if c.next() {
				heap.Fix(&open, 0)
				continue
			}
			if !c.r.Done() {
				return errDamaged
			}
			heap.Pop(&open)
		}
		if err := yield(stem, found); err != nil {
			return err
		}
	}
	return nil
}
