package cut

import "github.com/packgen/packgen/compiler/markdown"

// Page cuts a wiki page: it stays whole unless it exceeds the soft cap and the
// rules for documents give more than one section (agent-knowledge section 6.4).
func Page(doc *markdown.Document, stem string) (pieces []Piece, whole bool) {
	k := newCutter(doc)
	if k.empty() {
		return nil, true
	}
	p := k.whole(stem)
	if p.Tokens <= SoftCap {
		return []Piece{p}, true
	}
	parts := Document(doc, stem)
	if len(parts) < 2 {
		p.Oversize = true
		return []Piece{p}, true
	}
	for i := range parts {
		if part := &parts[i]; part.Title != p.Title && !part.preamble {
			part.Title = p.Title + ": " + part.Title
		} else {
			part.Title = p.Title
		}
	}
	return parts, false
}

// Whole returns a page that gets no splits as its one section.
func Whole(doc *markdown.Document, stem string) []Piece {
	k := newCutter(doc)
	if k.empty() {
		return nil
	}
	return []Piece{k.whole(stem)}
}
