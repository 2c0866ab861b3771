package site

import (
	"path"
	"strings"

	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/templates"
)

// claimPage returns the page of the claims listing that shows a claim.
func claimPage(ps *packSite, i int32) string {
	return ps.dir + numbered("claims", 1+int(i)/rowsPerPage)
}

// addClaims plans the source map as tables: of all claims, and where those are more than
// one page, of each status that is not confirmed.
func (b *build) addClaims(w *making) {
	claims := w.ps.res.SourceMap.Claims
	all, by := make([]int32, len(claims)), map[schema.Status][]int32{}
	for i, c := range claims {
		all[i] = int32(i)
		by[c.Status] = append(by[c.Status], int32(i))
	}
	var counts []templates.StatusCount
	for _, s := range schema.ClaimStatuses() {
		if len(by[s]) == 0 {
			continue
		}
		count := templates.StatusCount{Status: string(s), Count: len(by[s])}
		if s != schema.Confirmed && len(claims) > rowsPerPage {
			count.URL = numbered("claims-"+string(s), 1)
		}
		counts = append(counts, count)
	}
	b.addClaimPages(w, "claims", "", all, counts)
	for _, c := range counts {
		if c.URL != "" {
			b.addClaimPages(w, "claims-"+c.Status, c.Status, by[schema.Status(c.Status)], counts)
		}
	}
}

// addClaimPages plans the pages of some claims: those of a status, or all when it is "".
func (b *build) addClaimPages(w *making, name, status string, claims []int32, counts []templates.StatusCount) {
	for at := 1; at <= pagesFor(len(claims)); at++ {
		w.plan(w.ps.dir+numbered(name, at), func(out string) (templates.View, error) {
			v := claimsPage(w.pages, out, status, window(claims, at))
			v.Counts, v.Pager = counts, pager(name, at, len(claims))
			return v, nil
		})
	}
}

// claimsPage is a page of some claims.
func claimsPage(p *pageMaker, out, status string, claims []int32) templates.Claims {
	title := "Claims"
	if status != "" {
		title += ", " + strings.ReplaceAll(status, "-", " ")
	}
	return templates.Claims{
		Frame: p.frame(out, title+" · "+p.ps.name, "What "+p.ps.name+" states and the sources it rests on"),
		Pack:  p.home(out), Heading: title, Only: status, Total: len(p.ps.res.SourceMap.Claims), Rows: claimRows(p.ps, out, claims),
	}
}

func claimRows(ps *packSite, out string, claims []int32) []templates.ClaimRow {
	rows := make([]templates.ClaimRow, len(claims))
	for i, at := range claims {
		rows[i] = claimRow(ps, out, at)
	}
	return rows
}

func claimRow(ps *packSite, out string, i int32) templates.ClaimRow {
	c := &ps.res.SourceMap.Claims[i]
	row := templates.ClaimRow{Text: c.Text, Status: string(c.Status), Place: templates.Link{Text: c.Document}}
	if n := ps.byPath[c.Document]; n != nil {
		row.Place = templates.Link{URL: ps.section(out, n, c.SectionID), Text: n.name()}
		if title := ps.sectionTitles[[2]string{c.Document, c.SectionID}]; title != n.name() {
			row.Section = title
		}
		if n.claims[0] == i {
			row.ID = c.ClaimID // the page of the file links to its first claim
		}
	}
	row.Since, row.Against = ps.staleSince()[keyOf(c)], against(ps, out, i)
	if c.Source.Path != "" {
		row.Source.Text = path.Base(c.Source.Path)
		if c.Source.Anchor != "" {
			row.Source.Text += "#" + c.Source.Anchor
		}
		if row.Source.URL, _ = ps.sourceURL(out, c.Source.Path, c.Source.Anchor); row.Source.URL == "" {
			row.Source.URL = ps.atSource(out, c.Source)
		}
		row.Span = spanOf(ps, c)
		row.Cited = cited(ps, c.Source.Path, c.Source.Anchor)
	}
	return row
}
