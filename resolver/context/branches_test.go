package context

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/resolver/context/rank"
)

// What is said of compiled files that a run made and that are gone.
const (
	indexGone  = "warning: compiled/index.json: This record is gone since the newest compile run; the splits were compared with the documents."
	primaryCut = "info: compiled/splits/: No compiled splits; sections were cut from the primary document."
	splitsGone = "warning: compiled/splits/: No compiled splits; sections were cut from the documents as they are."
)

const (
	kettleSplits = "compiled/splits/kettle/"
	miraSplits   = "compiled/splits/mira/"
)

// Each row is one branch of agent-knowledge section 13.5.
func TestSelectionTakesTheseBranches(t *testing.T) {
	kettle, shore, ferry, mira := kettle(t), shore(t), ferry(t), mira(t)
	for _, c := range []struct {
		branch, query string
		pack          string
		files         fstest.MapFS
		want          []string
		warnings      []string
	}{
		{
			branch: "document-first: ranked splits by score, then order, then boundaries", query: "litre vessel", pack: "kettle", files: kettle,
			want: []string{kettleSplits + "care.md match:2", kettleSplits + "capacity.md match:1", kettleSplits + "limits.md boundary"},
		},
		{
			branch: "document-first: a ranked boundary split keeps its first reason", query: "promise capacity", pack: "kettle", files: kettle,
			want: []string{kettleSplits + "capacity.md match:2", kettleSplits + "limits.md match:1"},
		},
		{
			branch: "document-first: nothing ranks and there is no view, so the first split is the default", query: "zebra", pack: "kettle", files: kettle,
			want: []string{kettleSplits + "overview.md default"},
		},
		{
			branch: "document-first: the briefing is the default", query: "zebra", pack: "kettle",
			files:    with(kettle, tree{"compiled/index.json": "-", "compiled/briefing.md": "b\n", "compiled/facts.md": "f\n"}),
			want:     []string{"compiled/briefing.md default"},
			warnings: []string{indexGone},
		},
		{
			branch: "document-first: the facts are the default without a briefing", query: "zebra", pack: "kettle",
			files:    with(kettle, tree{"compiled/index.json": "-", "compiled/facts.md": "f\n"}),
			want:     []string{"compiled/facts.md default"},
			warnings: []string{indexGone},
		},
		{
			branch: "document-first: without splits, sections of the primary document", query: "litre vessel", pack: "kettle",
			files:    with(kettle, tree{"compiled": "-"}),
			want:     []string{"documents/kettle.md#care match:2", "documents/kettle.md#capacity match:1", "documents/kettle.md#limits boundary"},
			warnings: []string{primaryCut},
		},
		{
			branch: "document-first: never compiled, sections of the primary document", query: "litre vessel", pack: "kettle",
			files:    with(kettle, tree{"compiled": "-", "runs": "-", "documents/other.md": "# Other\n\nA litre vessel.\n"}),
			want:     []string{"documents/kettle.md#care match:2", "documents/kettle.md#capacity match:1", "documents/kettle.md#limits boundary"},
			warnings: []string{primaryCut},
		},
		{
			branch: "document-first: a query without words goes through the same steps", query: "the of and?", pack: "kettle", files: kettle,
			want: []string{kettleSplits + "overview.md default"},
		},
		{
			branch: "document-first: without splits and primary document the gap is reported", query: "litre", pack: "kettle",
			files:    with(kettle, tree{"compiled": "-", "runs": "-", "KNOWLEDGE.md": head("kettle", "document-first", "")}),
			want:     []string{},
			warnings: []string{"warning: KNOWLEDGE.md: No compiled splits, and no primary document is declared."},
		},
		{
			branch: "wiki-first: ranked splits that share a title word, then boundaries", query: "where are mussel beds", pack: "shore", files: shore,
			want: []string{"compiled/splits/wiki/mussel.md match:3", "compiled/boundaries.md boundary"},
		},
		{
			branch: "wiki-first: no title matches, so facts that share a word", query: "low tide", pack: "shore", files: shore,
			want: []string{"compiled/facts.md view", "compiled/boundaries.md boundary"},
		},
		{
			branch: "wiki-first: no fact shares a word, so the briefing", query: "zebra", pack: "shore", files: shore,
			want: []string{"compiled/briefing.md default", "compiled/boundaries.md boundary"},
		},
		{
			branch: "wiki-first: without compiled/, the index and ranked pages, and stop", query: "where are mussel beds", pack: "shore",
			files:    with(shore, tree{"compiled": "-", "runs": "-"}),
			want:     []string{"wiki/index.md default", "wiki/mussel.md match:3", "wiki/limpet.md match:1"},
			warnings: []string{"info: compiled/: No compiled views; wiki pages were read."},
		},
		{
			branch: "wiki-first: without the views that a run made, the same with a warning", query: "where are mussel beds", pack: "shore",
			files:    with(shore, tree{"compiled": "-"}),
			want:     []string{"wiki/index.md default", "wiki/mussel.md match:3", "wiki/limpet.md match:1"},
			warnings: []string{"warning: compiled/: No compiled views; wiki pages were read."},
		},
		{
			branch: "wiki-first: a changed page behind a taken split is added", query: "where are mussel beds", pack: "shore",
			files:    with(shore, tree{"wiki/mussel.md": "# Mussel\n\nNow sparse.\n"}),
			want:     []string{"compiled/splits/wiki/mussel.md match:3", "compiled/boundaries.md boundary", "wiki/mussel.md escalate"},
			warnings: []string{outdatedSplit("compiled/splits/wiki/mussel.md", "wiki/mussel.md")},
		},
		{
			branch: "wiki-first: changed pages behind a taken view are added, by path", query: "zebra", pack: "shore",
			files: with(shore, tree{"wiki/mussel.md": "# Mussel\n\nNow sparse.\n", "wiki/limpet.md": "# Limpet\n\nGone.\n"}),
			want:  []string{"compiled/briefing.md default", "compiled/boundaries.md boundary", "wiki/limpet.md escalate", "wiki/mussel.md escalate"},
		},
		{
			branch: "hybrid: the context map names a document", query: "boarding heads", pack: "ferry", files: ferry,
			want: []string{"compiled/splits/boarding/checklist.md match:1", "compiled/splits/boarding/limits.md boundary", "compiled/boundaries.md boundary"},
		},
		{
			branch: "hybrid: the context map names one section", query: "weather, nine knots and waves of three metres", pack: "ferry", files: ferry,
			want: []string{"compiled/splits/storm/wind.md match:2", "compiled/boundaries.md boundary"},
		},
		{
			branch: "hybrid: the context map names a directory", query: "past decision: last boat", pack: "ferry", files: ferry,
			want: []string{"compiled/splits/wiki/decisions/winter.md match:2", "compiled/boundaries.md boundary"},
		},
		{
			branch: "hybrid: nothing ranks at the mapped path, so all of it", query: "boarding", pack: "ferry",
			files: ferryWith(t, "Count."),
			want: []string{
				"compiled/splits/boarding/checklist.md context-map", "compiled/splits/boarding/limits.md context-map", "compiled/boundaries.md boundary",
			},
		},
		{
			branch: "hybrid: no label matches, so the primary document", query: "heads", pack: "ferry", files: ferry,
			want: []string{"compiled/splits/boarding/checklist.md match:1", "compiled/splits/boarding/limits.md boundary", "compiled/boundaries.md boundary"},
		},
		{
			branch: "hybrid: nothing ranks in the primary document, so the whole pack", query: "gross weight", pack: "ferry", files: ferry,
			want: []string{"compiled/splits/wiki/concepts/tonnage.md match:2", "compiled/boundaries.md boundary"},
		},
		{
			branch: "hybrid: nothing ranks at all, so the default", query: "zebra", pack: "ferry", files: ferry,
			want: []string{"compiled/briefing.md default", "compiled/boundaries.md boundary"},
		},
		{
			branch: "hybrid: without splits, sections of the primary document", query: "heads", pack: "ferry",
			files:    with(ferry, tree{"compiled": "-"}),
			want:     []string{"documents/boarding.md#checklist match:1", "documents/boarding.md#limits boundary"},
			warnings: []string{splitsGone},
		},
		{
			branch: "document-first: a changed section behind a taken split is added as it is now", query: "litre vessel", pack: "kettle",
			files: with(kettle, tree{"documents/kettle.md": "# Kettle\n\n## Capacity\n\nTwo litres.\n\n## Care\n\nDescale the litre vessel monthly.\n"}),
			want: []string{
				kettleSplits + "care.md match:2", kettleSplits + "capacity.md match:1", kettleSplits + "limits.md boundary",
				"documents/kettle.md#capacity escalate",
			},
			warnings: []string{outdatedSplit(kettleSplits+"capacity.md", "documents/kettle.md"), outdatedSplit(kettleSplits+"limits.md", "documents/kettle.md")},
		},
		{
			branch: "persona: classes in their order, then ranked splits", query: "roses in the garden", pack: "mira", files: mira,
			want: []string{
				miraSplits + "tone-of-voice.md persona:voice", miraSplits + "values.md persona:values", miraSplits + "taboos.md persona:taboos",
				miraSplits + "limits-of-the-role.md persona:boundaries", miraSplits + "usage.md persona:usage", miraSplits + "garden.md match:3",
			},
		},
		{
			branch: "persona: without splits, sections of the primary document", query: "zebra", pack: "mira",
			files: with(mira, tree{"compiled": "-", "documents/mira.md": "# Mira\n\n## Voice\n\nDry.\n\n## Garden\n\nRoses.\n"}),
			want:  []string{"documents/mira.md#voice persona:voice"},
			warnings: []string{
				primaryCut,
				"warning: KNOWLEDGE.md: Persona limits are incomplete.",
			},
		},
	} {
		t.Run(c.branch, func(t *testing.T) {
			r := resolve(t, Request{Query: c.query, Scorer: rank.Overlap{}}, named(c.pack, c.files))
			if diff := cmp.Diff(c.want, selection(r)); diff != "" {
				t.Errorf("selection (-want +got):\n%s", diff)
			}
			if c.warnings == nil {
				c.warnings = []string{}
			}
			if diff := cmp.Diff(c.warnings, remarks(r.Warnings)); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// The default scorer walks the same branches; it may look past a preferred path
// that holds a worse answer than the rest of the pack.
func TestDefaultScorerLooksPastThePreferredPath(t *testing.T) {
	r := resolve(t, Request{Query: "gross weight of the tonnage, and who counts the heads"}, named("ferry", ferry(t)))
	want := []string{"compiled/splits/wiki/concepts/tonnage.md", "compiled/splits/boarding/checklist.md"}
	if got := r.SelectedFiles; len(got) < 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("selected %v, want %v first", got, want)
	}
}

// outdatedSplit is the warning about a split that its document, which has changed, does not hold.
func outdatedSplit(split, document string) string {
	return "warning: " + split + ": This split is not a section of " + document + ", which has changed or gone since the newest compile run; run packgen compile."
}
