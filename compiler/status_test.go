package compiler

import (
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/schema"
)

func TestStatusOfAFile(t *testing.T) {
	const claim = "- Claim. [source: sources/s.md#L1]"
	for _, tt := range []struct {
		status string
		splits int
		claim  string // "" when there is none
		facts  bool
		run    string
		gate   string
	}{
		{"", 1, "confirmed", true, "passed", ""},
		{"ready", 1, "confirmed", true, "passed", ""},
		{"needs-review", 1, "confirmed", true, "needs-review", "[status-needs-review] Status of this file is needs-review."},
		{"stale", 1, "stale", false, "stale", "[source-stale] Status of this file is stale."},
		{"disputed", 1, "disputed", false, "disputed", "[claim-disputed] Status of this file is disputed."},
		{"draft", 0, "", false, "passed", ""},
		{"archived", 0, "", false, "passed", ""},
	} {
		for _, path := range []string{"documents/d.md", "wiki/d.md"} {
			t.Run(tt.status+" "+path, func(t *testing.T) {
				t.Parallel()
				text := "# D\n\n" + claim + "\n"
				if tt.status != "" {
					text = "---\nstatus: " + tt.status + "\n---\n" + text
				}
				r, files := compileFiles(t, tree{"KNOWLEDGE.md": entry("hybrid", ""), "sources/s.md": "one\n", path: text})
				if len(r.Index.Splits) != tt.splits || len(r.SourceMap.DocumentSections) != tt.splits {
					t.Errorf("%d splits, %d sections; want %d", len(r.Index.Splits), len(r.SourceMap.DocumentSections), tt.splits)
				}
				if got := strings.Join(claims(r), ""); tt.claim == "" && got != "" || tt.claim != "" && got != tt.claim+" Claim. <- sources/s.md#L1" {
					t.Errorf("claims %q, want status %q", got, tt.claim)
				}
				if _, ok := files[factsPath]; ok != tt.facts {
					t.Errorf("facts written: %v, want %v", ok, tt.facts)
				}
				if listed := strings.Contains(files[briefingPath], "(`wiki/d.md`)"); listed != (path == "wiki/d.md" && tt.splits > 0) {
					t.Errorf("listed in the briefing: %v", listed)
				}
				want := []string{}
				if tt.gate != "" {
					want = append(want, path+" "+tt.gate)
				}
				sameStrings(t, "diagnostics", found(r), want)
				if string(r.Run.Status) != tt.run || r.Run.Review.Required != (tt.run != "passed") {
					t.Errorf("run is %s, review required %v; want %s", r.Run.Status, r.Run.Review.Required, tt.run)
				}
			})
		}
	}
}

func TestStatusOfThePack(t *testing.T) {
	for _, tt := range []struct{ status, run, suggested string }{
		{"ready", "passed", "ready"},
		{"draft", "passed", "draft"},
		{"needs-review", "passed", "needs-review"},
		{"stale", "passed", "stale"},
		{"disputed", "disputed", "disputed"},
		{"archived", "passed", "archived"},
	} {
		text := strings.Replace(entry("document-first", ""), "status: ready", "status: "+tt.status, 1)
		r, files := compileFiles(t, tree{"KNOWLEDGE.md": text, "documents/d.md": "# D\n"})
		if string(r.Run.Status) != tt.run || string(r.SuggestedStatus) != tt.suggested || len(r.Index.Splits) != 1 {
			t.Errorf("%s: run %s, suggested %s, %d splits; want %s, %s, 1", tt.status, r.Run.Status, r.SuggestedStatus, len(r.Index.Splits), tt.run, tt.suggested)
		}
		if files["KNOWLEDGE.md"] != text {
			t.Errorf("%s: compile edited KNOWLEDGE.md", tt.status)
		}
	}
}

