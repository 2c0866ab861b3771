package shard

import (
	"cmp"
	"container/heap"
)

// Cursor is at a key of a sorted list.
type Cursor interface {
	Key() string
	Next() bool // goes to the next key; false at the end, and where the list is damaged
}

// Merge goes over the keys of several sorted lists in order. Take sees each list that has
// a key, in the order of the lists; then visit sees the key. The lists are at their first
// keys.
func Merge[C Cursor](lists []C, take func(C), visit func(key string) error) error {
	open := make(cursors, len(lists))
	for i, c := range lists {
		open[i] = &cursor{c, i}
	}
	heap.Init(&open)
	for len(open) > 0 {
		key := open[0].Key()
		for len(open) > 0 && open[0].Key() == key {
			c := open[0]
			take(c.Cursor.(C))
			if c.Next() {
				heap.Fix(&open, 0)
			} else {
				heap.Pop(&open)
			}
		}
		if err := visit(key); err != nil {
			return err
		}
	}
	return nil
}

type cursor struct {
	Cursor
	list int
}

// cursors is a heap: the least key first, then the first list.
type cursors []*cursor

func (c cursors) Len() int { return len(c) }
func (c cursors) Less(i, j int) bool {
	if n := cmp.Compare(c[i].Key(), c[j].Key()); n != 0 {
		return n < 0
	}
	return c[i].list < c[j].list
}
func (c cursors) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *cursors) Push(x any)   { *c = append(*c, x.(*cursor)) }
func (c *cursors) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}
