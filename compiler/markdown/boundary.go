package markdown

import "bytes"

// SetsLimits reports whether the document has text under a heading that is about
// boundaries or taboos.
func (doc *Document) SetsLimits() bool {
	for i, h := range doc.Headings {
		if !h.Boundary && !ClassTaboos.Has(h.Text) && !ClassPersonaBoundaries.Has(h.Text) {
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
