package compiler

import (
	"slices"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
)

// lineSet are 1-based lines of a file in order.
type lineSet []int

// unanchoredLines are the lines with a source or a status that cannot be used.
func unanchoredLines(doc *markdown.Document) (lines lineSet) {
	for i := range doc.Diagnostics {
		if d := &doc.Diagnostics[i]; markdown.Unanchored(d) {
			lines = append(lines, d.Line)
		}
	}
	slices.Sort(lines)
	return lines
}

// within reports whether a claim has one of the lines.
func (l lineSet) within(doc *markdown.Document, u *markdown.Unit) bool {
	if len(l) == 0 {
		return false
	}
	first, _ := doc.Position(u.Start)
	last, _ := doc.Position(u.End)
	i, _ := slices.BinarySearch(l, first)
	return i < len(l) && l[i] <= last
}

// reportedOnce leaves out the findings that another one about the same file implies. Run
// records hold them all (agent-knowledge section 6.10).
func reportedOnce(found []diag.Diagnostic) []diag.Diagnostic {
	said := map[string]bool{}
	for i := range found {
		if markdown.Unanchored(&found[i]) {
			said[found[i].Path] = true
		}
	}
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Implied && said[d.Path] })
}
