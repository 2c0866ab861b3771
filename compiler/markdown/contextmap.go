package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/packgen/packgen/compiler/packpath"
)

// Lead returns the first line of the first top-level paragraph as written,
// without anchors and markers; "" when there is no paragraph (agent-knowledge
// section 6.4, the briefing).
func (d *Document) Lead() string {
	for _, b := range d.Blocks {
		if b.Node.Kind() == ast.KindParagraph && b.Node.Lines().Len() > 0 {
			line := b.Node.Lines().At(0)
			return withoutBrackets(d, b.Node, line.Start, line.Stop)
		}
	}
	return ""
}

// withoutBrackets returns text[start:stop] of a paragraph, trimmed, without its
// anchors and markers and the white space before them.
func withoutBrackets(d *Document, n ast.Node, start, stop int) string {
	var out []byte
	at := start
	cut := func(from, to int) {
		if from >= at && from < stop {
			out = append(out, d.Text[at:from]...)
			out = bytes.TrimRight(out, " \t")
			at = min(to, stop)
		}
	}
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch c := c.(type) {
			case *AnchorNode:
				cut(c.Start, c.Stop)
			case *MarkerNode:
				cut(c.Start, c.Stop)
			}
		}
		return ast.WalkContinue, nil
	})
	return string(bytes.Trim(append(out, d.Text[at:stop]...), " \t\n"))
}

// BoundaryItems returns the list items under a boundary heading in one-line
// form, without "- " (agent-knowledge section 6.4, the view boundaries).
func (d *Document) BoundaryItems() []string {
	var items []string
	for _, u := range d.Units {
		if u.Boundary && u.Line != "" {
			items = append(items, u.Line)
		}
	}
	return items
}

// MapEntry is one entry of a context map (agent-knowledge section 3.7).
type MapEntry struct {
	Label  string   // item text without its backtick spans
	Paths  []string // clean pack paths as written: may end in "/" or carry "#section"
	Offset int      // of the item's text
}

// ContextMap returns the entries of the context map: the list items with a
// path in backticks, in the sections headed "Context map" or "Documents".
func (d *Document) ContextMap() []MapEntry {
	var entries []MapEntry
	inside := 0 // level of the heading that opened the section; 0 outside
	for _, b := range d.Blocks {
		if b.Heading < 0 {
			if inside > 0 {
				entries = mapItems(d, b.Node, entries)
			}
			continue
		}
		h := d.Headings[b.Heading]
		title := strings.ToLower(h.Text)
		switch {
		case inside > 0 && h.Level > inside:
		case title == "context map" || title == "documents":
			inside = h.Level
		default:
			inside = 0
		}
	}
	return entries
}

// mapItems adds the entries of the list items in a block.
func mapItems(d *Document, n ast.Node, entries []MapEntry) []MapEntry {
	first := n.Kind() == ast.KindListItem
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c.Kind() {
		case ast.KindParagraph, ast.KindTextBlock:
			if first {
				first = false
				if e, ok := readMapEntry(d, c); ok {
					entries = append(entries, e)
				}
			}
		case ast.KindList, ast.KindListItem, ast.KindBlockquote:
			entries = mapItems(d, c, entries)
		}
	}
	return entries
}

// readMapEntry reads one item's paragraph; ok is false when it names no path.
func readMapEntry(d *Document, n ast.Node) (e MapEntry, ok bool) {
	label := plain{source: d.Text}
	var span plain
	span.source = d.Text
	var visit func(ast.Node)
	visit = func(c ast.Node) {
		switch {
		case c.Kind() == ast.KindCodeSpan:
			if path := span.text(c); isMapPath(path) {
				e.Paths = append(e.Paths, path)
			}
		case c.Type() == ast.TypeInline && c.HasChildren():
			for g := c.FirstChild(); g != nil; g = g.NextSibling() {
				visit(g)
			}
		default:
			label.node(c)
		}
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		visit(c)
	}
	e.Label = string(collapse(label.buf))
	e.Offset, _ = extent(n, d.Text)
	return e, len(e.Paths) > 0
}

// isMapPath reports whether a backtick span is a clean pack path, with or
// without a "/" at its end or a "#section".
func isMapPath(s string) bool {
	path, _, _ := strings.Cut(s, "#")
	return packpath.Check(strings.TrimSuffix(path, "/")) == nil
}
