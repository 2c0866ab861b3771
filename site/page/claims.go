package page

import (
	"path"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
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

// meaning is what a status says to somebody who reads on (agent-knowledge
// section 14.1).
type meaning struct {
	title string // at the head of the page that has it
	pack  string // after "The pack x", on the pages inside
	text  string
}

func meaningOf(status schema.Status) (meaning, bool) {
	switch status {
	case schema.Draft:
		return meaning{"Draft.", "is a draft.", "Not finished, and not meant to be relied on yet."}, true
	case schema.NeedsReview:
		return meaning{"Needs review.", "needs review.", "Somebody should look at this before it is relied on."}, true
	case schema.Stale:
		return meaning{"Stale.", "is stale.", "The world may have moved on since this was written; prefer newer sources."}, true
	case schema.Disputed:
		return meaning{"Disputed.", "is disputed.", "Sources contradict each other here; do not use it without asking."}, true
	case schema.Archived:
		return meaning{"Archived.", "is archived.", "Kept for the record; not used any more."}, true
	}
	return meaning{}, false
}

// documentNotices are the warnings at the head of a page: its own status, then
// the pack's.
func documentNotices(ps *model.Pack, n *model.Node) []templates.Notice {
	var list []templates.Notice
	if m, ok := meaningOf(n.Unit.Status); ok {
		list = append(list, templates.Notice{Kind: string(n.Unit.Status), Title: m.title, Text: m.text})
	}
	for _, kind := range []schema.Status{schema.Disputed, schema.Stale} {
		texts := map[string]bool{}
		for _, i := range n.Claims {
			if c := &ps.Result.SourceMap.Claims[i]; c.Status == kind {
				texts[c.Text] = true
			}
		}
		if len(texts) > 0 && kind != n.Unit.Status {
			list = append(list, templates.Notice{Kind: string(kind), Title: amount.Counted(len(texts), string(kind)+" claim") + ".", URL: "#s.care", More: "Claims to handle with care"})
		}
	}
	status := ps.Pack.Meta.Status
	if m, ok := meaningOf(status); ok && status != n.Unit.Status {
		list = append(list, templates.Notice{
			Kind: string(status), Title: "The pack " + ps.Name + " " + m.pack, Text: m.text,
			URL: model.Relative(n.Out, ps.Dir+"index.html"), More: "About the pack",
		})
	}
	return list
}

// notices are the warnings in the open on a pack's page: the status its owner
// gave it, then what the last compile found.
func notices(ps *model.Pack) []templates.Notice {
	var list []templates.Notice
	status := ps.Pack.Meta.Status
	if m, ok := meaningOf(status); ok {
		list = append(list, templates.Notice{Kind: string(status), Title: m.title, Text: m.text})
	}
	run := ps.Result.Run
	if run.Status != schema.Passed && run.Status != "" && run.Status != status {
		list = append(list, templates.Notice{
			Kind: string(run.Status), Title: "Last compile: " + words(run.Status) + ".",
			Text: worst(run.Review.Reason), URL: "#s.findings", More: "All findings",
		})
	}
	if ps.Pack.Meta.RuntimeMode == "persona" {
		list = append(list, templates.Notice{
			Kind: "note", Title: "Persona.", Text: "This pack describes a voice and its limits. It shapes style and states no facts.",
		})
	}
	return list
}

// worst writes the reason of a run for people: the rule id that records put
// before it goes.
func worst(reason string) string {
	if _, text, ok := strings.Cut(reason, "] "); ok && strings.HasPrefix(reason, "[") {
		reason = text
	}
	if reason == "" {
		return ""
	}
	return "Worst finding: " + diag.OneLine(reason, 300)
}

// words writes a status as prose does.
func words(status schema.Status) string { return strings.ReplaceAll(string(status), "-", " ") }

// viewNotices are the warnings at the head of a view: what it was built on, then
// the status of the pack.
func viewNotices(ps *model.Pack, v *schema.View, out string) []templates.Notice {
	var list []templates.Notice
	if d := model.ViewDoubt(ps, v); d.Status != "" {
		list = append(list, templates.Notice{
			Kind: string(d.Status), Title: "Built on " + string(d.Status) + " material.", Text: "See " + d.Named() + ".",
			URL: model.Relative(out, ps.Dir+"claims.html"), More: "Claims of the pack",
		})
	}
	status := ps.Pack.Meta.Status
	if m, ok := meaningOf(status); ok {
		list = append(list, templates.Notice{
			Kind: string(status), Title: "The pack " + ps.Name + " " + m.pack, Text: m.text,
			URL: model.Relative(out, ps.Dir+"index.html"), More: "About the pack",
		})
	}
	return list
}
