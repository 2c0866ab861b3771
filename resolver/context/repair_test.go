package context

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/context/rank"
)

// handbook is a hybrid pack with several documents and pages.
func handbook(t testing.TB) fstest.MapFS {
	long := "# Long\n\nLong pages are cut.\n\n## First half\n\n" + strings.Repeat("The first half speaks of valves. ", 200) + "\n\n## Second half\n\n" + strings.Repeat("The second half speaks of pistons. ", 200) + "\n"
	return compiled(t, tree{
		"KNOWLEDGE.md":                head("handbook", "hybrid", "grounding: none\nmetadata:\n  primaryDocument: documents/kettle.md\n") + "\n## Limits\n\n- No advice on gas.\n",
		"documents/kettle.md":         "# Kettle\n\n## Capacity\n\nThe kettle holds one litre.\n\n## Care\n\nDescale it monthly.\n",
		"documents/more/warm.md":      "# Warmth\n\nThe plate keeps tea warm for an hour.\n",
		"wiki/whistle.md":             "# Whistle\n\nThe whistle sounds at boiling point.\n\n- Brass is louder. [source: sources/s.md#L1]\n",
		"wiki/long.md":                long,
		"wiki/contradictions/c.md":    "# Steel or copper\n\nTwo people disagree.\n",
		"wiki/open-questions/q.md":    "# How old is it?\n",
		"sources/s.md":                "brass\n",
		"compiled/voice.md":           "# Voice\n\nSpeak plainly.\n",
		"documents/draft.md":          "---\nstatus: draft\n---\n# Draft\n\nThe draft speaks of trams.\n",
		"documents/open-questions.md": "# Open\n",
	})
}

// A compiled file that is not what compile wrote is never served: what its document
// says takes its place.
func TestWhatIsNotIntactIsLeftOut(t *testing.T) {
	files := handbook(t)
	const notOurs, gone = "This file is not what compile wrote", "This file is gone"
	for _, c := range []struct {
		name, query string
		changes     tree
		taken       string // what is selected first
		insteadOf   string
		holds, not  string // in the text
		warning     string
	}{
		{
			"a split that was edited", "kettle capacity litre", tree{"compiled/splits/kettle/capacity.md": "## Capacity\n\nThe kettle holds five litres.\n"},
			"documents/kettle.md#capacity", "compiled/splits/kettle/capacity.md", "holds one litre", "five", notOurs,
		},
		{
			"a split that lost what is asked for", "kettle capacity litre", tree{"compiled/splits/kettle/capacity.md": "## Nothing\n"},
			"documents/kettle.md#capacity", "compiled/splits/kettle/capacity.md", "holds one litre", "Nothing", notOurs,
		},
		{
			"a split that was deleted", "how many litres does the kettle hold", tree{"compiled/splits/kettle/capacity.md": "-"},
			"documents/kettle.md#capacity", "compiled/splits/kettle/capacity.md", "holds one litre", "", gone,
		},
		{
			"a split of another document", "plate warm tea", tree{"compiled/splits/more/warm.md": "-", "compiled/splits/more/warm/warmth.md": "-"},
			"documents/more/warm.md#warmth", "compiled/splits/more/warm/warmth.md", "for an hour", "", gone,
		},
		{
			"a split that is not text", "whistle boiling point", tree{"compiled/splits/wiki/whistle.md": "whistle \xff"},
			"wiki/whistle.md#whistle", "compiled/splits/wiki/whistle.md", "sounds at boiling", "", notOurs,
		},
		{
			"a part of a long page", "pistons", tree{"compiled/splits/wiki/long/second-half.md": "-"},
			"wiki/long.md#second-half", "compiled/splits/wiki/long/second-half.md", "speaks of pistons", "", gone,
		},
		{
			"a folder of splits", "whistle boiling point", tree{"compiled/splits/wiki": "-"},
			"wiki/whistle.md#whistle", "compiled/splits/wiki/whistle.md", "sounds at boiling", "", gone,
		},
		{
			"all splits", "plate warm tea", tree{"compiled/splits": "-"},
			"documents/more/warm.md#warmth", "compiled/splits/more/warm/warmth.md", "for an hour", "", "No compiled splits; sections were cut from the documents as they are",
		},
		{
			"everything compiled", "plate warm tea", tree{"compiled": "-"},
			"documents/more/warm.md#warmth", "compiled/splits/more/warm/warmth.md", "for an hour", "trams", "No compiled splits; sections were cut from the documents as they are",
		},
		{
			"a split that was edited, and the index gone", "kettle capacity litre", tree{indexPath: "-", "compiled/splits/kettle/capacity.md": "## Capacity\n\nThe kettle holds five litres.\n"},
			"documents/kettle.md#capacity", "compiled/splits/kettle/capacity.md", "holds one litre", "five", notOurs,
		},
		{
			"a split that was edited, and the index broken", "kettle capacity litre", tree{indexPath: "{", "compiled/splits/kettle/capacity.md": "## Capacity\n\nThe kettle holds five litres.\n"},
			"documents/kettle.md#capacity", "compiled/splits/kettle/capacity.md", "holds one litre", "five", notOurs,
		},
		{
			"the view of boundaries", "kettle capacity litre", tree{"compiled/boundaries.md": "# Boundaries\n\n- Anything goes.\n"},
			"compiled/splits/kettle/capacity.md", "compiled/boundaries.md", "No advice on gas", "Anything goes", notOurs,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := resolve(t, Request{Query: c.query}, named("handbook", with(files, c.changes)))
			if len(r.Selection) == 0 || r.Selection[0].Path != c.taken {
				t.Errorf("selected %v, want %s first", selection(r), c.taken)
			}
			marked := false
			for _, s := range r.Selection {
				marked = marked || s.InsteadOf == c.insteadOf
			}
			if !marked || !strings.Contains(r.Context, " in place of "+c.insteadOf+" -->") {
				t.Errorf("nothing says that it stands in place of %s:\n%+v\n%s", c.insteadOf, r.Selection, r.Context)
			}
			if !strings.Contains(r.Context, c.holds) || c.not != "" && strings.Contains(r.Context, c.not) {
				t.Errorf("the text is\n%s", r.Context)
			}
			if said := strings.Join(remarks(r.Warnings), "\n"); !strings.Contains(said, c.warning) || !strings.Contains(said, "warning: compiled/") {
				t.Errorf("warnings:\n%s", said)
			}
			if r.Status == schema.Passed || len(r.Missing) > 0 || !r.OK {
				t.Errorf("status %s, missing %v, ok %v", r.Status, r.Missing, r.OK)
			}
		})
	}
	if r := resolve(t, Request{Query: "kettle capacity litre"}, named("handbook", files)); r.Status != schema.Passed || len(r.Warnings) > 0 {
		t.Errorf("an intact pack is %s: %v", r.Status, r.Warnings)
	}
}

