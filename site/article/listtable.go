package article

import (
	"github.com/yuin/goldmark/ast"

	"github.com/packgen/packgen/compiler/markdown"
)

// writeListTable writes a table of MyST that is a list of rows, which are lists of cells; false
// when it is not one.
func writeListTable(r *renderer, n ast.Node, c *markdown.Callout, title *markdown.CalloutTitle) bool {
	rows, ok := n.LastChild().(*ast.List)
	if !ok {
		return false
	}
	for row := rows.FirstChild(); row != nil; row = row.NextSibling() {
		if row.FirstChild() == nil || row.FirstChild() != row.LastChild() || row.FirstChild().Kind() != ast.KindList {
			return false
		}
	}
	r.Raw("<div class=scroll><table")
	if c.HeadRows == 0 {
		r.Raw(" role=presentation")
	}
	r.Raw(">\n")
	if title != nil && title.HasChildren() {
		r.Raw("<caption>")
		r.inlines(title)
		r.Raw("</caption>\n")
	}
	for row, at := rows.FirstChild(), 0; row != nil; row, at = row.NextSibling(), at+1 {
		tag := "td"
		if at < c.HeadRows {
			tag = "th"
		}
		r.Raw("<tr>")
		for cell := row.FirstChild().FirstChild(); cell != nil; cell = cell.NextSibling() {
			r.Raw("<" + tag + ">")
			r.apart(func() { r.blocks(cell) })
		}
		r.Raw("\n")
	}
	r.Raw("</table></div>\n")
	return true
}
