package article

import (
	"cmp"

	"github.com/yuin/goldmark/ast"

	"github.com/packgen/packgen/compiler/markdown"
)

// writeComponent writes what a tag of a component says: its link, its text, its picture. One
// without content that says nothing is shown as the code it is, except an icon.
func writeComponent(r *renderer, n *markdown.ComponentTag) {
	name := "<" + n.Name // no element of HTML has this name
	switch {
	case n.Close:
		for i := len(r.html.open) - 1; i >= r.html.base; i-- {
			if r.html.open[i].name == name {
				closeTo(r, i)
				return
			}
		}
	case n.Picture != "":
		writePicture(r, picture{dest: cleanDest([]byte(n.Picture)), alt: n.Label, offset: n.Pos()})
	case !n.Alone:
		if n.Link != "" && !r.inLink && len(r.html.open) < maxOpen && openLink(r, cleanDest([]byte(n.Link)), "", n.Pos()) {
			r.inLink = true
			r.html.open = append(r.html.open, opened{name: name, as: "a"})
		}
	case n.Link != "":
		writeComponentLink(r, n)
	case n.Label != "":
		writeComponentText(r, n)
	case !n.IsIcon():
		r.textElement("code", n.Written)
	}
}

// writeComponentLink writes a tag that is a link, with what it leads to.
func writeComponentLink(r *renderer, n *markdown.ComponentTag) {
	writeLinkText(r, cleanDest([]byte(n.Link)), "", cmp.Or(n.Label, n.Link), n.Pos())
	if n.About != "" {
		r.Raw("<br>\n")
		r.Literal([]byte(n.About))
	}
}

// writeComponentText writes a tag that is a text: the title of what follows when it is a
// paragraph, otherwise a badge.
func writeComponentText(r *renderer, n *markdown.ComponentTag) {
	as := "small"
	if n.Parent().Type() == ast.TypeBlock && n.PreviousSibling() == nil && n.NextSibling() == nil && r.html.para >= 0 {
		as = "strong"
	}
	r.textElement(as, EmojiText(n.Label))
}
