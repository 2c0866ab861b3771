package article

import (
	"strconv"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/packgen/packgen/compiler/htmltag"
)

// outline is the headings that the next one is below, as authors wrote their levels, from
// the title of the page on. One level further in is announced as one, whatever was skipped.
type outline []int

// level returns what a heading is announced as, at most its own level.
func (o *outline) level(written int) int {
	if len(*o) == 0 {
		*o = append(*o, 1)
	}
	for len(*o) > 0 && (*o)[len(*o)-1] >= written {
		*o = (*o)[:len(*o)-1]
	}
	*o = append(*o, written)
	return len(*o)
}

// writeHeadingLevel announces a heading by its place in the outline where levels are skipped
// above it. How it looks is its author's choice.
func writeHeadingLevel(r *renderer, written int) {
	if level := r.outline.level(written); level != written {
		r.Raw(" aria-level=" + strconv.Itoa(level))
	}
}

// A table needs headings for its cells: those of the columns, those of the rows, or it is
// announced as no table.
type headings uint8

const (
	byColumn headings = iota
	byRow             // a column has no heading: its cells are known by the first of their row
	none              // nothing is a heading: it arranges what is in it
)

// tableHeadings returns what the cells of a table are known by.
func tableHeadings(n *east.Table) headings {
	head, ok := n.FirstChild().(*east.TableHeader)
	if !ok {
		return none
	}
	empty := 0
	for cell := head.FirstChild(); cell != nil; cell = cell.NextSibling() {
		if cell.ChildCount() == 0 {
			empty++
		}
	}
	switch empty {
	case 0:
		return byColumn
	case head.ChildCount():
		return none
	}
	return byRow
}

// isArrangement reports that the table of HTML at an offset has no heading.
func isArrangement(r *renderer, offset int) bool {
	text := r.doc.Text[offset:min(len(r.doc.Text), offset+maxTable)]
	for at, deep := 0, 0; at < len(text) && r.html.ahead <= maxTables*len(r.doc.Text); {
		t := htmltag.Next(text, at)
		at, r.html.ahead = t.End, r.html.ahead+t.End-at
		switch {
		case t.Kind == htmltag.Open && t.Name == "th" && deep == 1:
			return false
		case t.Kind == htmltag.Open && t.Name == "table":
			deep++
		case t.Kind == htmltag.Close && t.Name == "table":
			if deep--; deep <= 0 {
				return true
			}
		}
	}
	return true
}

// maxTable is how far the end of a table of HTML is looked for, in bytes.
const maxTable = 64 << 10

// maxTables is how often a text is looked through for the ends of tables that are in each
// other.
const maxTables = 16

// isFirst reports the first cell of its row.
func isFirst(cell ast.Node) bool { return cell.PreviousSibling() == nil }
