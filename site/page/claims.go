package page

import (
	"path"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// claimPage returns the page of the claims listing that shows a claim.
func claimPage(ps *model.Pack, i int32) string {
	return ps.Dir + Numbered("claims", 1+int(i)/RowsPerPage)
}

// Claims is a page of some claims.
func Claims(p *Pages, out, status string, claims []int32) templates.Claims {
	title := "Claims"
	if status != "" {
		title += ", " + strings.ReplaceAll(status, "-", " ")
	}
	return templates.Claims{
		Frame: p.frame(out, title+" · "+p.Model.Name, "What "+p.Model.Name+" states and the sources it rests on"),
		Pack:  p.home(out), Heading: title, Only: status, Total: len(p.Model.Result.SourceMap.Claims), Rows: claimRows(p.Model, out, claims),
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
