package site

import (
	"bytes"
	"container/heap"
	"encoding/binary"
	"fmt"
	"io/fs"
	"slices"

	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/scratch"
)

// outputList lists the files that the site has of a pack. A large one has more than a million
// of them: their paths are in sorted runs, of which little is in memory. The zero value is
// empty.
type outputList struct {
	n    int
	last []string      // those that are in no run yet
	runs []outputRun   // each in order
	text scratch.Bytes // of the runs
}

// outputRun is where the paths of a run are.
type outputRun struct{ from, to int64 }

// runOutputs is how many paths a run has.
const runOutputs = 1 << 14

// add adds a path.
func (l *outputList) add(path string) {
	l.n++
	if l.last = append(l.last, path); len(l.last) >= runOutputs {
		l.flush()
	}
}

// flush writes a run: of each path how much of the one before it starts, and what follows.
func (l *outputList) flush() {
	slices.Sort(l.last)
	from, before := l.text.Size(), ""
	var record []byte
	for _, path := range l.last {
		shared := 0
		for shared < len(before) && shared < len(path) && before[shared] == path[shared] {
			shared++
		}
		record = binary.AppendUvarint(record[:0], uint64(shared))
		record = binary.AppendUvarint(record, uint64(len(path)-shared))
		l.text.Append(append(record, path[shared:]...))
		before = path
	}
	clear(l.last)
	l.runs, l.last = append(l.runs, outputRun{from, l.text.Size()}), l.last[:0]
}

// each calls visit with each path, in order.
func (l *outputList) each(visit func(path string) error) error {
	slices.Sort(l.last)
	var heads outputHeads
	for _, r := range l.runs {
		h := &outputHead{text: &l.text, at: r.from, to: r.to}
		if more, err := h.next(); err != nil {
			return err
		} else if more {
			heads = append(heads, h)
		}
	}
	heap.Init(&heads)
	for _, path := range l.last {
		if err := heads.upTo([]byte(path), visit); err != nil {
			return err
		}
		if err := visit(path); err != nil {
			return err
		}
	}
	return heads.upTo(nil, visit)
}

// kept calls visit with what a sink has of each path, in order; false when it lacks one.
func (l *outputList) kept(sink publish.Target, visit func(publish.Kept)) bool {
	err := l.each(func(path string) error {
		k, ok := sink.Sum(path)
		if !ok {
			return fs.ErrNotExist
		}
		visit(k)
		return nil
	})
	return err == nil
}

// close lets the list go.
func (l *outputList) close() {
	_ = l.text.Close()
	*l = outputList{}
}

// outputHead is the next path of a run.
type outputHead struct {
	text   *scratch.Bytes
	at, to int64
	path   []byte
	buf    [2 * binary.MaxVarintLen32]byte
}

// next reads the path after this one.
func (h *outputHead) next() (more bool, err error) {
	if h.at >= h.to {
		return false, nil
	}
	head := h.buf[:min(int64(len(h.buf)), h.to-h.at)]
	if _, err := h.text.ReadAt(head, h.at); err != nil {
		return false, fmt.Errorf("list the files of a pack: %w", err)
	}
	shared, n := binary.Uvarint(head)
	length, m := binary.Uvarint(head[n:])
	h.path = slices.Grow(h.path[:shared], int(length))[:shared+length]
	if _, err := h.text.ReadAt(h.path[shared:], h.at+int64(n+m)); err != nil {
		return false, fmt.Errorf("list the files of a pack: %w", err)
	}
	h.at += int64(n+m) + int64(length)
	return true, nil
}

// outputHeads are the next paths of all runs: a heap.
type outputHeads []*outputHead

// upTo visits the paths before a path, all when it is nil.
func (h *outputHeads) upTo(path []byte, visit func(path string) error) error {
	for len(*h) > 0 && (path == nil || bytes.Compare((*h)[0].path, path) < 0) {
		if err := visit(string((*h)[0].path)); err != nil {
			return err
		}
		more, err := (*h)[0].next()
		switch {
		case err != nil:
			return err
		case more:
			heap.Fix(h, 0)
		default:
			heap.Pop(h)
		}
	}
	return nil
}

// Len implements [heap.Interface].
func (h outputHeads) Len() int { return len(h) }

// Less implements [heap.Interface].
func (h outputHeads) Less(i, j int) bool { return bytes.Compare(h[i].path, h[j].path) < 0 }

// Swap implements [heap.Interface].
func (h outputHeads) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements [heap.Interface].
func (h *outputHeads) Push(x any) { *h = append(*h, x.(*outputHead)) }

// Pop implements [heap.Interface].
func (h *outputHeads) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
