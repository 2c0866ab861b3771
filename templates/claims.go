package templates

// write makes a page of the source map. Claims are below the section that
// states them, which is named once; "confirmed" is not repeated on each.
func (v Claims) write(m *markup) {
	m.head(&v.Frame)
	m.raw("<main id=s.main class=wide>\n<nav class=crumbs aria-label=Breadcrumb>")
	m.link(v.Root+"index.html", "Packs")
	m.link(v.Pack.URL, v.Pack.Text)
	m.raw("</nav>\n<h1>Claims</h1>\n<p class=sum>")
	v.sum(m)
	m.raw("</p>\n")
	m.pager(&v.Pager, "above")
	if len(v.Rows) > 0 {
		m.raw(`<div class=scroll><table class="list claims"><thead><tr><th>Claim<th>Source</thead><tbody>` + "\n")
		for i, row := range v.Rows {
			if i == 0 || row.Place != v.Rows[i-1].Place {
				m.raw("<tr class=group><th colspan=2>")
				m.place(row.Place)
				m.raw("\n")
			}
			m.claim(row)
		}
		m.raw("</tbody></table></div>\n")
	}
	m.pager(&v.Pager, "below")
	m.raw("</main>\n")
	m.foot(&v.Frame)
}

// sum says how many claims there are and how they are.
func (v *Claims) sum(m *markup) {
	if v.Total == 0 {
		m.raw("No statement of this pack cites a source or carries a status.")
		return
	}
	m.text(label(v.Total, "claim"))
	m.raw(", each with the source it rests on: ")
	for i, c := range v.Counts {
		if i > 0 {
			m.raw(", ")
		}
		m.text(Count(c.Count) + " " + words(c.Status))
	}
	m.raw(". Those without a word on their status are confirmed.")
}

func (m *markup) claim(row ClaimRow) {
	m.raw("<tr")
	if row.ID != "" {
		m.attr("id", row.ID)
	}
	m.raw("><td>")
	m.text(row.Text)
	if row.Status != "confirmed" {
		m.raw(" ")
		m.badge(row.Status)
	}
	m.raw("<td>")
	m.place(row.Source)
	m.raw("\n")
}
