package columns

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is text in aligned columns. The first row is the head.
type Table struct {
	Right map[int]bool // columns of numbers
	rows  [][]string
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, cells) }

// Write prints the table with two spaces between columns.
func (t *Table) Write(w io.Writer) {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.Right[i] {
				line.WriteString(gap + cell)
			} else {
				line.WriteString(cell + gap)
			}
			if i+1 < len(row) {
				line.WriteString("  ")
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}
