package templates

import "github.com/packgen/packgen/compiler/amount"

// write writes a list of pages: of documents or wiki, or the page of a folder.
func (v Listing) write(m *Markup) {
	v.Menu = v.Branch.All.URL != ""
	m.head(&v.Frame)
	m.Raw("<div class=doc>\n<main id=s.main class=lists>\n")
	m.trail(v.Pack, v.Trail)
	if !v.Titled {
		m.Put("<h1>%s</h1>\n", v.Name)
	}
	if v.Body != nil {
		m.Raw("<article class=prose>")
		m.B = append(m.B, v.Body...) // escaped by the site's renderer
		m.Raw("</article>\n<h2 class=label>In this folder</h2>\n")
	}
	m.Put("<p class=sum>%s</p>\n", amount.Counted(v.Total, "page"))
	m.pager(&v.Pager, "above")
	if len(v.Rows) >= sifted {
		what := "Filter this list"
		if v.Pager.Pages > 1 {
			what = "Filter this page"
		}
		m.sift(what)
	}
	m.Raw("<div class=scroll><table class=\"list pages sorts\"><thead><tr><th>Page<th>File<th class=n>Splits<th class=n>Tokens</thead><tbody>\n")
	for i := range v.Rows {
		m.listed(&v.Rows[i])
	}
	m.Raw("</tbody></table></div>\n")
	m.pager(&v.Pager, "below")
	m.Raw("</main>\n")
	m.branch(&v.Branch)
	m.Raw("</div>\n")
	m.foot(&v.Frame)
}

func (m *Markup) listed(row *ListingRow) {
	if row.Folder.Text != "" {
		m.Raw("<tr class=group><th colspan=4 scope=rowgroup>")
		m.link(row.Folder)
		m.Raw("\n")
	}
	m.Put("<tr><td><a%[href]>%s</a>", row.URL, row.Title)
	if row.Status != "" {
		m.Raw(" ")
		m.badge(row.Status)
	}
	m.Put("<td><code>%s</code><td class=n>", row.Path)
	switch {
	case row.Inside > 0:
		m.Put("<td class=n>%s", amount.Counted(row.Inside, "page"))
	default:
		if row.Splits != 0 {
			m.Put("%s", amount.Grouped(row.Splits))
		}
		m.Raw("<td class=n>")
		if row.Tokens != 0 {
			m.Put("%s", amount.Grouped(row.Tokens))
		}
	}
	m.Raw("\n")
}

// sifted is how many rows a list has at least that can be filtered.
const sifted = 8

// sift writes the field that filters the list after it. Without script it is not shown.
func (m *Markup) sift(what string) {
	m.Put("<p class=sift><input type=search%[placeholder]%[aria-label]> <span role=status></span></p>\n", what, what)
}
