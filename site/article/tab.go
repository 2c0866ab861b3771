package article

import (
	"cmp"
	"strconv"

	"github.com/yuin/goldmark/ast"

	"github.com/packgen/packgen/compiler/markdown"
)

// Tabs are parts that fold away of which one is open: those of a group have one name. So
// they work without a script, by keys too, and what is in them is found by a search in the
// page and by links.

// isTab reports a tab.
func isTab(n ast.Node) bool {
	c, ok := n.(*markdown.CalloutNode)
	return ok && c.Callout.Kind == "tab"
}

// openTab opens a tab, and the group of those that are next to each other before the first.
func (r *renderer) openTab(n ast.Node) {
	parent := n.Parent()
	first := !isTab(n.PreviousSibling())
	if first {
		if r.groups == nil {
			r.groups = map[ast.Node]int{}
		}
		r.tabs++
		r.groups[parent] = r.tabs
		r.Raw("<div class=tabset>\n")
	}
	r.tabTag(r.doc.Inner[n], r.groups[parent], first)
}

// tabTag opens a tab of a group; id is what links call it, "" when it has none.
func (r *renderer) tabTag(id string, group int, open bool) {
	r.Raw("<details class=tab")
	if id != "" {
		r.Attr("id", id)
	}
	r.Attr("name", "s.tabs-"+strconv.Itoa(group))
	if open {
		r.Raw(" open")
	}
	r.Raw("><summary>")
}

// tabTitle writes what a tab is called.
func (r *renderer) tabTitle(title *markdown.CalloutTitle) {
	if title != nil && title.HasChildren() {
		r.inlines(title)
	} else {
		r.Raw("Tab")
	}
	r.Raw("</summary>\n")
}

// closeTab closes a tab, and its group after the last.
func (r *renderer) closeTab(n ast.Node) {
	r.Raw("</details>\n")
	if !isTab(n.NextSibling()) {
		r.Raw("</div>\n")
	}
}

// codeTabs writes blocks of code as tabs with their titles.
func (r *renderer) codeTabs(n ast.Node) {
	r.tabs++
	group, open := r.tabs, true
	r.Raw("<div class=tabset>\n")
	r.apart(func() {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			code, ok := c.(*ast.FencedCodeBlock)
			if _, title := c.(*markdown.CalloutTitle); title || c.Kind() == ast.KindHTMLBlock {
				continue
			}
			if !ok {
				r.block(c)
				continue
			}
			f := r.fence(code)
			r.tabTag("", group, open)
			r.Literal([]byte(cmp.Or(f.title, f.language, "Code")))
			r.Raw("</summary>\n")
			open, r.untitled = false, true
			r.fenced(code)
			r.untitled = false
			r.Raw("</details>\n")
		}
	})
	r.Raw("</div>\n")
}
