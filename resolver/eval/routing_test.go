package eval

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
)

// entry makes an entry of 100 tokens.
func entry(id, keywords string) loadout.Entry {
	return loadout.Entry{
		ID: id, Path: id + ".md", Keywords: strings.Fields(keywords), Priority: loadout.PriorityDomain,
		Summary: id, Triggers: loadout.DefaultTriggers(), TokensEst: 100, Lines: 1,
	}
}

func indexOf(entries ...loadout.Entry) *loadout.Index {
	return &loadout.Index{Version: loadout.Version, Entries: entries}
}

var kettles = indexOf(
	entry("kettle-care", "descale care citric acid"),
	entry("kettle-price", "price shop"),
	entry("kettle-noise", "noise boil kettle descale"),
	loadout.Entry{ID: "kettle-secret", Path: "s.md", Keywords: []string{"descale"}, Priority: loadout.PriorityManual, Summary: "s", TokensEst: 5},
)

func read(t *testing.T, text string) *Routing {
	t.Helper()
	r, faults := ReadRouting("evals/routing.yaml", []byte(text))
	if r == nil {
		t.Fatalf("not read: %+v", faults)
	}
	return r
}

func route(t *testing.T, r *Routing) []TaskResult {
	t.Helper()
	return oktest.Value(Route(r, kettles, loadout.Coverage))(t)
}

func TestReadRoutingTakesBothFormsOfAnEntry(t *testing.T) {
	r := read(t, "matcher: recall\ntasks:\n  - task: descale\n    reason: why\n    must: [a, {id: b, rank: 2}]\n    must_not: [c]\n    tokens: 300\n")
	want := []Expected{{"a", 0}, {"b", 2}}
	task := r.Tasks[0]
	if diff := cmp.Diff(want, task.Must); diff != "" || r.Matcher != "recall" || task.Task != "descale" || task.Reason != "why" ||
		task.Tokens != 300 || task.Line != 3 || !slices.Equal(task.MustNot, []string{"c"}) {
		t.Errorf("%+v %s", r, diff)
	}
}

func TestReadRoutingRefusesWithAPlace(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty file", "", "has no tasks"},
		{"no tasks", "tasks: []\n", "has no tasks"},
		{"not YAML", "tasks: [", "not valid YAML"},
		{"a list", "- a\n", "the value must be a map, not a list"},
		{"unknown key", "task: []\n", `the key "task" is not known`},
		{"unknown key of a task", "tasks: [{task: a, may: b}]", `the key "may" is not known`},
		{"key twice", "tasks: [{task: a}]\ntasks: [{task: a}]\n", `key "tasks" is given twice; the first is on line 1`},
		{"no text", "tasks: [{must: [a]}]", "a task has no text"},
		{"blank text", "tasks: [{task: ' '}]", "a task has no text"},
		{"number as a task", "tasks: [{task: 12}]", "the value must be a string, not a number"},
		{"unknown matcher", "matcher: fuzzy\ntasks: [{task: a}]", `unknown matcher "fuzzy"`},
		{"rank zero", "tasks: [{task: a, must: [{id: b, rank: 0}]}]", "from 1 on, not 0"},
		{"fraction", "tasks: [{task: a, tokens: 1.5}]", "must be a whole number"},
		{"quoted number", "tasks: [{task: a, tokens: '5'}]", "must be a whole number"},
		{"entry without id", "tasks: [{task: a, must: [{rank: 1}]}]", "has no id"},
		{"must and must not", "tasks: [{task: a, must: [b], must_not: [b]}]", `names "b" twice`},
		{"string as a list", "tasks: [{task: a, must: b}]", "must be a list"},
		{"two documents", "tasks: [{task: a}]\n---\nx: 1\n", "more than one YAML document"},
		{"alias", "tasks: [{task: &x a}, {task: *x}]", "alias *x is not allowed"},
		{"deep", "tasks: " + strings.Repeat("[", 40) + strings.Repeat("]", 40), "nested deeper"},
		{"too large", strings.Repeat("#", MaxRoutingBytes+1), "larger than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, faults := ReadRouting("r.yaml", []byte(tt.text))
			if r != nil || len(faults) == 0 || !strings.Contains(faults[0].Message, tt.want) || faults[0].Path != "r.yaml" {
				t.Errorf("got %+v, %+v, want %q", r, faults, tt.want)
			}
		})
	}
}

