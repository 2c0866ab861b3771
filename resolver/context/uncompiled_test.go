package context

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A pack whose compiled/ does not match its inputs is noticed without compiling
// it (agent-knowledge section 13.7).
func TestInputsThatNoRunHasSeenAreSaid(t *testing.T) {
	ferry := ferry(t)
	many := tree{}
	for i := range 7 {
		many[fmt.Sprintf("documents/new-%d.md", i)] = "# New\n"
	}
	unseen := func(name string) string {
		return "warning: " + name + ": No compile run has seen this file; what it says is not selected."
	}
	for _, c := range []struct {
		rule    string
		changes tree
		want    []string
	}{
		{"nothing changed", nil, []string{}},
		{"a new document", tree{"documents/anchor.md": "# Anchor\n"}, []string{unseen("documents/anchor.md")}},
		{"a new page", tree{"wiki/concepts/knot.md": "# Knot\n"}, []string{unseen("wiki/concepts/knot.md")}},
		{"pages without splits and other files say nothing", tree{"wiki/log.md": "x\n", "documents/x.png": "x", "wiki/open-questions/q.md": "# Q\n"}, []string{}},
		{"a document that is gone", tree{"documents/storm.md": "-"}, []string{"warning: documents/storm.md: This file is gone since the newest compile run."}},
		{
			"a document that was not selected changed", tree{"documents/storm.md": "# Storm\n\n## Ice\n\nStop.\n"},
			[]string{"warning: documents/storm.md: This file has changed since the newest compile run; what is new in it is not selected."},
		},
		{
			"a document that was selected changed: its own warnings speak", tree{"documents/boarding.md": "# Boarding\n\n## Checklist\n\nCount hats.\n"},
			[]string{outdatedSplit("compiled/splits/boarding/checklist.md", "documents/boarding.md"), outdatedSplit("compiled/splits/boarding/limits.md", "documents/boarding.md")},
		},
		{
			"many are counted", many, []string{
				unseen("documents/new-0.md"), unseen("documents/new-1.md"), unseen("documents/new-2.md"), unseen("documents/new-3.md"), unseen("documents/new-4.md"),
				"warning: compiled/: 2 more files came, went or changed since the newest compile run.",
			},
		},
		{"without a run nothing is known", tree{"runs": "-", "documents/anchor.md": "# Anchor\n"}, []string{}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			r := resolve(t, Request{Query: "boarding checklist"}, named("ferry", with(ferry, c.changes)))
			if diff := cmp.Diff(c.want, remarks(r.Warnings)); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHeadIsTheFrontMatterAlone(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# No front matter\n\n---\n", ""},
		{"---\nstatus: ready\n---\n\nText.\n", "---\nstatus: ready\n---\n"},
		{"---\nstatus: ready\n--- \t\nText.\n", "---\nstatus: ready\n--- \t\n"},
		{"---\na: \"x\n---- y\"\n---", "---\na: \"x\n---- y\"\n---"},
		{"---\nnever: closed\n", ""},
		{"---\na: " + strings.Repeat("x", 1<<20) + "\n---\n", ""},
	} {
		if got := string(headOf([]byte(c.text))); got != c.want {
			t.Errorf("%.40q: got %.40q, want %q", c.text, got, c.want)
		}
	}
}