// What is left out and has nothing to take its place is said, a few files by name.
func TestWhatIsLostIsCounted(t *testing.T) {
	files := tree{"KNOWLEDGE.md": head("many", "document-first", "metadata:\n  primaryDocument: documents/a.md\n"), "documents/a.md": "# A\n\nText.\n"}
	changes := tree{"documents/b.md": "# B\n\nOther text.\n"}
	text := "# B\n"
	for _, name := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight"} {
		text += "\n## Part " + name + "\n\nWords.\n"
		changes["compiled/splits/b/part-"+name+".md"] = "By hand.\n"
	}
	files["documents/b.md"] = text
	r := resolve(t, Request{Query: "text"}, named("many", with(compiled(t, files), changes)))
	said := strings.Join(remarks(r.Warnings), "\n")
	if strings.Count(said, "it is left out.") != maxLost || !strings.Contains(said, "compiled/: 3 more files are gone or not what compile wrote; they are left out.") || r.Status == schema.Passed {
		t.Errorf("status %s, warnings:\n%s", r.Status, said)
	}
	if strings.Contains(r.Context, "By hand") {
		t.Errorf("context:\n%s", r.Context)
	}
}

// Generated views are compared too: facts are looked for in the pages they come from.
func TestFactsThatAreNotIntactComeFromThePages(t *testing.T) {
	shore := shore(t)
	for name, text := range map[string]string{"edited": "# Facts\n\n- Beds are sparse at low tide.\n", "deleted": "-"} {
		r := resolve(t, Request{Query: "low tide", Scorer: rank.Overlap{}}, named("shore", with(shore, tree{factsPath: text})))
		if !strings.Contains(r.Context, "dense at low tide") || strings.Contains(r.Context, "sparse") || r.Status == schema.Passed {
			t.Errorf("%s: status %s, context:\n%s", name, r.Status, r.Context)
		}
	}
}

