package templates

import "github.com/packgen/packgen/compiler/amount"

// Graph is the page of a pack that shows how its pages link to each other.
type Graph struct {
	Frame
	Pack         Link
	Pages, Links int
	Rows         []GraphRow // the pages that most others link to
}

// GraphRow is a page of the list.
type GraphRow struct {
	URL, Title string
	From, To   int // pages that link to it, and that it links to
}

func (Graph) page() string { return "graph" }

// write writes the page. The script draws the graph above the list.
func (v Graph) write(m *Markup) {
	m.head(&v.Frame)
	m.Put("<main id=s.main class=wide>\n<nav class=crumbs aria-label=Breadcrumb><a%[href]>Packs</a><a%[href]>%s</a></nav>\n<h1>Graph</h1>\n<p class=sum>%s, %s between them.</p>\n",
		v.Root+"index.html", v.Pack.URL, v.Pack.Text, amount.Counted(v.Pages, "page"), amount.Counted(v.Links, "link"))
	m.Raw("<div class=graph></div>\n")
	if len(v.Rows) > 0 {
		m.Raw("<h2 class=label>Linked to most</h2>\n<div class=scroll><table class=\"list sorts\"><thead><tr><th>Page<th class=n>Linked from<th class=n>Links to</thead><tbody>\n")
		for _, row := range v.Rows {
			m.Put("<tr><td><a%[href]>%s</a><td class=n>%s<td class=n>%s\n", row.URL, row.Title, amount.Grouped(row.From), amount.Grouped(row.To))
		}
		m.Raw("</tbody></table></div>\n")
	}
	m.Raw("</main>\n")
	m.foot(&v.Frame)
}
