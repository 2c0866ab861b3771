package article

import (
	"cmp"

	"github.com/yuin/goldmark/ast"

	"github.com/packgen/packgen/compiler/markdown"
)

// component writes what a tag of a component says: its link, its text, its picture. One
// without content that says nothing is shown as the code it is, except an icon.
func (r *renderer) component(n *markdown.ComponentTag) {
	name := "<" + n.Name // no element of HTML has this name
	switch {
	case n.Close:
		for i := len(r.open) - 1; i >= r.base; i-- {
			if r.open[i].name == name {
				r.closeTo(i)
				return
			}
		}
	case n.Picture != "":
		r.picture(picture{dest: cleanDest([]byte(n.Picture)), alt: n.Label, offset: n.Pos()})
	case !n.Alone:
		if n.Link != "" && !r.inLink && len(r.open) < maxOpen && r.openLink(cleanDest([]byte(n.Link)), "", n.Pos()) {
			r.inLink = true
			r.open = append(r.open, opened{name: name, as: "a"})
		}
	case n.Link != "":
		r.componentLink(n)
	case n.Label != "":
		r.componentText(n)
	case !n.IsIcon():
		r.textElement("code", n.Written)
	}
}

// componentLink writes a tag that is a link, with what it leads to.
func (r *renderer) componentLink(n *markdown.ComponentTag) {
	r.linkText(cleanDest([]byte(n.Link)), "", cmp.Or(n.Label, n.Link), n.Pos())
	if n.About != "" {
		r.Raw("<br>\n")
		r.Literal([]byte(n.About))
	}
}

// componentText writes a tag that is a text: the title of what follows when it is a
// paragraph, otherwise a badge.
func (r *renderer) componentText(n *markdown.ComponentTag) {
	as := "small"
	if n.Parent().Type() == ast.TypeBlock && n.PreviousSibling() == nil && n.NextSibling() == nil && r.para >= 0 {
		as = "strong"
	}
	r.textElement(as, EmojiText(n.Label))
}
