package entryowner

import (
	"errors"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

const dir = ".claude/loadout"

func read(t *testing.T, text string) *loadout.Index {
	t.Helper()
	return oktest.Value(indexjson.Read([]byte(text)))(t)
}

// again is an index as the next command reads it.
func again(t *testing.T, ix *loadout.Index) *loadout.Index {
	t.Helper()
	return read(t, string(indexjson.Write(ix)))
}

// made is an index as a writer makes it.
func made(always float64, entries ...string) *loadout.Index {
	ix := &loadout.Index{Version: loadout.Version, Generated: "t"}
	for _, at := range entries {
		ix.Entries = append(ix.Entries, loadout.Entry{ID: strings.ReplaceAll(at, "/", "-"), Path: at, Priority: loadout.PriorityDomain, TokensEst: 10, Triggers: loadout.DefaultTriggers()})
	}
	ix.Budget = loadout.ComputeBudget(ix.Entries)
	ix.Budget.AlwaysLoaded = always
	return ix
}

func paths(ix *loadout.Index) string {
	var list []string
	for i := range ix.Entries {
		list = append(list, ix.Entries[i].Path)
	}
	return strings.Join(list, " ")
}

func TestABuildReplacesItsOwnEntriesAlone(t *testing.T) {
	packs := []string{"packs/kettle", "packs/tea"}
	first := made(7, "packs/kettle/compiled/a.md", "packs/tea/KNOWLEDGE.md")
	for _, tt := range []struct {
		name  string
		old   *loadout.Index // nil when there is none
		packs []string
		built *loadout.Index
		want  string
		note  string // of the packs
	}{
		{"a new file", nil, packs, first, "packs/kettle/compiled/a.md packs/tea/KNOWLEDGE.md", "packs/kettle packs/tea"},
		{"an empty index", made(0), packs, first, "packs/kettle/compiled/a.md packs/tea/KNOWLEDGE.md", "packs/kettle packs/tea"},
		{"the index of rules", made(3, ".claude/loadout/ci.md"), packs, first, ".claude/loadout/ci.md packs/kettle/compiled/a.md packs/tea/KNOWLEDGE.md", "packs/kettle packs/tea"},
		{"its own index of another version", made(3, "packs/tea/compiled/old.md"), packs, first, "packs/kettle/compiled/a.md packs/tea/KNOWLEDGE.md", "packs/kettle packs/tea"},
		{"rules and what somebody added", made(0, ".claude/loadout/ci.md", "docs/own.md"), packs, first, ".claude/loadout/ci.md docs/own.md packs/kettle/compiled/a.md packs/tea/KNOWLEDGE.md", "packs/kettle packs/tea"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			old := tt.old
			if old != nil {
				old = again(t, old)
			}
			got := oktest.Value(WithBuild(old, tt.built, tt.packs, dir))(t)
			ix := again(t, got)
			if b, ok := BuildOf(ix); paths(ix) != tt.want || !ok || strings.Join(b.Dirs, " ") != tt.note {
				t.Errorf("entries %s, packs %v; want %s, %s", paths(ix), b.Dirs, tt.want, tt.note)
			}
			// The same build again changes nothing.
			twice, err := WithBuild(ix, tt.built, tt.packs, dir)
			if err != nil || string(indexjson.Write(twice)) != string(indexjson.Write(got)) {
				t.Errorf("twice is not once: %v\n%s\n%s", err, indexjson.Write(twice), indexjson.Write(got))
			}
		})
	}
}

