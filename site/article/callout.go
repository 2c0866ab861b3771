package article

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/packgen/packgen/compiler/markdown"
)

// writeCallout writes a callout.
func writeCallout(r *renderer, n ast.Node, c *markdown.Callout) {
	title, _ := n.FirstChild().(*markdown.CalloutTitle)
	form, class := c.Look()
	if form == markdown.CodeTabs {
		writeCodeTabs(r, n)
		return
	}
	if form == markdown.ListTable && writeListTable(r, n, c, title) {
		return
	}
	folds := form == markdown.Details || form == markdown.Note && c.Fold != 0
	switch {
	case form == markdown.Tab:
		openTab(r, n)
		writeTabTitle(r, title)
	case form == markdown.Details:
		openDetails(r, "", c.Fold == '+', title, "Details")
	case folds:
		openDetails(r, "callout "+class, c.Fold == '+', title, calloutName(c.Kind))
	case form == markdown.Note:
		openNote(r, c, class, title)
	default:
		openBox(r, class, title)
	}
	r.apart(func() {
		for child := n.FirstChild(); child != nil; child = child.NextSibling() {
			if _, isTitle := child.(*markdown.CalloutTitle); !isTitle {
				r.block(child)
			}
		}
	})
	switch {
	case form == markdown.Tab:
		closeTab(r, n)
	case folds:
		r.Raw("</details>\n")
	default:
		r.Raw("</div>\n")
	}
}

// openNote opens a callout that stands out from the text, with its title or what it is called.
func openNote(r *renderer, c *markdown.Callout, class string, title *markdown.CalloutTitle) {
	r.Raw(`<div class="callout ` + class + `" role=note>`)
	switch {
	case title != nil && title.HasChildren():
		r.Raw("<p class=name>")
		r.inlines(title)
	case !c.Title:
		r.Raw("<p class=name>")
		r.Literal([]byte(calloutName(c.Kind)))
	}
	r.Raw("\n")
}

// openBox opens a callout of which only the title and what is in it are shown.
func openBox(r *renderer, class string, title *markdown.CalloutTitle) {
	r.Raw("<div")
	if class != "" {
		r.Attr("class", class)
	}
	r.Raw(">")
	if title != nil && title.HasChildren() {
		r.Raw("\n<p><strong>")
		r.inlines(title)
		r.Raw("</strong>\n")
	}
}

// openDetails opens a part that folds away.
func openDetails(r *renderer, class string, open bool, title *markdown.CalloutTitle, name string) {
	r.Raw("<details")
	if class != "" {
		r.Attr("class", class)
	}
	if open {
		r.Raw(" open")
	}
	r.Raw("><summary>")
	if title != nil && title.HasChildren() {
		r.inlines(title)
	} else {
		r.Literal([]byte(name))
	}
	r.Raw("</summary>\n")
}

// calloutName is the title of a callout that has none: what it is called.
func calloutName(kind string) string {
	if kind == "" {
		return "Note"
	}
	return strings.ToUpper(kind[:1]) + strings.ReplaceAll(kind[1:], "-", " ")
}

// writeDefinitions writes a definition list.
func writeDefinitions(r *renderer, n *east.DefinitionList) {
	r.Raw("<dl>\n")
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() == east.KindDefinitionTerm {
			r.Raw("<dt>")
			r.inlines(c)
			r.Raw("\n")
			continue
		}
		r.Raw("<dd>")
		r.apart(func() { r.blocks(c) })
	}
	r.Raw("</dl>\n")
}

// writeContents writes the table of contents that a page asks for in its text.
func writeContents(r *renderer) {
	r.Raw("<nav class=contents><ul>\n")
	headings := r.doc.AllHeadings()
	for _, h := range headings[:min(len(headings), maxTableOfContents)] {
		if h.Level == 1 || h.Text == "" {
			continue
		}
		r.Raw("<li")
		if h.Level > 2 {
			r.Attr("class", "l"+strconv.Itoa(h.Level))
		}
		r.Raw("><a")
		r.Attr("href", "#"+EscapeFragment(h.ID))
		r.Raw(">")
		r.Literal([]byte(HeadingText(h.Text)))
		r.Raw("</a>\n")
	}
	r.Raw("</ul></nav>\n")
}

// writeListOfContents writes the table of contents that Kramdown puts in place of a list with
// {:toc} in it.
func writeListOfContents(r *renderer, n *ast.List) bool {
	item := n.FirstChild()
	if n.ChildCount() != 1 || item.FirstChild() == nil || item.FirstChild().Type() != ast.TypeBlock {
		return false
	}
	lines := item.FirstChild().Lines()
	if lines == nil || lines.Len() != 2 {
		return false
	}
	line := lines.At(1)
	if word := strings.TrimSpace(string(line.Value(r.doc.Text))); word != "{:toc}" && word != "{: toc }" {
		return false
	}
	writeContents(r)
	return true
}

// maxTableOfContents is the most headings that such a table lists.
const maxTableOfContents = 500

// asksForContents reports a paragraph that is nothing but [TOC] or [[_TOC_]].
func asksForContents(r *renderer, n ast.Node) bool {
	first := n.FirstChild()
	if first == nil || n.Lines() == nil || n.Lines().Len() != 1 {
		return false
	}
	if w, ok := first.(*markdown.WikiLink); ok {
		return first.NextSibling() == nil && w.IsContents()
	}
	line := n.Lines().At(0)
	if line.Len() > len("[[_TOC_]]")+2 {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(string(line.Value(r.doc.Text)))) {
	case "[toc]", "{:toc}", "${toc}", "{{toc}}":
		return true
	}
	return false
}