func TestSuggestedStatusIsNeverBetterThanTheRun(t *testing.T) {
	for _, tt := range []struct{ declared, run, want string }{
		{"ready", "needs-review", "needs-review"},
		{"ready", "stale", "stale"},
		{"ready", "disputed", "disputed"},
		{"ready", "failed", "needs-review"},
		{"draft", "needs-review", "needs-review"},
		{"stale", "needs-review", "stale"},
		{"stale", "disputed", "disputed"},
		{"disputed", "stale", "disputed"},
		{"archived", "failed", "archived"},
	} {
		if got := suggestedStatus(schema.Status(tt.declared), schema.Status(tt.run)); string(got) != tt.want {
			t.Errorf("suggestedStatus(%s, %s) = %s, want %s", tt.declared, tt.run, got, tt.want)
		}
	}
}

func TestMarkersUnderEachGrounding(t *testing.T) {
	const doc = "# T\n\n- a [status: missing]\n- b [status: inferred]\n- c [status: disputed]\n- d [status: stale]\n- e [status: source-required]\n- f\n"
	always := []string{`documents/d.md [claim-disputed] "c"`, `documents/d.md [source-stale] "d"`}
	marked := []string{
		`documents/d.md [claim-disputed] "c"`, `documents/d.md [claim-inferred] "b"`, `documents/d.md [claim-missing] "a"`,
	}
	unsourced := func(grounding, text string) string {
		return `documents/d.md [claim-unsourced] Claim has no source anchor while grounding is ` + grounding + `: "` + text + `"`
	}
	for _, tt := range []struct {
		grounding string
		gates     []string
		claims    []string
	}{
		{"", always, []string{"missing a", "inferred b", "disputed c", "stale d", "source-required e"}},
		{"none", always, []string{"missing a", "inferred b", "disputed c", "stale d", "source-required e"}},
		{"recommended", append(marked[:3:3], `documents/d.md [source-stale] "d"`, unsourced("recommended", "e"), unsourced("recommended", "f")),
			[]string{"missing a", "inferred b", "disputed c", "stale d", "source-required e"}},
		{"required", append(marked[:3:3], unsourced("required", "e"), unsourced("required", "f"), `documents/d.md [source-stale] "d"`),
			[]string{"missing a", "inferred b", "disputed c", "stale d", "source-required e", "source-required f"}},
	} {
		r, files := compileFiles(t, tree{"KNOWLEDGE.md": entry("document-first", tt.grounding), "documents/d.md": doc})
		sameStrings(t, "gates under "+tt.grounding, found(r), tt.gates)
		sameStrings(t, "claims under "+tt.grounding, claims(r), tt.claims)
		if marks := strings.Count(files[splitsDir+"d/t.md"], "- f [status: source-required]"); (marks == 1) != (tt.grounding == "required") {
			t.Errorf("under %q the unsourced claim has %d markers", tt.grounding, marks)
		}
		if r.Run.Status != "disputed" || r.Run.Chapters[0].Coverage != "conflict" {
			t.Errorf("under %q the run is %s, coverage %s", tt.grounding, r.Run.Status, r.Run.Chapters[0].Coverage)
		}
	}
}

func TestOpenQuestionsAndContradictions(t *testing.T) {
	r, files := compileFiles(t, tree{
		"KNOWLEDGE.md":                 entry("hybrid", ""),
		"sources/s.md":                 "one\n",
		"documents/open-questions.md":  "# Open\n\n## Sizes\n\n- How large?\n- Known. [source: sources/s.md]\n\n## Weight\n\nText.\n",
		"wiki/open-questions/index.md": "# Gaps\n\n- When?\n",
		"wiki/open-questions/done.md":  "---\nstatus: ready\n---\n# Done\n\n- Then.\n",
		"wiki/open-questions/draft.md": "---\nstatus: draft\n---\n# Draft\n\n- Hm?\n",
		"wiki/contradictions/c.md":     "# Conflict\n\n- It is. [source: sources/s.md]\n- It is not.\n",
		"wiki/contradictions/d.md":     "---\nstatus: ready\n---\n# Settled\n\n- It was. [source: sources/s.md]\n",
		"wiki/sources/s.md":            "# Survey\n\n- Says so. [source: sources/s.md#L2]\n- Says more.\n",
	})
	if len(r.Index.Splits) != 0 || r.Run.Status != "needs-review" {
		t.Errorf("splits %v, run %s", splits(r), r.Run.Status)
	}
	sameStrings(t, "claims", claims(r), []string{
		"source-required How large?", "confirmed Known. <- sources/s.md",
		"disputed It is. <- sources/s.md", "confirmed It was. <- sources/s.md",
		"source-required Then.", "source-required When?",
		"source-required Says so. <- sources/s.md#L2",
	})
	sameStrings(t, "diagnostics", found(r), []string{
		`wiki/sources/s.md [anchor-unresolved] "sources/s.md#L2"`,
		`documents/open-questions.md [question-open] "Open"`,
		`wiki/contradictions/c.md [contradiction-open] "Conflict"`,
		`wiki/open-questions/index.md [question-open] "Gaps"`,
	})
	var sections []string
	for _, s := range r.SourceMap.DocumentSections {
		sections = append(sections, s.Document+"#"+s.SectionID)
	}
	sameStrings(t, "sections", sections, []string{
		"documents/open-questions.md#sizes", "documents/open-questions.md#weight",
		"wiki/contradictions/c.md#conflict", "wiki/contradictions/d.md#settled",
		"wiki/open-questions/done.md#done", "wiki/open-questions/index.md#gaps", "wiki/sources/s.md#survey",
	})
	want := "# Boundaries\n\n## Disputed\n\n- Conflict (`wiki/contradictions/c.md`)\n\n## Unknown\n\n- Gaps (`wiki/open-questions/index.md`)\n"
	if got := files[boundariesPath]; got != want {
		t.Errorf("boundaries are %q, want %q", got, want)
	}
}

