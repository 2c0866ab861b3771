package compiler

import (
	"bytes"

	"github.com/packgen/packgen/compiler/markdown"
)

// setsLimits reports whether a file has text under a heading that is about
// boundaries or taboos.
func setsLimits(doc *markdown.Document) bool {
	for i, h := range doc.Headings {
		if !h.Boundary && !markdown.ClassTaboos.Has(h.Text) && !markdown.ClassPersonaBoundaries.Has(h.Text) {
			continue
		}
		end := len(doc.Text)
		if i+1 < len(doc.Headings) {
			end = doc.Headings[i+1].Start
		}
		if len(bytes.TrimSpace(doc.Text[h.End:end])) > 0 {
			return true
		}
	}
	return false
}
