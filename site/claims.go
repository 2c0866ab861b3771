package site

import (
	"path"

	"github.com/packgen/packgen/templates"
)

// claimStatuses is the order in which counts are shown (agent-knowledge section
// 3.5).
var claimStatuses = []string{"confirmed", "inferred", "disputed", "stale", "missing", "source-required"}

// claimPage returns the page of the claims listing that shows a claim.
func (ps *packSite) claimPage(i int32) string {
	return ps.dir + numbered("claims", 1+int(i)/rowsPerPage)
}

// addClaims plans the source map as tables.
func (b *build) addClaims(ps *packSite) {
	claims := ps.res.SourceMap.Claims
	counts := map[string]int{}
	for _, c := range claims {
		counts[c.Status]++
	}
	var shown []templates.StatusCount
	for _, s := range claimStatuses {
		if counts[s] > 0 {
			shown = append(shown, templates.StatusCount{Status: s, Count: counts[s]})
		}
	}
	for page := 1; page <= pagesFor(len(claims)); page++ {
		b.add(func() error {
			out := ps.dir + numbered("claims", page)
			v := templates.Claims{
				Frame: ps.frame(out, "Claims · "+ps.name, "What "+ps.name+" states and the sources it rests on"),
				Pack:  templates.Link{URL: "index.html", Text: ps.name},
				Total: len(claims), Counts: shown, Pager: pager("claims", page, len(claims)),
			}
			shown := make([]int32, len(window(claims, page)))
			for i := range shown {
				shown[i] = int32((page-1)*rowsPerPage + i)
			}
			return ps.putClaims(out, v, shown, func(rows []templates.ClaimRow) templates.View {
				v.Rows = rows
				return v
			})
		})
	}
}

func (ps *packSite) claimRow(out string, i int32) templates.ClaimRow {
	c := &ps.res.SourceMap.Claims[i]
	row := templates.ClaimRow{Text: c.Text, Status: c.Status, Place: templates.Link{Text: c.Document}}
	if n := ps.byPath[c.Document]; n != nil {
		row.Place = templates.Link{URL: ps.section(out, n, c.SectionID), Text: n.name()}
		if n.claims[0] == i {
			row.ID = c.ClaimID // the page of the file links to its first claim
		}
	}
	if c.Source.Path != "" {
		row.Source.Text = path.Base(c.Source.Path)
		if c.Source.Anchor != "" {
			row.Source.Text += "#" + c.Source.Anchor
		}
		if row.Source.URL, _ = ps.sourceURL(out, c.Source.Path, c.Source.Anchor); row.Source.URL == "" {
			row.Source.URL = ps.atSource(out, c.Source)
		}
		row.Span = ps.spanOf(c)
		row.Cited = ps.cited(c.Source.Path, c.Source.Anchor)
	}
	return row
}
