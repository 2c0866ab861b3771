package json

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"github.com/packgen/packgen/resolver/loadout"
)

// Read reads an index. Text that is not JSON, or beyond a limit, is a
// *SyntaxError; JSON that is not an index is returned as it is, and its Check
// method reports it.
func Read(data []byte) (*loadout.Index, error) {
	v, err := parse(data, false, MaxIndex)
	if err != nil {
		return nil, err
	}
	ix, ok := loadout.DecodeAtMost(v, MaxEntries)
	if !ok {
		return nil, &SyntaxError{Line: 1, Column: 1, Problem: "more than 1,000,000 entries"}
	}
	return ix, nil
}

// Write returns the index as the text of an index.json file: two-space
// indentation, the key order of loadout section 2, a final line feed.
func Write(ix *loadout.Index) []byte {
	var text bytes.Buffer
	_ = WriteTo(&text, ix) // a buffer takes everything
	return text.Bytes()
}

// pieceSize is about how many bytes WriteTo passes on at once.
const pieceSize = 64 << 10

// WriteTo is Write for an index too large to hold twice: the text goes to w in
// pieces. The error is that of w.
func WriteTo(w io.Writer, ix *loadout.Index) error {
	return WriteEach(w, ix, func(yield func([]byte) bool) {
		var compact []byte
		for i := range ix.Entries {
			compact = loadout.AppendEntry(compact[:0], &ix.Entries[i])
			if !yield(compact) {
				return
			}
		}
	})
}

// WriteEach is WriteTo for an index whose entries are given one after another, as
// [loadout.AppendEntry] appends them. Those of ix do not count.
func WriteEach(w io.Writer, ix *loadout.Index, entries iter.Seq[[]byte]) error {
	p := &pieces{w: w}
	empty := *ix
	empty.Entries = nil
	head := loadout.Value(loadout.AppendIndex(nil, &empty))
	if head.Kind() != loadout.Object {
		p.b = Indent(p.b, head)
	} else {
		p.object(head, entries)
	}
	p.b = append(p.b, '\n')
	p.flush()
	if p.err != nil {
		return fmt.Errorf("write the index: %w", p.err)
	}
	return nil
}

// pieces is a text being written.
type pieces struct {
	w   io.Writer
	b   []byte // not yet written
	err error  // the first of w
}

func (p *pieces) flush() {
	if p.err == nil {
		_, p.err = p.w.Write(p.b)
	}
	p.b = p.b[:0]
}

// object writes the head of an index with the entries where its empty list
// is.
func (p *pieces) object(head loadout.Value, entries iter.Seq[[]byte]) {
	p.b = append(p.b, '{')
	first := true
	head.Members(func(key string, member loadout.Value) bool {
		if !first {
			p.b = append(p.b, ',')
		}
		first = false
		p.b = append(loadout.AppendString(newline(p.b, 1), key), ": "...)
		if key == "entries" && member.Kind() == loadout.Array {
			p.entries(entries)
		} else {
			p.b = indent(p.b, string(member), 1)
		}
		return p.err == nil
	})
	p.b = append(newline(p.b, 0), '}')
}

func (p *pieces) entries(list iter.Seq[[]byte]) {
	p.b = append(p.b, '[')
	some := false
	for compact := range list {
		if some {
			p.b = append(p.b, ',')
		}
		some = true
		p.b = indent(newline(p.b, 2), compact, 2)
		if len(p.b) >= pieceSize {
			p.flush()
		}
		if p.err != nil {
			return
		}
	}
	if some {
		p.b = newline(p.b, 1)
	}
	p.b = append(p.b, ']')
}
