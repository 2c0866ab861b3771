package model

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/store"
)

// innerHeading is a heading written in HTML: it is in the contents of its page, where a
// section does not start at it.
type innerHeading struct {
	heading compiler.HeadingInfo
	after   int // how many headings of Markdown are above it
}

// packInner writes the headings of a page that are written in HTML.
func packInner(w *store.Writer, doc *markdown.Document) {
	w.Uint(len(doc.HTMLHeadings))
	after := 0
	for _, h := range doc.HTMLHeadings {
		for after < len(doc.Headings) && doc.Headings[after].Start < h.Offset {
			after++
		}
		w.Uint(h.Level)
		w.Str(h.ID)
		w.Str(h.Text)
		w.Uint(after)
	}
}

// readInner reads what packInner wrote.
func readInner(x *store.Reader) []innerHeading {
	var list []innerHeading
	for range x.CountOf(4) {
		list = append(list, innerHeading{
			compiler.HeadingInfo{Level: x.Uint(), ID: strings.Clone(x.Str()), Text: strings.Clone(x.Str())}, x.Uint(),
		})
	}
	return list
}

// Headings returns all headings of a page in order, those written in HTML too.
func (n *Node) Headings() []compiler.HeadingInfo {
	headings, inner := n.Unit.Headings, n.Facts.inner
	if len(inner) == 0 {
		return headings
	}
	all := make([]compiler.HeadingInfo, 0, len(headings)+len(inner))
	taken := 0
	for _, h := range inner {
		if h.heading.Text == "" { // a picture
			continue
		}
		to := min(max(h.after, taken), len(headings))
		all = append(append(all, headings[taken:to]...), h.heading)
		taken = to
	}
	return append(all, headings[taken:]...)
}

// htmlTitle is the title of a page that is written in HTML; "" when none has a text.
func htmlTitle(doc *markdown.Document) string {
	for _, h := range doc.HTMLHeadings {
		if h.Level == 1 && h.Text != "" {
			return h.Text
		}
	}
	return ""
}

// HasTitle reports whether a document has a heading of the first level in Markdown.
func HasTitle(doc *markdown.Document) bool {
	return slices.ContainsFunc(doc.Headings, func(h markdown.Heading) bool { return h.Level == 1 })
}
