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

// tabs are the groups of an article.
type tabs struct {
	groups   map[ast.Node]int // numbers of the last group in a node
	count    int              // groups so far
	untitled bool             // titles of code are those of tabs
}

// isTab reports a tab.
func isTab(n ast.Node) bool {
	c, ok := n.(*markdown.CalloutNode)
	return ok && c.Callout.Kind == "tab"
}

// openTab opens a tab, and the group of those that are next to each other before the first.
func openTab(r *renderer, n ast.Node) {
	parent := n.Parent()
	first := !isTab(n.PreviousSibling())
	if first {
		r.tabs.count++
		r.tabs.groups[parent] = r.tabs.count
		r.Raw("<div class=tabset>\n")
	}
	openTabTag(r, r.doc.Inner[n], r.tabs.groups[parent], first)
}

// openTabTag opens a tab of a group; id is what links call it, "" when it has none.
func openTabTag(r *renderer, id string, group int, open bool) {
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

// writeTabTitle writes what a tab is called.
func writeTabTitle(r *renderer, title *markdown.CalloutTitle) {
	if title != nil && title.HasChildren() {
		r.inlines(title)
	} else {
		r.Raw("Tab")
	}
	r.Raw("</summary>\n")
}

// closeTab closes a tab, and its group after the last.
func closeTab(r *renderer, n ast.Node) {
	r.Raw("</details>\n")
	if !isTab(n.NextSibling()) {
		r.Raw("</div>\n")
	}
}

// writeCodeTabs writes blocks of code as tabs with their titles.
func writeCodeTabs(r *renderer, n ast.Node) {
	r.tabs.count++
	group, open := r.tabs.count, true
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
			f := fenceOf(r, code)
			openTabTag(r, "", group, open)
			r.Literal([]byte(cmp.Or(f.title, f.language, "Code")))
			r.Raw("</summary>\n")
			open, r.tabs.untitled = false, true
			writeFenced(r, code)
			r.tabs.untitled = false
			r.Raw("</details>\n")
		}
	})
	r.Raw("</div>\n")
}