// A view that is kept by hand is its owner's: it is served, and is stale until the next
// compile has seen it.
func TestAHandMadeViewMayChange(t *testing.T) {
	files := with(shore(t), tree{briefingPath: "-"})
	changed := with(compiledAgain(t, with(files, tree{"compiled/voice.md": "# Voice\n\nSpeak plainly.\n"})), tree{"compiled/voice.md": "# Voice\n\nSpeak loudly.\n"})
	s, err := openContents(&Pack{FS: changed, Dir: "shore"}, nil)
	oktest.Check(t, err)
	u := s.view("compiled/voice.md")
	if u == nil || !strings.Contains(u.text, "loudly") {
		t.Fatalf("the view is %+v", u)
	}
	if warnings, worst := s.compileWarnings([]*unit{u}); worst != schema.Stale || len(warnings) != 1 {
		t.Errorf("it is %s: %v", worst, warnings)
	}
}

// compiledAgain compiles files that were compiled before.
func compiledAgain(t testing.TB, files fstest.MapFS) fstest.MapFS {
	texts := tree{}
	for name, f := range files {
		if !strings.HasPrefix(name, "runs/") {
			texts[name] = string(f.Data)
		}
	}
	return compiled(t, texts)
}

// The records themselves may be gone.
func TestRecordsThatAreGoneAreSaid(t *testing.T) {
	kettle := kettle(t)
	for name, want := range map[string]string{
		indexPath:     "warning: compiled/index.json: This record is gone since the newest compile run; the splits were compared with the documents.",
		sourceMapPath: "warning: indexes/source-map.json: This record is gone since the newest compile run; which claims are stale or disputed is not known.",
	} {
		r := resolve(t, Request{Query: "litre vessel", Scorer: rank.Overlap{}}, named("kettle", with(kettle, tree{name: "-"})))
		if diff := cmp.Diff([]string{want}, remarks(r.Warnings)); diff != "" || r.Status != schema.NeedsReview {
			t.Errorf("%s: status %s (-want +got):\n%s", name, r.Status, diff)
		}
		if r := resolve(t, Request{Query: "litre vessel"}, named("kettle", with(kettle, tree{name: "-", "runs": "-"}))); len(r.Warnings) > 0 {
			t.Errorf("%s: without a run: %v", name, r.Warnings)
		}
	}
}

// The guide of an activated pack lists no file that is not what compile wrote.
func TestGuideListsNoFileThatIsNotIntact(t *testing.T) {
	care := kettleSplits + "care.md"
	text, err := Guide(context.Background(), named("kettle", with(kettle(t), tree{care: "By hand.\n"})), "", "", Request{})
	oktest.Check(t, err)
	if strings.Contains(text, care) || !strings.Contains(text, kettleSplits+"capacity.md") {
		t.Errorf("the guide lists\n%s", text)
	}
}

