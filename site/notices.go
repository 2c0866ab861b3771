package site

import (
	"strings"

	"github.com/packgen/packgen/templates"
)

// statusText says what a status means to somebody who reads on (agent-knowledge section 14.1).
var statusText = map[string][2]string{
	"draft":        {"Draft.", "Not finished, and not meant to be relied on yet."},
	"needs-review": {"Needs review.", "Somebody should look at this before it is relied on."},
	"stale":        {"Stale.", "The world may have moved on since this was written; prefer newer sources."},
	"disputed":     {"Disputed.", "Sources contradict each other here; do not use it without asking."},
	"archived":     {"Archived.", "Kept for the record; not used any more."},
}

// documentNotices are the warnings at the head of a page: its own status, then
// the pack's.
func (ps *packSite) documentNotices(n *node) []templates.Notice {
	var list []templates.Notice
	if t, ok := statusText[n.unit.Status]; ok {
		list = append(list, templates.Notice{Kind: n.unit.Status, Title: t[0], Text: t[1]})
	}
	status := ps.pack.Meta.Status
	if t, ok := statusText[status]; ok && status != n.unit.Status {
		list = append(list, templates.Notice{
			Kind: status, Title: "The pack " + ps.name + " is " + words(status) + ".", Text: t[1],
			URL: relative(n.out, ps.dir+"index.html"), More: "About the pack",
		})
	}
	return list
}

// notices are the warnings in the open on a pack's page: the status its owner
// gave it, then what the last compile found.
func (ps *packSite) notices() []templates.Notice {
	var list []templates.Notice
	status := ps.pack.Meta.Status
	if t, ok := statusText[status]; ok {
		list = append(list, templates.Notice{Kind: status, Title: t[0], Text: t[1]})
	}
	run := ps.res.Run
	if run.Status != "passed" && run.Status != "" && run.Status != status {
		n := templates.Notice{
			Kind: run.Status, Title: "The last compile ended as " + words(run.Status) + ".",
			Text: oneLine(run.Review.Reason, 300), URL: "#s.findings", More: "All findings",
		}
		if run.Status == "failed" {
			n.Kind = "failed"
		}
		list = append(list, n)
	}
	if ps.pack.Meta.RuntimeMode == "persona" {
		list = append(list, templates.Notice{
			Kind: "note", Title: "Persona.", Text: "This pack describes a voice and its limits. It shapes style and states no facts.",
		})
	}
	return list
}

// words writes a status as prose does.
func words(status string) string { return strings.ReplaceAll(status, "-", " ") }