func TestRouteSaysWhatWasMissed(t *testing.T) {
	results := route(t, read(t, `tasks:
  - task: descale it
    must: [kettle-care, kettle-price, {id: kettle-noise, rank: 1}, kettle-secret, kettle-nose]
    must_not: [kettle-care2]
    tokens: 150
  - task: the price in the shop
    must: [{id: kettle-price, rank: 1}]
    must_not: [kettle-care]
    tokens: 100
  - task: the price
    must_not: [kettle-price]
`))
	type miss struct {
		Kind      MissKind
		ID        string
		Want, Got int
		Nearest   string
	}
	got := make([][]miss, len(results))
	for i, r := range results {
		for _, m := range r.Misses {
			got[i] = append(got[i], miss{m.Kind, m.ID, m.Want, m.Got, m.Nearest})
		}
	}
	want := [][]miss{
		{
			{NotSelected, "kettle-price", 0, 0, ""},
			{RankTooLow, "kettle-noise", 1, 2, ""},
			{NotSelected, "kettle-secret", 0, 0, ""},
			{NoEntry, "kettle-nose", 0, 0, "kettle-noise"},
			{NoEntry, "kettle-care2", 0, 0, "kettle-care"},
			{TooMany, "", 150, 200, ""},
		},
		nil,
		{{Unwanted, "kettle-price", 0, 1, ""}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if o := results[0].Misses[0].Outlook; o == nil || !slices.Equal(o.Change.Add, []string{"price"}) {
		t.Errorf("a miss tells what would help: %+v", o)
	}
}

func TestUpdateAcceptsWhatHappensAndKeepsTheRest(t *testing.T) {
	r := read(t, `# Kettles.
tasks:
  - task: descale it # often
    must:
      - kettle-care
      - kettle-gone
      - {id: kettle-noise, rank: 1} # second now
    must_not: [kettle-price, kettle-lost]
    tokens: 150
  - task: the price
    must: [kettle-price]
    tokens: 1000
  - task: citric acid
  - task: nothing at all
`)
	text, changed, err := r.Update(route(t, r))
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	want := `# Kettles.
tasks:
  - task: descale it # often
    must:
      - kettle-care
      - {id: kettle-noise, rank: 2} # second now
    must_not: [kettle-price]
    tokens: 200
  - task: the price
    must: [kettle-price]
    tokens: 1000
  - task: citric acid
    must:
      - kettle-care
    tokens: 100
  - task: nothing at all
`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
	again := read(t, string(text))
	results := route(t, again)
	for _, result := range results {
		if len(result.Misses) > 0 {
			t.Errorf("%q misses after an update: %+v", result.Task.Task, result.Misses)
		}
	}
	if _, changed, err := again.Update(results); changed || err != nil {
		t.Errorf("a second update changes: %v", err)
	}
}

// A golden names a quarter of a million entries at most; explaining each against
// the whole index would take minutes.
func TestOnlySoManyMissesAreExplained(t *testing.T) {
	var text strings.Builder
	text.WriteString("tasks:\n  - task: tea\n    must_not: [kettle-nose]\n    must:\n")
	for i := range maxExplained + 50 {
		fmt.Fprintf(&text, "      - kettle-noise-%d\n", i)
	}
	misses := route(t, read(t, text.String()))[0].Misses
	explained := 0
	for _, m := range misses {
		if m.Kind != NoEntry {
			t.Fatalf("%+v", m)
		}
		if m.Nearest != "" {
			explained++
		}
	}
	if len(misses) != maxExplained+51 || explained != maxExplained {
		t.Errorf("%d misses, %d of them explained", len(misses), explained)
	}
}

func TestUnreachedAreTheEntriesNoTaskSelects(t *testing.T) {
	got := Unreached(kettles, route(t, read(t, "tasks: [{task: descale}]")))
	if !slices.Equal(got, []string{"kettle-price"}) {
		t.Errorf("got %v", got)
	}
}

func TestNearestIDNeedsHalfOfTheName(t *testing.T) {
	ids := indexOf(entry("kettle-care", ""), entry("kettle-noise", ""))
	for id, want := range map[string]string{"kettle-cares": "kettle-care", "zebra": "", "kettle": "kettle-care", "": ""} {
		if got := nearestID(id, ids); got != want {
			t.Errorf("%q: got %q, want %q", id, got, want)
		}
	}
}

func FuzzReadRouting(f *testing.F) {
	f.Add([]byte("matcher: recall\ntasks:\n  - task: descale\n    must: [a, {id: b, rank: 2}]\n    must_not: [c]\n    tokens: 300\n"))
	f.Add([]byte("tasks: [{task: descale}]\n# end"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, faults := ReadRouting("r.yaml", data)
		if (r == nil) != (len(faults) > 0) {
			t.Fatalf("%+v with %d faults", r, len(faults))
		}
		if r == nil {
			return
		}
		results := oktest.Value(Route(r, kettles, loadout.Coverage))(t)
		text, changed, err := r.Update(results)
		oktest.Check(t, err)
		if !changed {
			return
		}
		again, faults := ReadRouting("r.yaml", text)
		if again == nil {
			t.Fatalf("the update cannot be read: %+v\n%s", faults, text)
		}
		if len(again.Tasks) != len(r.Tasks) {
			t.Errorf("%d tasks became %d\n%s", len(r.Tasks), len(again.Tasks), text)
		}
	})
}

func TestARoutingChangeHasFiguresAndTheTasksThatChanged(t *testing.T) {
	t.Parallel()
	before := indexOf(entry("care", "descale acid"), entry("price", "price shop"))
	after := indexOf(entry("care", "descale acid"), entry("noise", "boil noise"), entry("price", "cost"))
	c := &routingChange{}
	r := read(t, "tasks:\n  - task: descale with acid\n    must: [{id: care, rank: 1}]\n"+
		"  - task: boil noise\n    must: [noise]\n  - task: price | <b>shop\n    must_not: [price]\n")
	oktest.Check(t, c.Add(r, before, after, loadout.Coverage))
	want := `| Routing | Before | After |
| --- | ---: | ---: |
| Tasks met, of 3 | 1 | 3 |
| Recall | 0.50 | 1.00 |
| Tokens | 200 | 200 |

| Task | Selects now | No longer | Tokens |
| --- | --- | --- | ---: |
| boil noise | noise |  | 0 → 100 |
| price \| &lt;b&gt;shop |  | price | 100 → 0 |
`
	if got := c.Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestARoutingChangeOfNothingSaysSo(t *testing.T) {
	t.Parallel()
	c := &routingChange{}
	oktest.Check(t, c.Add(read(t, "tasks:\n  - task: descale\n    must_not: [x]\n"), kettles, kettles, loadout.Coverage))
	if got := c.Markdown(); !strings.Contains(got, "| Recall | - | - |\n") || !strings.HasSuffix(got, "\nEvery task selects what it did.\n") {
		t.Error(got)
	}
}

func TestARoutingChangeNamesSoManyTasks(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("tasks:\n")
	for i := range maxChangedTasks + 3 {
		fmt.Fprintf(&text, "  - task: descale number %d\n    must: [kettle-care]\n", i)
	}
	c := &routingChange{}
	oktest.Check(t, c.Add(read(t, text.String()), indexOf(), kettles, loadout.Coverage))
	if got := c.Markdown(); strings.Count(got, "| descale number ") != maxChangedTasks || !strings.HasSuffix(got, "\n3 further tasks changed as well.\n") {
		t.Error(got)
	}
}