// Records bind one another, and the pages bind the splits: whatever of a compiled pack is
// edited, what is served is a page's text, and a resolution that rests on an edit is not
// passed. Edits are those of somebody who keeps all hashes right.
func TestWhatWasEditedIsNotServedAsSure(t *testing.T) {
	kettle := kettle(t)
	capacity := kettleSplits + "capacity.md"
	runPath := newestRun(kettle)
	text := func(name string) string { return string(kettle[name].Data) }
	forged := strings.Replace(text(capacity), "one litre", "9.9 litres", 1)
	if forged == text(capacity) {
		t.Fatalf("the split is %s", forged)
	}
	index := strings.Replace(text(indexPath), schema.SHA256([]byte(text(capacity))), schema.SHA256([]byte(forged)), 1)
	ledgerPath := schema.RunLedgerPath(runPath)
	bound := strings.Replace(text(ledgerPath), schema.SHA256([]byte(text(indexPath))), schema.SHA256([]byte(index)), 1)
	care := text(kettleSplits + "care.md")
	ofCare := strings.Replace(index, schema.SHA256([]byte(forged)), schema.SHA256([]byte(care)), 1)
	ofCareBound := strings.Replace(text(ledgerPath), schema.SHA256([]byte(text(indexPath))), schema.SHA256([]byte(ofCare)), 1)
	sourceMap := strings.Replace(text(sourceMapPath), "{", "{ ", 1)
	// What records that were edited say of claims cannot be believed.
	unsure := []string{"the source map", "the index", "the title of a split", "the run, no JSON", "a newer run, no JSON"}
	for _, tt := range []struct {
		name   string
		edit   tree
		status string
	}{
		{"nothing", nil, string(schema.Passed)},
		{"line ends", tree{indexPath: strings.ReplaceAll(text(indexPath), "\n", "\r\n")}, string(schema.Passed)},
		{"a split", tree{capacity: forged}, string(schema.NeedsReview)},
		{"a split and its hash", tree{capacity: forged, indexPath: index}, string(schema.NeedsReview)},
		{"a split, its hash and that of the index", tree{capacity: forged, indexPath: index, ledgerPath: bound}, string(schema.NeedsReview)},
		{"a split that comes from nowhere", tree{capacity: forged, indexPath: strings.ReplaceAll(index, `"document": "documents/kettle.md"`, `"document": "../kettle.md"`)}, string(schema.NeedsReview)},
		{"a split that is another section, its hash and that of the index", tree{capacity: care, indexPath: ofCare, ledgerPath: ofCareBound}, string(schema.NeedsReview)},
		{"a split, and no records", tree{capacity: forged, indexPath: "-", sourceMapPath: "-", "runs": "-"}, string(schema.NeedsReview)},
		{"a split and its hash, and no run", tree{capacity: forged, indexPath: index, "runs": "-"}, string(schema.NeedsReview)},
		{"the title of a split", tree{indexPath: strings.Replace(text(indexPath), `"title": "`, `"title": "9.9 litres `, 1)}, string(schema.NeedsReview)},
		{"the source map", tree{sourceMapPath: sourceMap}, string(schema.NeedsReview)},
		{"the index", tree{indexPath: strings.Replace(text(indexPath), `"order": 1,`, `"order": 1, `, 1)}, string(schema.NeedsReview)},
		{"the hashes of the run", tree{ledgerPath: strings.Replace(text(ledgerPath), `"index_sha256"`, `"source_map_sha256"`, 1)}, string(schema.NeedsReview)},
		{"no hashes of the run", tree{ledgerPath: strings.Replace(text(ledgerPath), schema.SHA256([]byte(text(indexPath))), schema.SHA256(nil), 1)}, string(schema.NeedsReview)},
		{"the run, no JSON", tree{runPath: "{"}, string(schema.NeedsReview)},
		{"the ledger, no JSON", tree{ledgerPath: "{"}, string(schema.NeedsReview)},
		{"no ledger", tree{ledgerPath: "-"}, string(schema.NeedsReview)},
		{"the run, and not its ledger", tree{runPath: strings.Replace(text(runPath), `"manual"`, `"ingest"`, 1)}, string(schema.NeedsReview)},
		{"a newer run, no JSON", tree{"runs/compile-2030-01-01T00-00-00Z.json": "<<<<<<< ours\n"}, string(schema.NeedsReview)},
		{"a newer run of another tool", tree{"runs/compile-2030-01-01T00-00-00Z.json": `{"id": "x", "status": "completed"}`}, string(schema.Passed)},
		{"no run", tree{"runs": "-"}, string(schema.NeedsReview)},
		{"the status of the run", boundRun(kettle, runPath, strings.Replace(text(runPath), `"diagnostics": []`, `"diagnostics": [{"severity": "warning", "path": "documents/x.md", "message": "[source-changed] x"}]`, 1)), string(schema.Stale)},
	} {
		files := with(kettle, tt.edit)
		for _, scorer := range []rank.Scorer{rank.Overlap{}, rank.BM25F{}} {
			r := resolve(t, Request{Query: "litre capacity", Scorer: scorer}, named("kettle", files))
			if string(r.Status) != tt.status || strings.Contains(r.Context, "9.9") {
				t.Errorf("%s: status %s, want %s: %v\n%s", tt.name, r.Status, tt.status, r.Warnings, r.Context)
			}
			if r.Confidence == Sure && slices.Contains(unsure, tt.name) {
				t.Errorf("%s: it is sure", tt.name)
			}
			if r.Status != schema.Passed && len(r.Warnings)+len(r.CompileWarnings) == 0 {
				t.Errorf("%s: it is %s without a word", tt.name, r.Status)
			}
		}
	}
}

// boundRun are the files of the newest run of a pack with another record, under a name.
func boundRun(files fstest.MapFS, name, record string) tree {
	run := newestRun(files)
	id := func(path string) string { return strings.TrimSuffix(strings.TrimPrefix(path, "runs/"), ".json") }
	then := string(files[run].Data)
	record = strings.Replace(record, id(run), id(name), 1)
	ledger := strings.NewReplacer(schema.SHA256([]byte(then)), schema.SHA256([]byte(record)), id(run), id(name)).Replace(string(files[schema.RunLedgerPath(run)].Data))
	return tree{name: record, schema.RunLedgerPath(name): ledger}
}

