package page

import (
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

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