func TestCoverageOfChapters(t *testing.T) {
	doc := blocks("# T", "## None", "## Dots", "...", "## Todo", "TODO.", "## Said", "To be decided by June.",
		"## Two", "tbd", "tbd", "## Item", "- 待补充", "## Claims", "- a [status: missing]")
	r, _ := compileFiles(t, tree{"KNOWLEDGE.md": entry("document-first", ""), "documents/d.md": doc})
	var got []string
	for _, c := range r.Run.Chapters {
		got = append(got, c.Title+" "+c.Coverage)
	}
	sameStrings(t, "coverage", got, []string{
		"None missing", "Dots missing", "Todo missing", "Said full", "Two full", "Item missing", "Claims partial",
	})
}

func TestBuilderAndDocumentsOfARun(t *testing.T) {
	r, _ := compileFiles(t, tree{
		"KNOWLEDGE.md": entry("document-first", "", "metadata:", "  primaryDocument: documents/z.md",
			"  producedBy:", "    kind: skill", "    name: brief-writer", "    version: 2.0.0", "    digest: sha256:00"),
		"documents/a.md": "---\nstatus: needs-review\n---\n# A\n", "documents/z.md": "# Z\n", "documents/b/c.md": "",
		"ontology/o.json": "{}", "answers/q.json": "{}", "assets/x.svg": "x", "evals/e.json": "{}",
	})
	var docs []string
	for _, d := range r.Run.Documents {
		docs = append(docs, d.Path+" "+d.Role+" "+string(d.Status))
	}
	sameStrings(t, "documents", docs, []string{"documents/z.md primary ", "documents/a.md supporting needs-review", "documents/b/c.md supporting "})
	sameStrings(t, "splits", splits(r), []string{"z/z|Z", "a/a|A"})
	var inputs []string
	for _, in := range r.Run.Inputs {
		inputs = append(inputs, in.Path)
	}
	sameStrings(t, "inputs", inputs, []string{
		"KNOWLEDGE.md", "answers/q.json", "documents/a.md", "documents/b/c.md", "documents/z.md", "ontology/o.json",
	})
	if b := r.Run.BuilderSkill; b == nil || b.Name != "brief-writer" || b.Version != "2.0.0" || b.Digest != "sha256:00" {
		t.Errorf("builder skill %+v", b)
	}
}

