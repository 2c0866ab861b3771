package templates

import "github.com/packgen/packgen/compiler/amount"

// write writes a page of the source map. Each row group begins with the section that
// states the claims; the status "confirmed" is left out.
func (v Claims) write(m *Markup) {
	m.head(&v.Frame)
	m.Put("<main id=s.main class=wide>\n<nav class=crumbs aria-label=Breadcrumb><a%[href]>Packs</a><a%[href]>%s</a></nav>\n<h1>%s</h1>\n<p class=sum>",
		v.Root+"index.html", v.Pack.URL, v.Pack.Text, v.Heading)
	v.sum(m)
	m.Raw("</p>\n")
	m.pager(&v.Pager, "above")
	filter := "Filter by words, status or source"
	if v.Pager.Pages > 1 {
		filter = "Filter this page by words, status or source"
	}
	m.claims(v.Rows, filter)
	m.pager(&v.Pager, "below")
	m.Raw("</main>\n")
	m.foot(&v.Frame)
}

// claims writes the table of claims, with a field that filters it by what it says.
func (m *Markup) claims(rows []ClaimRow, filter string) {
	if len(rows) == 0 {
		return
	}
	if len(rows) >= sifted {
		m.sift(filter)
	}
	m.Raw(`<div class=scroll><table class="list claims"><thead><tr><th>Claim<th>Source</thead><tbody>` + "\n")
	for i, row := range rows {
		if i == 0 || row.Place != rows[i-1].Place {
			m.Raw("<tr class=group><th colspan=2>")
			m.link(row.Place)
			if row.Section != "" {
				m.Put(" <small>%s</small>", row.Section)
			}
			m.Raw("\n")
		}
		m.claim(row)
	}
	m.Raw("</tbody></table></div>\n")
}

// sum writes how many claims there are, by status.
func (v *Claims) sum(m *Markup) {
	if v.Total == 0 {
		m.Raw("No statement of this pack cites a source or carries a status.")
		return
	}
	m.Put("%s, each with the source it rests on: ", amount.Counted(v.Total, "claim"))
	for i, c := range v.Counts {
		if i > 0 {
			m.Raw(", ")
		}
		m.link(Link{URL: c.address(v.Only), Text: amount.Grouped(c.Count) + " " + words(c.Status)})
	}
	m.Raw(". Those without a word on their status are confirmed.")
	if v.Only != "" {
		m.Raw(" <a href=claims.html>All claims</a>")
	}
}

func (m *Markup) claim(row ClaimRow) {
	m.Raw("<tr")
	if row.ID != "" {
		m.Attr("id", row.ID)
	}
	m.Put("><td>%s", row.Text)
	if row.Status != "confirmed" {
		m.Raw(" ")
		m.badge(row.Status)
	}
	if row.Since != "" {
		m.Put(" <small class=since>since %s</small>", row.Since)
	}
	m.against(row.Against)
	m.Raw("<td>")
	if row.Source.URL != "" {
		m.Put("<a class=cites%[href]>%s</a>", row.Source.URL, row.Source.Text)
	} else {
		m.Put("<span class=cites>%s</span>", row.Source.Text)
	}
	if row.Span != "" {
		m.Put(" <code class=span%[title]>%s</code>", "SHA-256 of the cited text: "+row.Span, row.Span[:min(8, len(row.Span))])
	}
	if row.Cited != "" {
		m.Put("<pre>%s</pre>", row.Cited)
	}
	m.Raw("\n")
}

// against says what a claim is disputed with.
func (m *Markup) against(list []Against) {
	for i, a := range list {
		m.Raw("<p class=against>")
		if i == 0 {
			m.Raw("Disputed with ")
		} else {
			m.Raw("and with ")
		}
		m.link(a.Place)
		if a.Text != "" {
			m.Put(": %s", a.Text)
		} else {
			m.Raw(", which says the same")
		}
		m.Raw("</p>")
	}
}

// Diff is the page that says how routing changed from one build to another. Its lists
// name the first of what they are about and count the rest.
type Diff struct {
	Frame
	Before, After, Dialect string
	Came, Went, Altered    int // entries
	Tokens                 int // of all entries, after
	TokensMore             string
	Asked, Moved           int // tasks that were tried, and that select something else
	Tasks                  []DiffTask
	Changed, Gained, Lost  []DiffEntry

	MoreTasks, MoreChanged, MoreGained, MoreLost int
}

// DiffTask is a task that selects something else. Its lists hold ids.
type DiffTask struct {
	Task                string
	Gained, Lost, Moved []string
	More                int // changes that are not named
	Tokens              int
	TokensMore          string
}

// DiffEntry is an entry that came, went or changed, with its keywords or what is
// different.
type DiffEntry struct{ ID, Text, Tokens string }

func (Diff) page() string { return "diff.html" }
