package markdown

import (
	"bytes"
	"sort"
)

// Position returns the 1-based line and column, in bytes, of an offset into
// Text. An offset outside the text is moved to its nearest end. It is safe for
// concurrent use.
func (d *Document) Position(offset int) (line, column int) {
	d.linesOnce.Do(func() {
		d.lines = make([]int, 1, 1+bytes.Count(d.Text, []byte("\n")))
		for i, c := range d.Text {
			if c == '\n' {
				d.lines = append(d.lines, i+1)
			}
		}
	})
	offset = max(0, min(offset, len(d.Text)))
	line = sort.Search(len(d.lines), func(i int) bool { return d.lines[i] > offset })
	return line, offset - d.lines[line-1] + 1
}
