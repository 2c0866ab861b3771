package site

import (
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/templates"
)

// meaning is what a status says to somebody who reads on (agent-knowledge
// section 14.1).
type meaning struct {
	title string // at the head of the page that has it
	pack  string // after "The pack x", on the pages inside
	text  string
}

func meaningOf(status string) (meaning, bool) {
	switch status {
	case "draft":
		return meaning{"Draft.", "is a draft.", "Not finished, and not meant to be relied on yet."}, true
	case "needs-review":
		return meaning{"Needs review.", "needs review.", "Somebody should look at this before it is relied on."}, true
	case "stale":
		return meaning{"Stale.", "is stale.", "The world may have moved on since this was written; prefer newer sources."}, true
	case "disputed":
		return meaning{"Disputed.", "is disputed.", "Sources contradict each other here; do not use it without asking."}, true
	case "archived":
		return meaning{"Archived.", "is archived.", "Kept for the record; not used any more."}, true
	}
	return meaning{}, false
}

// documentNotices are the warnings at the head of a page: its own status, then
// the pack's.
func (ps *packSite) documentNotices(n *node) []templates.Notice {
	var list []templates.Notice
	if m, ok := meaningOf(n.unit.Status); ok {
		list = append(list, templates.Notice{Kind: n.unit.Status, Title: m.title, Text: m.text})
	}
	for _, kind := range []string{"disputed", "stale"} {
		texts := map[string]bool{}
		for _, i := range n.claims {
			if c := &ps.res.SourceMap.Claims[i]; c.Status == kind {
				texts[c.Text] = true
			}
		}
		if len(texts) > 0 && kind != n.unit.Status {
			list = append(list, templates.Notice{Kind: kind, Title: amount.Counted(len(texts), kind+" claim") + ".", URL: "#s.care", More: "Claims to handle with care"})
		}
	}
	status := ps.pack.Meta.Status
	if m, ok := meaningOf(status); ok && status != n.unit.Status {
		list = append(list, templates.Notice{
			Kind: status, Title: "The pack " + ps.name + " " + m.pack, Text: m.text,
			URL: relative(n.out, ps.dir+"index.html"), More: "About the pack",
		})
	}
	return list
}

// doubtOf is the worse of what a page and its claims are: "stale", "disputed" or "".
func (ps *packSite) doubtOf(n *node) string {
	worst := n.unit.Doubt()
	for _, i := range n.claims {
		worst = compiler.Worse(worst, ps.res.SourceMap.Claims[i].Status)
	}
	return worst
}

// notices are the warnings in the open on a pack's page: the status its owner
// gave it, then what the last compile found.
func (ps *packSite) notices() []templates.Notice {
	var list []templates.Notice
	status := ps.pack.Meta.Status
	if m, ok := meaningOf(status); ok {
		list = append(list, templates.Notice{Kind: status, Title: m.title, Text: m.text})
	}
	run := ps.res.Run
	if run.Status != "passed" && run.Status != "" && run.Status != status {
		list = append(list, templates.Notice{
			Kind: run.Status, Title: "Last compile: " + words(run.Status) + ".",
			Text: worst(run.Review.Reason), URL: "#s.findings", More: "All findings",
		})
	}
	if ps.pack.Meta.RuntimeMode == "persona" {
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
	return "Worst finding: " + oneLine(reason, 300)
}

// words writes a status as prose does.
func words(status string) string { return strings.ReplaceAll(status, "-", " ") }
