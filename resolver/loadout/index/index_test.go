package index_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

var runAt = time.Date(2026, 3, 1, 9, 15, 0, 0, time.UTC)

// files is a pack as a test writes it.
type files map[string]string

// knowledge is a KNOWLEDGE.md with more front matter lines.
func knowledge(name, status string, more ...string) string {
	if !strings.Contains(strings.Join(more, "\n"), "metadata:") { // what metadata names is a split by itself
		more = append(more, "metadata: {compile: {join: 0}}")
	}
	return "---\nname: " + name + "\ndescription: All about " + name + ". Use it for questions.\ntype: domain-reference\n" +
		"profile: document-first\nstatus: " + status + "\n" + strings.Join(more, "\n") + "\n---\n\n# Guide\n"
}

// compilePacks opens and compiles packs and shows every unit to the builder.
func compilePacks(t *testing.T, b *index.Builder, packs ...files) []*compiler.Result {
	t.Helper()
	var results []*compiler.Result
	for _, f := range packs {
		fsys := fstest.MapFS{}
		for name, text := range f {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
		p, faults, err := pack.OpenFS(fsys, "")
		if err != nil || diag.Count(faults, diag.Error) > 0 {
			t.Fatalf("open: %v %v", err, faults)
		}
		t.Cleanup(func() { p.Close() })
		r, err := compiler.Compile(context.Background(), p, compiler.Options{
			DryRun: true, Now: runAt, Opened: faults, Contribute: []compiler.Contributor{b.Contributor(p)}, Store: &store.Memory{},
		})
		oktest.Check(t, err)
		results = append(results, r)
	}
	return results
}

func build(t *testing.T, packs ...files) (*loadout.Index, []diag.Diagnostic) {
	t.Helper()
	b := index.NewBuilder(nil)
	return finish(t, b, compilePacks(t, b, packs...), index.Options{})
}

// finish builds an index.
func finish(t *testing.T, b *index.Builder, results []*compiler.Result, o index.Options) (*loadout.Index, []diag.Diagnostic) {
	t.Helper()
	ix, faults, err := b.Finish(t.Context(), results, o)
	oktest.Check(t, err)
	return ix, faults
}

// entry returns the entry with that id.
func entry(t *testing.T, ix *loadout.Index, id string) *loadout.Entry {
	t.Helper()
	e := ix.Lookup(id)
	if e == nil {
		var ids []string
		for _, e := range ix.Entries {
			ids = append(ids, e.ID)
		}
		t.Fatalf("no entry %q among %v", id, ids)
	}
	return e
}

var kettle = files{
	"KNOWLEDGE.md": knowledge("kettle", "ready"),
	"documents/kettle.md": "# Kettle\n\n## Descaling\n\nUse citric acid. Repeat it monthly, with citric acid again.\n\n" +
		"## Warranty terms\n\n- Two years on the body.\n- One year on the handle.\n",
	"compiled/usage.md": "# Usage\n\nHow people pour.\n",
}

func TestOneEntryForThePackEachViewAndEachSplit(t *testing.T) {
	ix, _ := build(t, kettle)
	var got []string
	for _, e := range ix.Entries {
		got = append(got, e.ID+" "+e.Path)
	}
	want := []string{
		"kettle packs/kettle/KNOWLEDGE.md",
		"kettle-usage packs/kettle/compiled/usage.md",
		"kettle-kettle-descaling packs/kettle/compiled/splits/kettle/descaling.md",
		"kettle-kettle-warranty-terms packs/kettle/compiled/splits/kettle/warranty-terms.md",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if ix.Generated != "2026-03-01T09:15:00.000Z" || ix.Version != "1.0.0" {
		t.Errorf("version %s generated %s", ix.Version, ix.Generated)
	}
}

func TestPathsAreWhereTheReaderFindsThem(t *testing.T) {
	b := index.NewBuilder(nil)
	results := compilePacks(t, b, kettle)
	ix, _ := finish(t, b, results, index.Options{Path: func(p *pack.Pack, path string) string { return "shelf/" + path }})
	if got := entry(t, ix, "kettle").Path; got != "shelf/KNOWLEDGE.md" {
		t.Errorf("path %s", got)
	}
}

func TestHeadingWordsComeFirstAmongDerivedKeywords(t *testing.T) {
	ix, _ := build(t, kettle)
	got := entry(t, ix, "kettle-kettle-warranty-terms").Keywords
	if len(got) < 3 || got[0] != "warranty" || got[1] != "terms" || len(got) > 8 {
		t.Errorf("keywords %v", got)
	}
	got = entry(t, ix, "kettle-kettle-descaling").Keywords
	if d := cmp.Diff([]string{"descaling", "acid", "citric"}, got[:3]); d != "" {
		t.Errorf("the most telling words of the body follow: %s", d)
	}
}

func TestEveryKeywordCanBeHitAndIsNotCommonToMostEntries(t *testing.T) {
	doc := "# Manual\n"
	for i := range 10 {
		doc += fmt.Sprintf("\n## Part %c%c\n\nThe boiler room has valve%d, naïve café, C++, x and 12345. It's %d.\n", 'a'+i, 'a'+i, i, i)
	}
	ix, _ := build(t, files{"KNOWLEDGE.md": knowledge("manual", "ready"), "documents/manual.md": doc})
	holders := map[string]int{}
	for _, e := range ix.Entries {
		for _, k := range e.Keywords {
			if !loadout.Reachable(k) {
				t.Errorf("%s: %q can never be hit", e.ID, k)
			}
			holders[k]++
		}
	}
	for k, n := range holders {
		if 2*n > len(ix.Entries) {
			t.Errorf("%q leads to %d of %d entries", k, n, len(ix.Entries))
		}
	}
	for _, k := range []string{"boiler", "room", "na", "ve", "caf", "the", "it", "12345"} {
		if holders[k] > 0 {
			t.Errorf("%q is a keyword", k)
		}
	}
}

func TestWordsOfHeadingsAndDescriptionAreKeptHoweverManyEntriesShareThem(t *testing.T) {
	guide := strings.Replace(knowledge("leaves", "ready"), "description: ", "description: Facts on green tea. ", 1)
	ix, _ := build(t, files{
		"KNOWLEDGE.md": guide,
		"documents/tea.md": "# Tea\n\n## Green tea\n\nBrew green tea at 80 degrees.\n\n## Black tea\n\nBrew black tea hot. No green tea here.\n\n" +
			"## White tea\n\nBrew white tea mildly, as green tea.\n\n### Storing tea\n\nDry and dark.\n",
	})
	for id, want := range map[string][]string{
		"leaves":               {"leaves", "facts", "green", "tea"},
		"leaves-tea-green-tea": {"green", "tea"},
		"leaves-tea-black-tea": {"black", "tea"},
		"leaves-tea-white-tea": {"white", "tea", "storing"},
	} {
		got := entry(t, ix, id).Keywords
		for _, word := range want {
			if !slices.Contains(got, word) {
				t.Errorf("%s: keywords %v lack %q", id, got, word)
			}
		}
		if len(got) > 8 || slices.Contains(got, "brew") {
			t.Errorf("%s: keywords %v: of the body, what most entries share is left out", id, got)
		}
	}
	results, err := loadout.Match("how do I brew green tea", ix, loadout.MatchOptions{})
	if err != nil || len(results) == 0 || results[0].Entry.ID != "leaves-tea-green-tea" {
		t.Errorf("%d results, %v", len(results), err)
	}
}

func TestAPageThatNoWordCanReachLoadsByNameOnly(t *testing.T) {
	ix, faults := build(t, files{
		"KNOWLEDGE.md":        knowledge("tea", "ready"),
		"documents/chaye.md":  "# 茶叶\n\n## 绿茶\n\n用八十度的水。\n\n## 红茶\n\n用开水。\n",
		"documents/normal.md": "# Normal\n\nBrewing.\n",
	})
	manual := 0
	for _, e := range ix.Entries {
		if e.Priority == loadout.PriorityManual {
			manual++
			if len(e.Keywords) != 0 || e.Summary == "" {
				t.Errorf("%s: keywords %v summary %q", e.ID, e.Keywords, e.Summary)
			}
		}
	}
	if manual != 2 {
		t.Errorf("%d manual entries, want 2", manual)
	}
	found := 0
	for _, d := range faults {
		if d.ID == "entry-unroutable" && d.Path == "documents/chaye.md" && d.Pack == "tea" && d.Hint != "" {
			found++
		}
	}
	if found != 2 {
		t.Errorf("%d findings, want 2: %v", found, faults)
	}
}

// A section that no word leads to is a remark when another one of its page is found.
func TestASectionWithoutWordsIsARemarkBesideOthers(t *testing.T) {
	_, faults := build(t, files{"KNOWLEDGE.md": knowledge("tea", "ready"), "documents/kettle.md": "# Kettle\n\n## Boiling water\n\n" + strings.Repeat("The kettle boils water. ", 40) + "\n\n## 茶\n\n" + strings.Repeat("茶水 ", 300) + "\n"})
	var got []string
	for _, d := range faults {
		if d.ID == "entry-unroutable" {
			got = append(got, d.Severity.String())
		}
	}
	if !slices.Equal(got, []string{"info"}) {
		t.Errorf("%v: %v", got, faults)
	}
}

func TestDeclaredValuesComeFromTheGuideThenThePageThenTheText(t *testing.T) {
	ix, faults := build(t, files{
		"KNOWLEDGE.md": knowledge("kettle", "ready", `metadata:
  loadout:
    kettle/care:
      keywords: [CI care, limescale]
      priority: core
      triggers: {edit: true}
    kettle:
      summary: The whole shelf.`),
		"documents/kettle.md": "---\nkeywords: [from page]\npatterns: [care_plan]\nsummary: Of the page.\n---\n# Kettle\n\n## Care\n\nDescale it. Often.\n\n## Facts\n\nOne litre.\n",
		"documents/one.md":    "---\nsummary: \"One\\nline\"\npriority: manual\n---\n# One\n\nText.\n",
	})
	if len(faults) != 1 || faults[0].ID != "summary-control" || faults[0].Path != "documents/one.md" {
		t.Fatalf("faults: %v", faults)
	}
	care := entry(t, ix, "kettle-kettle-care")
	want := loadout.Entry{
		ID: "kettle-kettle-care", Path: "packs/kettle/compiled/splits/kettle/care.md",
		Keywords: []string{"ci care", "limescale"}, Patterns: []string{"care_plan"}, Priority: "core",
		Summary: "Descale it.", Triggers: loadout.Triggers{Task: true, Plan: true, Edit: true},
		TokensEst: float64(token.Estimate("# Kettle\n\n## Care\n\nDescale it. Often.\n")), Lines: 6,
	}
	if d := cmp.Diff(want, *care, cmpopts.IgnoreUnexported(loadout.Entry{})); d != "" {
		t.Error(d)
	}
	if got := entry(t, ix, "kettle-kettle-facts").Keywords; !cmp.Equal(got, []string{"from page"}) {
		t.Errorf("facts: keywords %v", got)
	}
	if one := entry(t, ix, "kettle-one-one"); one.Summary != "One line" || one.Priority != "manual" {
		t.Errorf("one: %+v", one)
	}
	if got := entry(t, ix, "kettle").Summary; got != "The whole shelf." {
		t.Errorf("pack: summary %q", got)
	}
}

func TestFaultsInDeclarationsNameTheirPlace(t *testing.T) {
	ix, faults := build(t, files{
		"KNOWLEDGE.md": knowledge("kettle", "ready", `metadata:
  loadout:
    kettle/facts:
      keywords: [fine, "?!", 12.5]
      priority: high
      colour: red
    kettle/care:
      keywords: [fine, "?!"]
    kettle/nowhere:
      priority: core`),
		"documents/kettle.md": "---\nkeywords: ab, cd\npriority: high\nquestions:\n  care: How\n  descale: [Why]\nboundary: [facts, safety]\n---\n# Kettle\n\n## Care\n\nDescale.\n\n## Facts\n\nOne litre.\n",
	})
	var got []string
	for _, d := range faults {
		got = append(got, fmt.Sprintf("%s %s %s: %s", d.Place(), d.Severity, d.ID, d.Message))
		if d.Pack != "kettle" {
			t.Errorf("%v names pack %q", d, d.Pack)
		}
	}
	want := []string{
		`KNOWLEDGE.md:12:7 error metadata-invalid: key "colour" is not known in metadata.loadout`,
		`KNOWLEDGE.md:10:30 error metadata-invalid: key "metadata.loadout.kettle/facts.keywords" must be a string, not a number`,
		`KNOWLEDGE.md:11:17 error metadata-invalid: priority "high" is not known`,
		`KNOWLEDGE.md:14:24 warning keyword-unreachable: no task can ever match "?!"`,
		`KNOWLEDGE.md:15:5 warning loadout-unknown: metadata.loadout names "kettle/nowhere", which is not a split or view of this pack`,
		`documents/kettle.md:7:19 warning loadout-unknown: boundary names "safety", which is not a section of this page`,
		`documents/kettle.md:6:3 warning loadout-unknown: questions names "descale", which is not a section of this page`,
		`documents/kettle.md:3:11 info metadata-foreign: priority "high" is not known`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := entry(t, ix, "kettle-kettle-care").Keywords; !cmp.Equal(got, []string{"fine"}) {
		t.Errorf("care: keywords %v", got)
	}
}

// What the context resolver would read as no question and no boundary is a remark, at its
// place, on a page that declares nothing else too.
func TestMalformedQuestionsAndBoundariesOfAPageAreReported(t *testing.T) {
	for front, want := range map[string]string{
		"questions: {care: 7}":             `2:19 info metadata-foreign: key "questions.care" must be a list, not a number`,
		"questions:\n  care: [How, 7]":     `3:15 info metadata-foreign: key "questions.care" must be a string, not a number`,
		"questions: {care: {a: b}}":        `2:19 info metadata-foreign: key "questions.care" must be a list, not a map`,
		"questions: 7":                     `2:12 info metadata-foreign: key "questions" must be a list, not a number`,
		"questions: [true]":                `2:13 info metadata-foreign: key "questions" must be a string, not a boolean`,
		"boundary: 7":                      `2:11 info metadata-foreign: key "boundary" must be a list, not a number`,
		"boundary: [7]":                    `2:12 info metadata-foreign: key "boundary" must be a string, not a number`,
		"boundary: {care: true}":           `2:11 info metadata-foreign: key "boundary" must be a list, not a map`,
		"questions: {care: How}":           "",
		"questions: How":                   "",
		"questions: {care: }\nboundary: ":  "",
		"questions: [How]\nboundary: care": "",
		"boundary: true":                   "",
		"boundary: [care]":                 "",
	} {
		_, faults := build(t, files{
			"KNOWLEDGE.md":        knowledge("kettle", "ready"),
			"documents/kettle.md": "---\n" + front + "\n---\n# Kettle\n\n## Care\n\nDescale.\n",
		})
		var got []string
		for _, d := range faults {
			if strings.HasPrefix(d.Path, "documents/") {
				got = append(got, fmt.Sprintf("%d:%d %s %s: %s", d.Line, d.Column, d.Severity, d.ID, d.Message))
			}
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s: %q, want %q", front, got, want)
		}
	}
}

func TestPackStatusDecidesWhatLoadsByItself(t *testing.T) {
	for status, want := range map[string]string{
		"ready": "domain", "needs-review": "domain", "stale": "domain", "draft": "manual", "disputed": "manual", "archived": "",
	} {
		f := files{"KNOWLEDGE.md": knowledge("kettle", status), "documents/kettle.md": "# Kettle\n\n## Care\n\nDescale.\n\n## Facts\n\nLitre.\n"}
		ix, _ := build(t, f)
		for _, e := range ix.Entries {
			if e.Priority != want {
				t.Errorf("%s: %s is %s, want %q", status, e.ID, e.Priority, want)
			}
		}
		if want == "" && len(ix.Entries) > 0 || want != "" && len(ix.Entries) != 3 {
			t.Errorf("%s: %d entries", status, len(ix.Entries))
		}
	}
}

// An entry is shown by its summary, so that says what the entry rests on.
func TestEntriesOnMaterialThatIsNotReadySaySo(t *testing.T) {
	page := func(status string) string {
		return "---\nstatus: " + status + "\n---\n# " + status + " valves\n\nText of " + status + ".\n"
	}
	shore := files{
		"KNOWLEDGE.md": strings.Replace(knowledge("shore", "ready"), "document-first", "wiki-first", 1),
		"wiki/a.md":    page("stale"), "wiki/b.md": page("disputed"), "wiki/c.md": page("ready"),
		"wiki/f.md": page("needs-review"),
		"wiki/d.md": "# Claims\n\nOne claim.\n\n- It is so. [status: stale]\n",
		"wiki/e.md": "---\nstatus: stale\nloadout:\n  summary: " + strings.Repeat("long ", 23) + "\n---\n# Long\n\nText.\n",
	}
	text := "# X\n\nSome text.\n"
	ix, _ := build(t, shore, files{"KNOWLEDGE.md": knowledge("old", "stale"), "documents/x.md": text},
		files{"KNOWLEDGE.md": knowledge("raw", "draft"), "documents/x.md": text}, files{"KNOWLEDGE.md": knowledge("unread", "needs-review"), "documents/x.md": text})
	for id, want := range map[string]string{
		"shore-wiki-a": "Stale: Text of stale.", "shore-wiki-b": "Disputed: Text of disputed.", "shore-wiki-c": "Text of ready.",
		"shore-wiki-d": "Stale: One claim.", "shore-briefing": "Disputed: All about shore.", "shore": "All about shore.",
		"old": "Stale: All about old.", "old-x-x": "Stale: Some text.",
		"shore-wiki-f": "Needs review: Text of needs-review.", "raw": "Draft: All about raw.", "raw-x-x": "Draft: Some text.",
		"unread": "Needs review: All about unread.", "unread-x-x": "Needs review: Some text.",
	} {
		if got := entry(t, ix, id).Summary; got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if got := entry(t, ix, "shore-wiki-e").Summary; !strings.HasPrefix(got, "Stale: ") || len([]rune(got)) > 120 {
		t.Errorf("%q", got)
	}
}

func TestTheIndexIsValidAndReadsBackTheSame(t *testing.T) {
	ix, _ := build(t, kettle, files{
		"KNOWLEDGE.md":     knowledge("tea", "draft"),
		"documents/tea.md": "# Tea\n\n## Green\n\nEighty degrees.\n\n## Black\n\nBoiling.\n",
	})
	data := indexjson.Write(ix)
	back := oktest.Value(indexjson.Read(data))(t)
	if d := cmp.Diff(string(data), string(indexjson.Write(back))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(loadout.ComputeBudget(ix.Entries), ix.Budget); d != "" {
		t.Errorf("budget: %s", d)
	}
	seen := map[string]bool{}
	for _, e := range ix.Entries {
		switch {
		case seen[e.ID]:
			t.Errorf("id %s twice", e.ID)
		case e.Summary == "" || token.Units(e.Summary) > 120 || strings.ContainsAny(e.Summary, "\n\t"):
			t.Errorf("%s: summary %q", e.ID, e.Summary)
		case e.Priority == "domain" && len(e.Keywords) == 0:
			t.Errorf("%s: no keywords", e.ID)
		case e.Path == "" || e.Lines < 1 || e.TokensEst <= 0:
			t.Errorf("%s: %+v", e.ID, e)
		}
		seen[e.ID] = true
	}
}

func TestTheOrderOfVisitsAndPacksDoesNotMatter(t *testing.T) {
	packs := []files{kettle}
	for i := range 5 {
		packs = append(packs, files{
			"KNOWLEDGE.md":   knowledge(fmt.Sprintf("pack%c", 'a'+i), "ready"),
			"documents/x.md": fmt.Sprintf("# X\n\n## Alpha%d\n\nGreen tea leaves.\n\n## Beta\n\nBlack coffee %d beans.\n", i, i),
		})
	}
	want, _ := build(t, packs...)
	for turn := range packs {
		turned := append(append([]files{}, packs[turn:]...), packs[:turn]...)
		got, _ := build(t, turned...)
		if d := cmp.Diff(string(indexjson.Write(want)), string(indexjson.Write(got))); d != "" {
			t.Fatalf("turned by %d: %s", turn, d)
		}
	}
}

func TestPagesWithoutUsableKeywordsHaveDerivedOnes(t *testing.T) {
	for _, written := range []string{`""`, "[]", "C, R", `" , "`, "null"} {
		ix, faults := build(t, files{
			"KNOWLEDGE.md":        knowledge("tea", "ready"),
			"documents/kettle.md": "---\nkeywords: " + written + "\n---\n# Descaling\n\nVinegar cleans the heater of a kettle.\n",
		})
		if e := entry(t, ix, "tea-kettle-descaling"); !slices.Contains(e.Keywords, "descaling") || e.Priority != loadout.PriorityDomain {
			t.Errorf("keywords: %s: %+v %v", written, e, faults)
		}
	}
}