func TestEntriesOfAPackThatIsGoneGoWithIt(t *testing.T) {
	rules := again(t, made(100, ".claude/loadout/ci.md"))
	one := oktest.Value(WithBuild(rules, made(7, "packs/kettle/compiled/a.md", "packs/tea/compiled/b.md"), []string{"packs/kettle", "packs/tea"}, dir))(t)
	if got := again(t, one).Budget; got.AlwaysLoaded != 107 || got.OnDemandTotal != 30 || got.AvgTaskLoad != 10 {
		t.Errorf("the budget is %+v", got)
	}
	two := oktest.Value(WithBuild(again(t, one), made(5, "packs/tea/compiled/b.md"), []string{"packs/tea"}, dir))(t)
	if got := again(t, two); paths(got) != ".claude/loadout/ci.md packs/tea/compiled/b.md" || got.Budget.AlwaysLoaded != 105 {
		t.Errorf("entries %s, budget %+v", paths(got), got.Budget)
	}
}

func TestAFileOfSomebodyElseIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"no index":                   `{"name": "site", "pages": []}`,
		"a list":                     `[1, 2]`,
		"memories":                   `{"version":"1.0.0","source":"memory/MEMORY.md","entries":[{"id":"a","path":"packs/kettle/a.md","keywords":[],"patterns":[]}],"budget":{}}`,
		"made by hand":               `{"version":"1.0.0","entries":[{"id":"a","path":"docs/a.md","keywords":["a"],"patterns":[]}],"budget":{}}`,
		"rules of another directory": `{"version":"1.0.0","entries":[{"id":"a","path":".claude/rules/a.md","keywords":["a"],"patterns":[]}],"budget":{}}`,
	} {
		if _, err := WithBuild(read(t, text), made(0, "packs/kettle/a.md"), []string{"packs/kettle"}, dir); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
		if IsShared(read(t, text), dir) {
			t.Errorf("%s: rules would write it too", name)
		}
	}
}

// What a repository holds may say anything.
func TestANoteCannotTakeRulesAway(t *testing.T) {
	old := read(t, `{"version":"1.0.0","entries":[{"id":"a","path":".claude/loadout/a.md","keywords":["a"],"patterns":[]}],"budget":{},"packgen_build":{"packs":[".claude/loadout","",7,"."],"always_loaded_est":"x"}}`)
	got, err := WithBuild(old, made(0, "packs/kettle/a.md"), []string{"packs/kettle"}, dir)
	if err != nil || paths(got) != ".claude/loadout/a.md packs/kettle/a.md" {
		t.Errorf("entries %s, %v", paths(got), err)
	}
}

func TestRulesKeepTheNoteOfABuild(t *testing.T) {
	shared := oktest.Value(WithBuild(again(t, made(100, ".claude/loadout/ci.md")), made(7, "packs/kettle/compiled/a.md"), []string{"packs/kettle"}, dir))(t)
	old := again(t, shared)
	// A split makes the index of all entries again, with its own budget.
	split := made(90, ".claude/loadout/ci.md", "packs/kettle/compiled/a.md", ".claude/loadout/new.md")
	ix := again(t, Keep(split, old))
	if b, ok := BuildOf(ix); !ok || b.Always != 7 || ix.Budget.AlwaysLoaded != 97 || !b.Owns(&ix.Entries[1]) || b.Owns(&ix.Entries[0]) {
		t.Errorf("note %+v, budget %+v", b, ix.Budget)
	}
	next := oktest.Value(WithBuild(ix, made(8, "packs/kettle/compiled/b.md"), []string{"packs/kettle"}, dir))(t)
	if got := again(t, next); paths(got) != ".claude/loadout/ci.md .claude/loadout/new.md packs/kettle/compiled/b.md" || got.Budget.AlwaysLoaded != 98 {
		t.Errorf("entries %s, budget %+v", paths(got), got.Budget)
	}
	// Without a build there is nothing to keep, and not a byte changes.
	plain := made(90, ".claude/loadout/ci.md")
	want := string(indexjson.Write(plain))
	if got := string(indexjson.Write(Keep(plain, again(t, made(1, ".claude/loadout/x.md"))))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := Keep(made(1), read(t, `{"entries":[],"note":"mine"}`)); got.Head.Get("note") != `"mine"` {
		t.Errorf("a key that nobody knows is lost: %s", got.Head)
	}
}
