package json

import (
	"bufio"
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
	out := bufio.NewWriterSize(w, pieceSize)
	empty := *ix
	empty.Entries = nil
	head := loadout.Value(loadout.AppendIndex(nil, &empty))
	if head.Kind() == loadout.Object {
		writeObject(out, head, entries)
	} else {
		_, _ = out.Write(Indent(nil, head)) // Flush has the error
	}
	_ = out.WriteByte('\n')
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	return nil
}

// writeObject writes the head of an index with the entries where its empty list
// is.
func writeObject(out *bufio.Writer, head loadout.Value, entries iter.Seq[[]byte]) {
	text, separator := []byte{'{'}, ""
	for key, member := range head.Members {
		text = append(loadout.AppendString(newline(append(text, separator...), 1), key), ": "...)
		separator = ","
		if key != "entries" || member.Kind() != loadout.Array {
			text = indent(text, string(member), 1)
			continue
		}
		_, err := out.Write(append(text, '['))
		text = text[:0]
		some := false
		for compact := range entries {
			if err != nil {
				return // Flush has it
			}
			if some {
				text = append(text, ',')
			}
			some = true
			text = indent(newline(text, 2), compact, 2)
			_, err = out.Write(text)
			text = text[:0]
		}
		if some {
			text = newline(text, 1)
		}
		text = append(text, ']')
	}
	_, _ = out.Write(append(newline(text, 0), '}'))
}

// ParseUsage reads the events of a usage log, one JSON object a line (loadout
// section 15). Blank lines count for nothing. A line that is not a JSON object
// is skipped and counted; a torn last line is just such a line. With compat any
// JSON is an event.
func ParseUsage(text []byte, compat bool) (events []loadout.Event, skipped int) {
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		line = []byte(loadout.Trim(string(line)))
		if len(line) == 0 {
			continue
		}
		v, err := parse(line, compat, MaxSize)
		if err != nil {
			skipped++
			continue
		}
		if !compat && v.Kind() != loadout.Object {
			skipped++
			continue
		}
		events = append(events, loadout.DecodeEvent(v))
	}
	return events, skipped
}