func TestPageOrderIsThatOfTheIndex(t *testing.T) {
	r, files := compileFiles(t, tree{
		"KNOWLEDGE.md": entry("wiki-first", ""),
		"wiki/index.md": "# I\n\n![no](z.md) [q](b%20c.md?x=1#y) [again](b%20c.md) [up](../wiki/sub/d.md) [abs](/wiki/z.md)\n" +
			"[url](https://e.org/z.md) [none](none.md) [self](index.md)\n\n- [ref][r]\n\n[r]: sub/../e.md\n",
		"wiki/log.md": "# Log\n", "wiki/a.md": "# A\n", "wiki/z.md": "", "wiki/b c.md": "# B\n", "wiki/sub/d.md": "# D\n", "wiki/e.md": "# E\n",
	})
	sameStrings(t, "splits", splits(r), []string{"wiki/b c|B", "wiki/sub/d|D", "wiki/e|E", "wiki/a|A"})
	want := "## Pages\n\n- B (`wiki/b c.md`)\n- D (`wiki/sub/d.md`)\n- E (`wiki/e.md`)\n- A (`wiki/a.md`)\n"
	if !strings.HasSuffix(files[briefingPath], want) {
		t.Errorf("briefing is %q", files[briefingPath])
	}
}

func TestPrimaryPageKeepsItsPlace(t *testing.T) {
	files := tree{"documents/a.md": "# A\n", "documents/b.md": "# B\n", "wiki/y.md": "# Y\n", "wiki/z.md": "# Z\n"}
	for primary, want := range map[string][]string{
		"documents/b.md": {"b/b|B", "a/a|A", "wiki/y|Y", "wiki/z|Z"},
		"wiki/z.md":      {"a/a|A", "b/b|B", "wiki/y|Y", "wiki/z|Z"},
	} {
		r, _ := compileFiles(t, files.with(tree{"KNOWLEDGE.md": entry("hybrid", "", "metadata:", "  primaryDocument: "+primary)}))
		sameStrings(t, "splits with primary "+primary, splits(r), want)
	}
}

func TestGatesNameTheirPlace(t *testing.T) {
	dir := packDir(t, tree{
		"KNOWLEDGE.md": entry("hybrid", "required"), "sources/s.md": "one\n",
		"documents/d.md":           "---\ntitle: D\nstatus: disputed\n---\n\n# D\n\n- a [source: sources/s.md]\n- b [source: sources/none.md]\n\n  c [source: sources/s.md#L9]\n",
		"documents/e.md":           "\n# E\n\n- a\n- b [status: missing]\n- c [source: sources/s.md]\n",
		"wiki/contradictions/c.md": "\n\n# C\n",
		"wiki/zone.md":             "\n# Zone\n", "documents/wiki.md": "# W\n\n## Zone\n\nx\n",
	})
	compileDir(t, dir, Options{})
	tree{"sources/s.md": "two\n"}.write(t, dir)
	r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})
	var got []string
	for _, d := range r.Diagnostics {
		if recorded(d) {
			got = append(got, d.Place()+" "+d.ID)
			if d.Pack != "p" {
				t.Errorf("%s: pack is %q", d.Place(), d.Pack)
			}
		}
	}
	sameStrings(t, "places", got, []string{
		"wiki/zone.md:2:1 path-collision",
		"documents/d.md:11:5 anchor-unresolved",
		"documents/d.md:3:1 claim-disputed",
		"documents/d.md:9:5 source-missing",
		"documents/e.md:5:3 claim-missing",
		"documents/e.md:4:3 claim-unsourced",
		"documents/e.md:6:5 source-changed",
		"wiki/contradictions/c.md:3:1 contradiction-open",
	})
}

func TestClaimRecords(t *testing.T) {
	r, files := compileFiles(t, tree{
		"KNOWLEDGE.md": entry("wiki-first", "required"), "sources/s.md": "one\n",
		"wiki/sources/s.md": "# S\n\n- claim: \"It holds 1 l.\"\n  status: confirmed\n  source: sources/s.md#L1\n- claim: x\n  source: sources/none.md\n",
		"wiki/a.md":         "# A\n\n- claim: In a page\n  source: sources/s.md#L1\n  updated: 2026-01-01\n",
	})
	sameStrings(t, "claims", claims(r), []string{
		"confirmed In a page <- sources/s.md#L1", "confirmed It holds 1 l. <- sources/s.md#L1", "missing x <- sources/none.md",
	})
	sameStrings(t, "diagnostics", found(r), []string{`wiki/sources/s.md [source-missing] "sources/none.md"`})
	facts("- In a page [source: sources/s.md#L1]")(t, r, files)
}