// A split of a document that has changed or gone is never sure, unless the document still
// holds it.
func TestASplitThatItsDocumentDoesNotHoldIsNotSure(t *testing.T) {
	files := kettle(t)
	capacity, index := kettleSplits+"capacity.md", string(files[indexPath].Data)
	intact := string(files[capacity].Data)
	forged := strings.Replace(intact, "one litre", "9.9 litres", 1)
	forgedIndex := strings.Replace(index, schema.SHA256([]byte(intact)), schema.SHA256([]byte(forged)), 1)
	ledger := schema.RunLedgerPath(newestRun(files))
	bound := strings.Replace(string(files[ledger].Data), schema.SHA256([]byte(index)), schema.SHA256([]byte(forgedIndex)), 1)
	edit := tree{capacity: forged, indexPath: forgedIndex, ledger: bound}
	longer := string(files["documents/kettle.md"].Data) + "\n## More\n\nWords.\n"
	for _, tt := range []struct {
		name string
		edit []tree
		sure bool
	}{
		{"nothing changed", nil, true},
		{"another section came", []tree{{"documents/kettle.md": longer}}, true},
		{"another section came, and the split was edited", []tree{edit, {"documents/kettle.md": longer}}, false},
		{"the document is gone", []tree{{"documents/kettle.md": "-"}}, false},
	} {
		changed := files
		for _, e := range tt.edit {
			changed = with(changed, e)
		}
		r := resolve(t, Request{Query: "one litre capacity"}, named("kettle", changed))
		if sure := r.Confidence == Sure; sure != tt.sure {
			t.Errorf("%s: it is %s, %v:\n%s", tt.name, r.Confidence, remarks(r.Warnings), r.Context)
		}
		if warned := strings.Contains(strings.Join(remarks(r.Warnings), "\n"), "This split is not a section of"); warned == tt.sure {
			t.Errorf("%s: warnings %v", tt.name, remarks(r.Warnings))
		}
	}
}

func picksOf(texts ...string) []pick {
	var list []pick
	for i, text := range texts {
		p := pick{unit: &unit{path: fmt.Sprintf("f%d", i), text: text}, reason: "match:1"}
		if strings.HasPrefix(text, "B") {
			p.boundary, p.reason = true, ReasonBoundary
		}
		list = append(list, p)
	}
	return list
}

func TestBudgetTakesWholeFilesAndReservesBoundaries(t *testing.T) {
	text := func(tokens int) string { return strings.Repeat("x", tokens*4) }
	bound := func(tokens int) string { return "B" + strings.Repeat("x", tokens*4-1) }
	for _, c := range []struct {
		rule   string
		texts  []string
		budget int
		files  []string
		notes  []string
	}{
		{"all fit", []string{text(100), text(150)}, 250, []string{"f0", "f1"}, nil},
		{"one that does not fit gives its part, and a later one still fits", []string{text(100), text(200), text(50)}, 250, []string{"f0", "f1", "f2"}, []string{"warning: f1: Cut to fit the token budget."}},
		{"too little is left for a part", []string{text(200), text(200), text(50)}, 250, []string{"f0", "f2"}, []string{"info: f1: Skipped: does not fit the token budget."}},
		{"boundaries come first", []string{text(990), bound(100)}, 1000, []string{"f0", "f1"}, []string{"warning: f0: Cut to fit the token budget."}},
		{"boundaries take an eighth together", []string{text(800), bound(100), bound(30), bound(20)}, 1000, []string{"f0", "f1", "f3"}, []string{"warning: f2: Skipped: does not fit the token budget."}},
		{"nothing fits, so the first is cut", []string{text(300), text(260)}, 250, []string{"f0", "f1"}, []string{"warning: f0: Cut to fit the token budget.", "warning: f1: Cut to fit the token budget."}},
		{"nothing to take", nil, 250, nil, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			part := func(u *unit, room int) string {
				if room < 100 {
					return ""
				}
				return cutText(u.text, min(room, 100))
			}
			files, kept, notes := fit(picksOf(c.texts...), c.budget, part)
			var paths, said []string
			sum := 0
			for i, f := range files {
				paths = append(paths, f.Path)
				sum += f.Tokens
				if kept[i].path != f.Path {
					t.Errorf("kept %s beside %s", kept[i].path, f.Path)
				}
			}
			for _, n := range notes {
				said = append(said, n.String())
			}
			if diff := cmp.Diff(c.files, paths) + cmp.Diff(c.notes, said); diff != "" || sum > c.budget {
				t.Errorf("sum %d (-want +got):\n%s", sum, diff)
			}
		})
	}
}

