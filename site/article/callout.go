package article

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/packgen/packgen/compiler/markdown"
)

// calloutLook maps what callouts are called to how they look. Those that are not
// here look like a note.
var calloutLook = map[string]string{
	"tip": "tip", "hint": "tip", "success": "tip", "check": "tip", "done": "tip", "question": "tip", "help": "tip", "faq": "tip",
	"important": "important", "abstract": "important", "summary": "important", "tldr": "important", "example": "important",
	"warning": "warning", "attention": "warning", "caution": "caution", "danger": "caution", "error": "caution",
	"bug": "caution", "failure": "caution", "fail": "caution", "missing": "caution",
	"quote": "quote", "cite": "quote",
}

// boxes are blocks between colons that are not callouts: what is in them is shown.
var boxes = map[string]bool{
	"tabs": true, "tab-item": true, "tabitem": true, "steps": true, "cards": true, "card": true,
	"cardgrid": true, "grid": true, "container": true, "row": true, "col": true, "column": true, "columns": true, "center": true,
	"caption": true, "list-table": true, "raw": true, "v-pre": true, "div": true, "figure": true, "filetree": true,
}

// boxLook is the class of those that look like something.
var boxLook = map[string]string{"card": "box", "cards": "grid", "cardgrid": "grid", "grid": "grid", "columns": "grid", "filetree": "files"}

// callout writes a callout.
func (r *renderer) callout(n ast.Node, c *markdown.Callout) {
	title, _ := n.FirstChild().(*markdown.CalloutTitle)
	switch {
	case c.Kind == "tab":
		r.openTab(n)
		r.tabTitle(title)
	case c.Kind == "code-group":
		r.codeTabs(n)
		return
	case c.Kind == "details":
		r.details("", c.Fold == '+', title, "Details")
	case c.Kind == "list-table" && r.listTable(n, c, title):
		return
	case boxes[c.Kind]:
		r.Raw("<div")
		if class := boxLook[c.Kind]; class != "" {
			r.Attr("class", class)
		}
		r.Raw(">")
		if title != nil && title.HasChildren() {
			r.Raw("\n<p><strong>")
			r.inlines(title)
			r.Raw("</strong>\n")
		}
	case c.Fold != 0:
		r.details("callout "+look(c.Kind), c.Fold == '+', title, calloutName(c.Kind))
	default:
		r.Raw(`<div class="callout ` + look(c.Kind) + `" role=note>`)
		if !c.Title || title != nil && title.HasChildren() {
			r.Raw("<p class=name>")
			if title != nil {
				r.inlines(title)
			} else {
				r.Literal([]byte(calloutName(c.Kind)))
			}
		}
		r.Raw("\n")
	}
	mark := r.enter()
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if child != ast.Node(title) || title == nil {
			r.block(child)
		}
	}
	r.leave(mark)
	if c.Kind == "tab" {
		r.closeTab(n)
	} else if c.Kind == "details" || c.Fold != 0 && !boxes[c.Kind] {
		r.Raw("</details>\n")
	} else {
		r.Raw("</div>\n")
	}
}

// details opens a part that folds away.
func (r *renderer) details(class string, open bool, title *markdown.CalloutTitle, name string) {
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

func look(kind string) string {
	if l, ok := calloutLook[kind]; ok {
		return l
	}
	return "note"
}

// calloutName is the title of a callout that has none: what it is called.
func calloutName(kind string) string {
	if kind == "" {
		return "Note"
	}
	return strings.ToUpper(kind[:1]) + strings.ReplaceAll(kind[1:], "-", " ")
}

// enter starts a part that elements of HTML do not leave, and leave ends it.
func (r *renderer) enter() (mark int) {
	mark, r.base = r.base, len(r.open)
	return mark
}

func (r *renderer) leave(mark int) {
	r.closeTo(r.base)
	r.base = mark
}

// definitions writes a definition list.
func (r *renderer) definitions(n *east.DefinitionList) {
	r.Raw("<dl>\n")
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() == east.KindDefinitionTerm {
			r.Raw("<dt>")
			r.inlines(c)
			r.Raw("\n")
			continue
		}
		r.Raw("<dd>")
		mark := r.enter()
		r.blocks(c)
		r.leave(mark)
	}
	r.Raw("</dl>\n")
}

// contentsList writes the table of contents that a page asks for in its text.
func (r *renderer) contentsList() {
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

// listOfContents writes the table of contents that Kramdown puts in place of a list with
// {:toc} in it.
func (r *renderer) listOfContents(n *ast.List) bool {
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
	r.contentsList()
	return true
}

// maxTableOfContents is the most headings that such a table lists.
const maxTableOfContents = 500

// asksForContents reports a paragraph that is nothing but [TOC] or [[_TOC_]].
func (r *renderer) asksForContents(n ast.Node) bool {
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
