package site

import (
	"path"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// claimPage returns the page of the claims listing that shows a claim.
func claimPage(ps *model.Pack, i int32) string {
	return ps.Dir + numbered("claims", 1+int(i)/rowsPerPage)
}

// addClaims plans the source map as tables: of all claims, and where those are more than
// one page, of each status that is not confirmed.
func (b *build) addClaims(w *making) {
	claims := w.ps.Result.SourceMap.Claims
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
		w.plan(w.ps.Dir+numbered(name, at), func(out string) (templates.View, error) {
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
		Frame: p.frame(out, title+" · "+p.ps.Name, "What "+p.ps.Name+" states and the sources it rests on"),
		Pack:  p.home(out), Heading: title, Only: status, Total: len(p.ps.Result.SourceMap.Claims), Rows: claimRows(p.ps, out, claims),
	}
}

func claimRows(ps *model.Pack, out string, claims []int32) []templates.ClaimRow {
	rows := make([]templates.ClaimRow, len(claims))
	for i, at := range claims {
		rows[i] = claimRow(ps, out, at)
	}
	return rows
}

func claimRow(ps *model.Pack, out string, i int32) templates.ClaimRow {
	c := &ps.Result.SourceMap.Claims[i]
	row := templates.ClaimRow{Text: c.Text, Status: string(c.Status), Place: templates.Link{Text: c.Document}}
	if n := ps.ByPath[c.Document]; n != nil {
		row.Place = templates.Link{URL: ps.SectionURL(out, n, c.SectionID), Text: n.Name()}
		if title := ps.Claims.Titles[[2]string{c.Document, c.SectionID}]; title != n.Name() {
			row.Section = title
		}
		if n.Claims[0] == i {
			row.ID = c.ClaimID // the page of the file links to its first claim
		}
	}
	row.Since, row.Against = ps.Claims.Since()[model.KeyOf(c)], against(ps, out, i)
	if c.Source.Path != "" {
		row.Source.Text = path.Base(c.Source.Path)
		if c.Source.Anchor != "" {
			row.Source.Text += "#" + c.Source.Anchor
		}
		if row.Source.URL, _ = ps.SourceURL(out, c.Source.Path, c.Source.Anchor); row.Source.URL == "" {
			row.Source.URL = ps.SourceLine(out, c.Source)
		}
		row.Span = model.SpanOf(ps, c)
		row.Cited = model.CitedText(ps, c.Source.Path, c.Source.Anchor)
	}
	return row
}

// against shows what a disputed claim is disputed with.
func against(ps *model.Pack, out string, i int32) []templates.Against {
	var list []templates.Against
	for _, other := range ps.Claims.Against()[i] {
		c := &ps.Result.SourceMap.Claims[other]
		a := templates.Against{Place: templates.Link{Text: c.Document}}
		if n := ps.ByPath[c.Document]; n != nil {
			a.Place = templates.Link{URL: ps.SectionURL(out, n, c.SectionID), Text: n.Name()}
		}
		if c.Text != ps.Result.SourceMap.Claims[i].Text {
			a.Text = diag.OneLine(c.Text, 240)
		}
		list = append(list, a)
	}
	return list
}
