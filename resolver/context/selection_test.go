package context

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/context/rank"
)

// manual is a document-first pack of documents.
func manual(t *testing.T, documents tree) fstest.MapFS {
	t.Helper()
	files := tree{"KNOWLEDGE.md": head("manual", "document-first", "metadata:\n  primaryDocument: documents/a.md\n")}
	for name, text := range documents {
		files[name] = text
	}
	return compiled(t, files)
}

// reasons are the reasons of what was selected, by path below compiled/splits/.
func reasons(r *Resolution) map[string]string {
	out := map[string]string{}
	for _, s := range r.Selection {
		reason, _, _ := strings.Cut(s.Reason, ":")
		out[strings.TrimPrefix(s.Path, splitsDir)] = reason
	}
	return out
}

func TestBoundariesGoAlongWhereTheyBelong(t *testing.T) {
	documents := tree{
		"documents/a.md":      "# Kettle\n\n## Descaling\n\nUse citric acid.\n\n## Limits\n\nNever without water.\n",
		"documents/b.md":      "# Toaster\n\n## Crumbs\n\nEmpty the tray.\n\n## Limits\n\nNo forks.\n\n## Rate limiting\n\nTwo slices a minute.\n",
		"documents/c/d.md":    "# Oven\n\n## Roasting\n\nTurn it once.\n",
		"documents/c/rule.md": "# Boundaries\n\n## Limits\n\nNo plastic.\n",
		"documents/e.md":      "---\nboundary: hygiene\n---\n# House\n\n## Hygiene\n\nWash hands.\n\n## Colour\n\nRed.\n",
	}
	for _, c := range []struct {
		rule, query string
		want        map[string]string
	}{
		{"of the document that answers, and what an author declares", "descaling", map[string]string{"a/descaling.md": "match", "a/limits.md": "boundary", "e/hygiene.md": "boundary"}},
		{"a document that is nothing else, of its folder", "roasting", map[string]string{"c/d/roasting.md": "match", "c/rule/limits.md": "boundary", "e/hygiene.md": "boundary"}},
		{"a title that contains the word is none", "crumbs", map[string]string{"b/crumbs.md": "match", "b/limits.md": "boundary", "e/hygiene.md": "boundary"}},
		{"nothing answers, so only what is declared", "zebra", map[string]string{"a/descaling.md": "default", "e/hygiene.md": "boundary"}},
	} {
		got := reasons(resolve(t, Request{Query: c.query}, named("manual", manual(t, documents))))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.rule, diff)
		}
	}
}

