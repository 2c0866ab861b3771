package context

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/resolver/context/rank"
)

// first is the file that is selected first.
func first(t *testing.T, query string, files fstest.MapFS) string {
	t.Helper()
	r := resolve(t, Request{Query: query}, named("kettle", files))
	if len(r.SelectedFiles) == 0 || !strings.HasPrefix(r.Selection[0].Reason, "match:") {
		return ""
	}
	return r.SelectedFiles[0]
}

const guarantee = "Is there a guarantee for manufacturing flaws?"

// asking is the kettle with front matter in its document.
func asking(t *testing.T, matter string) fstest.MapFS {
	t.Helper()
	return compiled(t, tree{
		"KNOWLEDGE.md":        head("kettle", "document-first", "metadata:\n  primaryDocument: documents/kettle.md\n"),
		"documents/kettle.md": matter + "# Kettle\n\n## Capacity\n\nIt holds one litre.\n\n## Terms\n\n- Two years on parts. [source: sources/s.md#L1]\n",
		"documents/other.md":  "# Other\n\n## Size\n\nSmall.\n",
		"sources/s.md":        "two years\n",
	})
}

func TestQuestionsOfAuthorsLeadToTheirSections(t *testing.T) {
	const terms = kettleSplits + "terms.md"
	plain := asking(t, "")
	if got := first(t, guarantee, plain); got != "" {
		t.Fatalf("without questions %q fits; the test shows nothing", got)
	}
	answers := tree{
		"answers/questions.json":        `{"questions": [{"id": "q1", "question": "Warranty?", "variants": ["Which guarantee covers manufacturing flaws?"], "answerBlockIds": ["b1", "b2"]}]}`,
		"answers/answer-blocks.json":    `[{"id": "b1", "claimIds": ["CLAIM"], "citationTargetIds": ["t1"]}]`,
		"answers/citation-targets.json": `{"citationTargets": [{"id": "t1", "sourceRef": "documents/kettle.md#terms"}]}`,
	}
	claim := string(plain[sourceMapPath].Data)
	claim = claim[strings.Index(claim, "clm-"):]
	claim = claim[:strings.IndexByte(claim, '"')]
	byClaim := tree{}
	for name, text := range answers {
		byClaim[name] = strings.ReplaceAll(text, "CLAIM", claim)
	}
	byClaim["answers/citation-targets.json"] = "-"
	for _, c := range []struct {
		way   string
		files fstest.MapFS
		want  string
	}{
		{"by section in the front matter", asking(t, "---\nquestions:\n  terms:\n    - Which guarantee covers manufacturing flaws?\n---\n"), terms},
		{"of a split in the entry", compiled(t, tree{
			"KNOWLEDGE.md": head("kettle", "document-first", "metadata:\n  primaryDocument: documents/kettle.md\n"+
				"  loadout:\n    kettle/terms:\n      questions:\n        - Which guarantee covers manufacturing flaws?\n"),
			"documents/kettle.md": string(plain["documents/kettle.md"].Data), "sources/s.md": "two years\n",
		}), terms},
		{"of the answers layer, by citation target", with(plain, answers), terms},
		{"of the answers layer, by claim", with(plain, byClaim), terms},
		{"of a broken answers layer", with(plain, tree{"answers/questions.json": "{"}), ""},
	} {
		if got := first(t, guarantee, c.files); got != c.want {
			t.Errorf("questions %s lead to %q, want %q", c.way, got, c.want)
		}
	}
	whole := asking(t, "---\nquestions:\n  - Which guarantee covers manufacturing flaws?\n---\n")
	r := resolve(t, Request{Query: guarantee}, named("kettle", whole))
	for _, s := range r.SelectedFiles {
		if !strings.HasPrefix(s, kettleSplits) {
			t.Errorf("questions of a whole document lead to %s", s)
		}
	}
	if len(r.SelectedFiles) == 0 || strings.Contains(r.Context, "guarantee") {
		t.Errorf("selected %v, context %s", r.SelectedFiles, r.Context)
	}
}

// The worked example of agent-knowledge section 22.2, after its source changed.
// A question without a word that is a topic finds its section when it is asked word for word.
func TestQuestionsOfCommonWordsLeadToTheirSections(t *testing.T) {
	files := asking(t, "---\nquestions:\n  terms:\n    - What do I do?\n---\n")
	if got := first(t, "what do I do", files); got != kettleSplits+"terms.md" {
		t.Errorf("%q is selected", got)
	}
	if got := first(t, "what can I do", files); got != "" {
		t.Errorf("another question selects %q", got)
	}
}

func TestStaleClaimsAndChangedPagesEscalate(t *testing.T) {
	tide := tree{}
	for name, f := range goldenPack(t, "tidepool-notes") {
		tide[name] = string(f.Data)
	}
	tide["sources/survey-2025.md"] = strings.Replace(tide["sources/survey-2025.md"], "2.1", "2.4", 1)
	files := compiled(t, tide)
	const star = "compiled/splits/wiki/entities/ochre-star.md"
	query := Request{Query: "How dense are ochre stars on the shore?", Scorer: rank.Overlap{}}
	want := []string{star + " match:5", "compiled/boundaries.md boundary"}
	r := resolve(t, query, named("tidepool-notes", files))
	if diff := cmp.Diff(want, selection(r)); diff != "" || r.Status != "stale" {
		t.Errorf("status %s, selection (-want +got):\n%s", r.Status, diff)
	}
	if diff := cmp.Diff([]string{"warning: " + star + ": This runtime view depends on a stale compile run."}, remarks(r.CompileWarnings)); diff != "" {
		t.Errorf("compile warnings (-want +got):\n%s", diff)
	}
	page := strings.Replace(tide["wiki/entities/ochre-star.md"], "Main predator", "Chief predator", 1)
	r = resolve(t, query, named("tidepool-notes", with(files, tree{"wiki/entities/ochre-star.md": page})))
	if diff := cmp.Diff(append(want, "wiki/entities/ochre-star.md escalate"), selection(r)); diff != "" || r.Status != "stale" {
		t.Errorf("status %s, selection (-want +got):\n%s", r.Status, diff)
	}
}

// Each question may lead to all blocks, each block to all targets, each target to all
// sections: what is kept of it grows with the files, not with the product.
func TestAnswersThatLeadEverywhere(t *testing.T) {
	const n = 3000
	var questions, targets, sections []string
	for i := range n {
		questions = append(questions, fmt.Sprintf(`{"question": "Warranty %d?", "answerBlockIds": ["b", "b"]}`, i))
		targets = append(targets, `"t"`)
		sections = append(sections, fmt.Sprintf(`{"id": "t", "sourceRef": "documents/kettle.md#s%d"}`, i))
	}
	files := with(asking(t, ""), tree{
		"answers/questions.json":        "[" + strings.Join(questions, ",") + "]",
		"answers/answer-blocks.json":    `[{"id": "b", "claimIds": [], "citationTargetIds": [` + strings.Join(targets, ",") + `]}]`,
		"answers/citation-targets.json": "[" + strings.Join(sections, ",") + "]",
	})
	p, _, err := pack.OpenFS(files, "packs/kettle")
	oktest.Check(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found := PackQuestions(p, nil)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
		t.Errorf("%d bytes for files of %d entries", took, n)
	}
	if len(found) != n || len(found["documents/kettle.md#s7"]) != maxQuestions || found["documents/kettle.md#s7"][1] != "Warranty 1?" {
		t.Errorf("%d sections, one with %q", len(found), found["documents/kettle.md#s7"])
	}
}
