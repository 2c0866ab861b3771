package compiler

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/schema"
)

func TestStatusesOfViewsAndSplits(t *testing.T) {
	r, _ := compileFiles(t, tree{
		"KNOWLEDGE.md": entry("wiki-first", "none"), "sources/s.md": "one\n",
		"wiki/fine.md":             "# Fine\n\n- One. [source: sources/s.md#L1]\n",
		"wiki/claim.md":            "# Claim\n\n- Two. [source: sources/s.md#L1] [status: stale]\n",
		"wiki/both.md":             "---\nstatus: stale\n---\n# Both\n\n- Three. [source: sources/s.md#L1] [status: disputed]\n",
		"wiki/page.md":             "---\nstatus: disputed\n---\n# Page\n\nText.\n",
		"wiki/contradictions/c.md": "# C\n\nTwo people disagree.\n",
		"wiki/review.md":           "---\nstatus: needs-review\n---\n# Review\n\n- Four. [source: sources/s.md#L1]\n",
		"compiled/voice.md":        "By hand.\n",
	})
	want := map[string]schema.Status{
		"compiled/splits/wiki/claim.md":  "stale",
		"compiled/splits/wiki/both.md":   "disputed",
		"compiled/splits/wiki/page.md":   "disputed",
		"compiled/splits/wiki/review.md": "needs-review",
		"compiled/briefing.md":           "disputed",
		"compiled/facts.md":              "needs-review",
		"compiled/boundaries.md":         "disputed",
	}
	if diff := cmp.Diff(want, r.Doubtful()); diff != "" {
		t.Error(diff)
	}
}

// A briefing rests on the claims of its pages, though it names none of them.
func TestBriefingRestsOnTheClaimsOfItsPages(t *testing.T) {
	r, _ := compileFiles(t, tree{
		"KNOWLEDGE.md": entry("wiki-first", "none"), "sources/s.md": "one\n",
		"wiki/fine.md":  "# Fine\n\n- One. [source: sources/s.md#L1]\n",
		"wiki/claim.md": "# Claim\n\n- Two. [source: sources/s.md#L1] [status: stale]\n",
	})
	want := map[string]schema.Status{"compiled/splits/wiki/claim.md": "stale", "compiled/briefing.md": "stale"}
	if diff := cmp.Diff(want, r.Doubtful()); diff != "" {
		t.Error(diff)
	}
}

func TestASettledContradictionIsNoDoubt(t *testing.T) {
	r, _ := compileFiles(t, tree{
		"KNOWLEDGE.md":             entry("wiki-first", "none"),
		"wiki/contradictions/c.md": "---\nstatus: ready\n---\n# C\n\nSettled.\n",
		"wiki/a.md":                "# A\n\nText.\n",
	})
	if diff := cmp.Diff(map[string]schema.Status{}, r.Doubtful()); diff != "" {
		t.Error(diff)
	}
}