func TestCutEndsAtABlankLineElseAtAWholeCharacter(t *testing.T) {
	for _, c := range []struct {
		text   string
		budget int
		want   string
	}{
		{"aaaa\n\nbbbb\n\ncccccccccccc\n", 4, "aaaa\n\nbbbb\n"},
		{"aaaa\n \t\nbbbbbbbbbbbb", 3, "aaaa\n"},
		{"aaaaaaaaaaaa", 2, "aaaaaaaa"},
		{"aaaaaaa🚀", 2, "aaaaaaa"},
		{"知识知识知识", 1, "知识知识"},
		{"\n\naaaaaaaaaaaa", 2, "\n\naaaaaa"},
		{"abc", 1, "abc"},
		{"abc", 0, ""},
	} {
		if got := cutText(c.text, c.budget); got != c.want {
			t.Errorf("cutText(%q, %d) = %q, want %q", c.text, c.budget, got, c.want)
		}
	}
}

func TestSumNeverExceedsTheBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	text := func() string {
		var b strings.Builder
		for range rng.IntN(400) {
			b.WriteString([]string{"word ", "知", "🚀", "\n\n", "\n## H\n\n"}[rng.IntN(5)])
		}
		return b.String()
	}
	for range 60 {
		var packs []Pack
		for j := range 1 + rng.IntN(4) {
			name, mode := fmt.Sprintf("p%d", j), ""
			if j == 0 && rng.IntN(2) == 0 {
				mode = "runtime:\n  mode: persona\n"
			}
			packs = append(packs, named(name, raw(tree{
				"KNOWLEDGE.md":   head(name, "document-first", mode+"metadata:\n  primaryDocument: documents/a.md\n"),
				"documents/a.md": "# T\n\n## Word limits\n\n" + text() + "\n\n## Voice\n\n" + text() + "\n\n## Word\n\n" + text() + "\n",
			})))
		}
		budget := 1 + rng.IntN(2000)
		r := resolve(t, Request{Query: "word voice", Budget: budget, Scorer: rank.Overlap{}}, packs...)
		limit := max(budget, MinBudget)
		sum := 0
		for _, a := range r.Activated {
			for _, f := range a.Files {
				sum += token.Estimate(f.Text)
				if !utf8.ValidString(f.Text) {
					t.Fatalf("%s was cut inside a character", f.Path)
				}
			}
		}
		if sum != r.TokenEstimate || sum > limit {
			t.Fatalf("sum %d, estimate %d, budget %d", sum, r.TokenEstimate, limit)
		}
	}
}

func TestBudgetsOfAnySizeHaveAnAnswer(t *testing.T) {
	files := kettle(t)
	for _, c := range []struct {
		budget, want int
		raised       bool
	}{{0, DefaultBudget, false}, {1, MinBudget, true}, {249, MinBudget, true}, {250, 250, false}, {-5, MinBudget, true}, {1_000_000_000, maxBudget, false}} {
		got, raised := effectiveBudget(c.budget)
		if got != c.want || raised != c.raised {
			t.Errorf("effectiveBudget(%d) = %d, %v", c.budget, got, raised)
		}
		r := resolve(t, Request{Query: "litre", Budget: c.budget}, named("kettle", files))
		if said := len(r.Warnings) == 1 && r.Warnings[0].Message == "The token budget was raised to the minimum of 250."; said != c.raised || !r.OK {
			t.Errorf("budget %d: ok %v, warnings %v", c.budget, r.OK, r.Warnings)
		}
	}
}

// Section 13.8: half for each group, equal parts inside, the rest passed on.
func TestSeveralPacksShareTheBudget(t *testing.T) {
	s := newShares(1000, 1, 2)
	var got []int
	for _, spent := range []int{100, 300, 0} {
		got = append(got, s.next())
		s.spend(spent)
	}
	if diff := cmp.Diff([]int{500, 450, 600}, got); diff != "" {
		t.Errorf("shares (-want +got):\n%s", diff)
	}
	s = newShares(1000, 0, 4)
	if got := s.next(); got != 250 {
		t.Errorf("share %d, want 250", got)
	}
}