func TestASplitIsDeclaredABoundaryInTheEntry(t *testing.T) {
	files := compiled(t, tree{
		"KNOWLEDGE.md":   head("manual", "document-first", "metadata:\n  primaryDocument: documents/a.md\n  loadout:\n    a/safety:\n      boundary: true\n"),
		"documents/a.md": "# Kettle\n\n## Descaling\n\nUse citric acid.\n\n## Safety\n\nNever without water.\n",
	})
	got := reasons(resolve(t, Request{Query: "descaling"}, named("manual", files)))
	if diff := cmp.Diff(map[string]string{"a/descaling.md": "match", "a/safety.md": "boundary"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBoundariesTakeAnEighthOfTheBudgetTogether(t *testing.T) {
	var b strings.Builder
	b.WriteString("---\nboundary: true\n---\n# Rules\n")
	for i := range 20 {
		fmt.Fprintf(&b, "\n## Rule %d\n\n%s\n", i, strings.Repeat("never ", 60))
	}
	files := manual(t, tree{"documents/a.md": "# Kettle\n\n## Descaling\n\nUse citric acid.\n", "documents/rules.md": b.String()})
	r := resolve(t, Request{Query: "descaling", Budget: 2400}, named("manual", files))
	taken, tokens := 0, 0
	for i, s := range r.Selection {
		if s.Reason == ReasonBoundary {
			taken++
			tokens += r.Activated[0].Files[i].Tokens
		}
	}
	if !slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Severity == diag.Warning && strings.HasPrefix(w.Message, "Skipped") }) {
		t.Errorf("nothing says that boundaries are left out: %v", r.Warnings)
	}
	if taken == 0 || tokens > 300 || r.SelectedFiles[0] != splitsDir+"a.md" && r.SelectedFiles[0] != splitsDir+"a/descaling.md" {
		t.Errorf("%d boundaries of %d tokens, selected %v", taken, tokens, r.SelectedFiles)
	}
}

func TestTheBudgetIsNotFilledForItsOwnSake(t *testing.T) {
	documents := tree{"documents/a.md": "# Kettle\n\n## Descaling with citric acid\n\nDescale with citric acid.\n"}
	for i := range 30 {
		documents[fmt.Sprintf("documents/x%d.md", i)] = fmt.Sprintf("# Thing %d\n\n## Part\n\nAcid is named once here, among %d others.\n", i, i)
	}
	r := resolve(t, Request{Query: "descaling with citric acid"}, named("manual", manual(t, documents)))
	if len(r.Selection) != 1 || !strings.HasPrefix(r.Selection[0].Path, splitsDir+"a") {
		t.Errorf("selected %v", r.Selection)
	}
}

func TestASectionThatDoesNotFitGivesItsBestPart(t *testing.T) {
	filler := strings.Repeat("Plain words of no use. ", 40)
	text := "# Kettle\n\n## Everything\n\n" + filler + "\n"
	for _, part := range []string{"Colours", "Cable", "Handle", "Spout"} {
		text += "\n### " + part + "\n\n" + filler + "\n"
	}
	text += "\n### Descaling\n\nUse citric acid.\n"
	u := &unit{path: "documents/a.md#everything", title: "Everything", text: text}
	p := &picker{contents: &contents{}, asked: []string{"descaling with acid"}, scorer: rank.BM25F{}}
	got := p.bestPart(u, 100)
	if want := "### Descaling\n\nUse citric acid.\n"; got != want {
		t.Errorf("best part %q, want %q", got, want)
	}
	if got := p.bestPart(u, leastPart-1); got != "" {
		t.Errorf("with %d tokens left: %q", leastPart-1, got)
	}
	// One leaf that is too large gives its start.
	if got := p.bestPart(&unit{path: "x", text: strings.Repeat("Acid.\n\n", 200)}, 100); got == "" || token.Estimate(got) > 100 {
		t.Errorf("a large leaf gives %d tokens", token.Estimate(got))
	}
	// Headings without text stay with what follows.
	if leaves := leavesOf(&unit{path: "x", text: "## A\n<a id=\"a\"></a>\n\n### B\n\ntext\n\n### C\n<b\n\n### D\n\nmore\n"}); len(leaves) != 3 || !strings.HasPrefix(leaves[0].Text, "## A\n<a id=\"a\"></a>\n\n### B") {
		t.Errorf("a heading with only an anchor below it: %q", leaves)
	}
	if leaves := leavesOf(&unit{path: "x", text: "# A\n\n## B\n\n### C\n\ntext\n\n### D\n\nmore\n"}); len(leaves) != 2 || !strings.HasPrefix(leaves[0].Text, "# A\n\n## B\n\n### C") {
		t.Errorf("leaves %+v", leaves)
	}
}

// shop has enough sections for a word to be rare.
func shop(t *testing.T) fstest.MapFS {
	documents := tree{"documents/a.md": "# Kettle\n\n## Descaling\n\nTo descale, boil citric acid and rinse.\n\n## Warranty\n\nTwo years on parts.\n"}
	for i := range 40 {
		documents[fmt.Sprintf("documents/x%d.md", i)] = fmt.Sprintf("# Thing %d\n\n## Part %d\n\nOther words about thing %d.\n", i, i, i)
	}
	return manual(t, documents)
}

func TestASelectionSaysWhetherItIsSure(t *testing.T) {
	files := shop(t)
	for _, c := range []struct {
		rule, query string
		want        Confidence
		missing     []string
	}{
		{"the best section is about it", "How do I descale it with citric acid?", Sure, nil},
		{"a name that nothing selected holds", "How do I descale a Zorblatt with citric acid?", Uncertain, []string{"Zorblatt"}},
		{"a name with a digit", "How do I descale the K9 with citric acid?", Uncertain, []string{"K9"}},
		{"a capital at the start of a sentence is not a name", "Descale it with citric acid", Sure, nil},
		{"hardly anything of the query is met", "Which parts of an aeroplane engine glow at night?", Uncertain, []string{"aeroplane", "engine", "glow", "night"}},
		{"nothing is met", "zebra stripes", Uncertain, []string{"zebra stripes"}},
		{"one part is met, the other is not", "How do I descale with citric acid, and where do zebras live?", Uncertain, []string{"zebras", "live"}},
	} {
		r := resolve(t, Request{Query: c.query}, named("manual", files))
		if r.Confidence != c.want {
			t.Errorf("%s: %s, want %s", c.rule, r.Confidence, c.want)
		}
		if diff := cmp.Diff(c.missing, r.Missing); diff != "" {
			t.Errorf("%s: missing (-want +got):\n%s", c.rule, diff)
		}
		if labelled := strings.Contains(r.Context, ` confidence="uncertain">`) && strings.Contains(r.Context, guardUncertain); labelled != (c.want == Uncertain) {
			t.Errorf("%s: context %s", c.rule, r.Context)
		}
		strict := resolve(t, Request{Query: c.query, Strict: true}, named("manual", files))
		if refused := strict.Context == "" && strict.Refused && !strict.OK; refused != (c.want == Uncertain) {
			t.Errorf("%s: strict refuses %v", c.rule, refused)
		}
	}
}

func TestEachWordingIsRankedAlone(t *testing.T) {
	files := shop(t)
	const query = "Chalk, and for how long is it covered when it breaks?"
	bare := resolve(t, Request{Query: query}, named("manual", files))
	if bare.Confidence == Sure || strings.HasPrefix(bare.Selection[0].Reason, reasonMatch) {
		t.Fatalf("the bare question finds %v; the test shows nothing", bare.SelectedFiles)
	}
	r := resolve(t, Request{Query: query, Also: []string{"descale citric acid", "warranty of parts", "descale"}}, named("manual", files))
	want := []string{splitsDir + "a/warranty.md", splitsDir + "a/descaling.md"}
	if diff := cmp.Diff(want, r.SelectedFiles); diff != "" || r.Confidence != Sure || r.Query != query {
		t.Errorf("confidence %s (-want +got):\n%s", r.Confidence, diff)
	}
	// What the other wordings find does not stand for a name in the question.
	r = resolve(t, Request{Query: "How is the Zorblatt descaled?", Also: []string{"descale citric acid"}}, named("manual", files))
	if r.Confidence != Uncertain || !strings.Contains(strings.Join(r.Missing, " "), "Zorblatt") {
		t.Errorf("confidence %s, missing %v", r.Confidence, r.Missing)
	}
}

func TestAgentsAreAskedForTheirWordsInFewTokens(t *testing.T) {
	if n := token.Estimate(howToAsk); n > 60 || !strings.Contains(howToAsk, "--also") {
		t.Errorf("%d tokens: %s", n, howToAsk)
	}
}

// A script that passes an empty variable must not change the answer.
func TestAWordingWithoutWordsIsNone(t *testing.T) {
	files := compiled(t, tree{
		"KNOWLEDGE.md":        head("kettle", "document-first", ""),
		"documents/kettle.md": "# Kettle\n\n## Remove limescale\n\nBoil citric acid to remove limescale.\n\n## Fuse\n\nThe plug has a fuse of three amperes.\n",
	})
	ask := func(also ...string) *Resolution {
		return oktest.Value(Resolve(context.Background(), []Pack{{FS: files, Dir: "kettle", Activation: Explicit, Own: true}}, Request{Query: "remove limescale", Also: also}))(t)
	}
	alone := ask()
	if alone.Confidence != Sure {
		t.Fatalf("alone it is %s", alone.Confidence)
	}
	for _, also := range [][]string{{""}, {" ", "?!"}, {"the"}, {"remove limescale", "remove limescale"}} {
		if r := ask(also...); r.Context != alone.Context || r.Confidence != Sure {
			t.Errorf("with %q: %s, %q", also, r.Confidence, r.SelectedFiles)
		}
	}
}

// Words that the pack does not know must not take a clear answer back.
func TestWordingsThatFindNothingDoNotMakeAnAnswerUncertain(t *testing.T) {
	files := compiled(t, tree{
		"KNOWLEDGE.md":        head("kettle", "document-first", ""),
		"documents/kettle.md": "# Kettle\n\n## Remove limescale\n\nBoil citric acid to remove limescale.\n\n## Fuse\n\nThe plug has a fuse of three amperes.\n",
	})
	r, err := Resolve(context.Background(), []Pack{{FS: files, Dir: "kettle", Activation: Explicit, Own: true}},
		Request{Query: "remove limescale", Also: []string{"calcium carbonate deposits", "decalcify"}})
	if err != nil || r.Confidence != Sure || len(r.Selection) != 1 {
		t.Errorf("%s, %v, %v", r.Confidence, r.Selection, err)
	}
}
