package templates

import "github.com/packgen/packgen/compiler/amount"

// Print is a pack, or a part of it, as one document.
type Print struct {
	Frame
	Pack        Link
	Description string
	Pages       int    // of the whole pack
	Rows        []Link // the pages of this part, in the author's order
	Pager       Pager
}

func (Print) page() string { return "print" }

// write writes the list of the pages. The script puts their texts in its place.
func (v Print) write(m *Markup) {
	m.head(&v.Frame)
	m.Put("<main id=s.main class=wide>\n<nav class=crumbs aria-label=Breadcrumb><a%[href]>Packs</a><a%[href]>%s</a></nav>\n<h1>%s</h1>\n<p class=lede>%s</p>\n", v.Root+"index.html", v.Pack.URL, v.Pack.Text, v.Pack.Text, v.Description)
	m.pager(&v.Pager, "above")
	m.Put("<p class=sum role=status>%s, in the author's order.</p>\n<ol class=sheaf>", amount.Counted(v.Pages, "page"))
	for _, l := range v.Rows {
		m.Raw("<li>")
		m.link(l)
	}
	m.Raw("</ol>\n</main>\n")
	m.foot(&v.Frame)
}
