package search

import (
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/shard"
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

// Key implements [shard.Cursor].
func (c *cursor) Key() string { return c.stem }

// Next implements [shard.Cursor].
func (c *cursor) Next() bool {
	if c.left == 0 {
		return false
	}
	c.left--
	c.stem, c.sections = c.r.Str(), c.r.Uint()
	c.r.Uint() // the last section
	c.postings, c.lengths = c.r.Str(), c.r.Str()
	return c.postings != ""
}

// eachWord yields the words of a range of all packs in the order of their stems.
func eachWord(packs []Pack, stems int, yield func(stem string, packs []packWords) error) error {
	var all, open []*cursor
	for i, p := range packs {
		words, err := p.Words(stems)
		if err != nil {
			return err
		}
		r := store.ReadBytes(words)
		c := &cursor{packWords: packWords{pack: i}, r: r, left: r.CountOf(leastWord)}
		if all = append(all, c); c.Next() {
			open = append(open, c)
		}
	}
	var found []packWords
	err := shard.Merge(open, func(c *cursor) { found = append(found, c.packWords) }, func(stem string) error {
		err := yield(stem, found)
		found = found[:0]
		return err
	})
	if err != nil {
		return err
	}
	for _, c := range all {
		if !c.r.Done() {
			return errDamaged
		}
	}
	return nil
}
