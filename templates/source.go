package templates

import (
	"strconv"

	"github.com/packgen/packgen/compiler/amount"
)

// Source is the page of a file that claims rest on.
type Source struct {
	Frame
	Pack, All Link   // the pack, and its claims
	Path      string // in the pack
	Raw       string // the file as it is, "" when it is not published
	Lines     []string
	Total     int
	Rows      []ClaimRow
	Pager     Pager
}

func (Source) page() string { return "source" }

// write writes the page: what rests on the source, then its lines.
func (v Source) write(m *Markup) {
	m.head(&v.Frame)
	m.Put("<main id=s.main class=wide>\n<nav class=crumbs aria-label=Breadcrumb><a%[href]>Packs</a><a%[href]>%s</a><a%[href]>%s</a></nav>\n", v.Root+"index.html", v.Pack.URL, v.Pack.Text, v.All.URL, v.All.Text)
	m.Put("<h1 class=path>%s</h1>\n<p class=sum>%s on this source.", v.Path, amount.Counted(v.Total, "claim")+rests(v.Total))
	switch {
	case v.Raw != "":
		m.Put(" <a%[href]>The file as it is</a>", v.Raw)
	default:
		m.Raw(" Its text is not published.")
	}
	m.Raw("</p>\n")
	m.pager(&v.Pager, "above")
	m.claims(v.Rows, "Filter by words or status")
	m.pager(&v.Pager, "below")
	if len(v.Lines) > 0 {
		m.Raw("<section aria-labelledby=s.text><h2 id=s.text class=label>Text</h2>\n<pre class=lines>")
		for i, line := range v.Lines {
			m.Put("<span%[id]>%s</span>\n", "L"+strconv.Itoa(i+1), line)
		}
		m.Raw("</pre></section>\n")
	}
	m.Raw("</main>\n")
	m.foot(&v.Frame)
}

func rests(n int) string {
	if n == 1 {
		return " rests"
	}
	return " rest"
}
