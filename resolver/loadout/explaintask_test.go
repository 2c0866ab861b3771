package loadout_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
)

func outlookIndex() *loadout.Index {
	many := strings.Fields("deploy k1 k2 k3 k4 k5 k6 k7 k8 k9 k10 k11")
	return &loadout.Index{Entries: []loadout.Entry{
		{ID: "house", Priority: "core", TokensEst: 9},
		{ID: "ci", Priority: "domain", Keywords: []string{"ci", "workflow"}, Patterns: []string{"ci_pipeline"}, TokensEst: 3},
		{ID: "wide", Priority: "domain", Keywords: append(many, "release notes"), TokensEst: 4},
		{ID: "hand", Priority: "manual", Keywords: []string{"ci"}},
		{ID: "dead", Priority: "domain", Keywords: []string{"C++"}},
		{ID: "named", Priority: "domain", Keywords: []string{"C++"}, Patterns: []string{"x_ship_it"}},
	}}
}

func TestExplainTask(t *testing.T) {
	tests := map[string]struct {
		id, task    string
		rank        int
		add, remove string
		priority    string
	}{
		"core is always in":           {"house", "anything", 1, "", "", "domain"},
		"manual never":                {"hand", "fix ci", 0, "", "", "domain"},
		"one word would do":           {"ci", "paint the house", 0, "ci", "", ""},
		"one word carries it":         {"ci", "fix the workflow", 2, "", "workflow", ""},
		"a word in two places":        {"ci", "fix the ci workflow", 1, "", "ci workflow", ""},
		"one of thirteen is too few":  {"wide", "deploy it", 0, "k1", "", ""},
		"the shortest keywords first": {"wide", "nothing", 0, "deploy k1", "", ""},
		"half a phrase is missing":    {"wide", "deploy the notes", 0, "k1", "", ""},
		"nothing can reach it":        {"dead", "c++", 0, "", "", ""},
		"a pattern can":               {"named", "c++", 0, "ship", "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := oktest.Value(loadout.ExplainTask(test.task, test.id, outlookIndex(), loadout.MatchOptions{}))(t)
			add, remove := strings.Join(o.Change.Add, " "), strings.Join(o.Change.Remove, " ")
			if o.Rank != test.rank || add != test.add || remove != test.remove || o.Change.Priority != test.priority {
				t.Errorf("rank %d of %d, add %q, remove %q, priority %q", o.Rank, o.Of, add, remove, o.Change.Priority)
			}
		})
	}
	if o, err := loadout.ExplainTask("ci", "none", outlookIndex(), loadout.MatchOptions{}); o != nil || err != nil {
		t.Errorf("an unknown entry: %v, %v", o, err)
	}
}

// What a change promises is so: with the words added or removed the outcome is
// the other one.
func TestChangeFlipsTheOutcome(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 4))
	flipped := 0
	for range 300 {
		vocabulary := words(r, 12)
		ix := &loadout.Index{Entries: []loadout.Entry{hostileEntry(r, 0, vocabulary)}}
		ix.Entries[0].ID = "it"
		task := strings.Join(loadout.Words(randomTask(r, vocabulary, 6)), " ")
		for _, d := range []loadout.Dialect{loadout.Coverage, loadout.Recall, loadout.Weighted} {
			opts := loadout.MatchOptions{Dialect: d}
			o := oktest.Value(loadout.ExplainTask(task, "it", ix, opts))(t)
			if o == nil || o.Change.Add == nil && o.Change.Remove == nil {
				continue
			}
			changed := slices.DeleteFunc(strings.Fields(task), func(w string) bool { return slices.Contains(o.Change.Remove, w) })
			changed = append(changed, o.Change.Add...)
			after, err := loadout.ExplainTask(strings.Join(changed, " "), "it", ix, opts)
			if err != nil || after.Included == o.Included {
				t.Fatalf("task %q, entry %s: change %+v does not flip it, error %v", task, ix.Entries[0].JSON(), o.Change, err)
			}
			flipped++
		}
	}
	if flipped < 300 {
		t.Errorf("only %d changes: the test compares too little", flipped)
	}
}

// The bonus of a pattern joins the keywords where that takes fewer words, and a
// task full of an entry's keywords still has a way out.
func TestChangeWithPatternsAndManyWords(t *testing.T) {
	ten := strings.Fields("ka kb kc kd ke kf kg kh ki ci")
	twenty := strings.Fields("k0 k1 k2 k3 k4 k5 k6 k7 k8 k9 l0 l1 l2 l3 l4 l5 l6 l7 l8 l9")
	ix := &loadout.Index{Entries: []loadout.Entry{
		{ID: "apart", Priority: "domain", Keywords: ten, Patterns: []string{"pp_qq"}},
		{ID: "shared", Priority: "domain", Keywords: ten, Patterns: []string{"build_ci"}},
		{ID: "needed", Priority: "domain", Keywords: []string{"C++", "ci", "C#", "F#", "D", "E", "F", "G", "H", "I"}, Patterns: []string{"pp"}},
		{ID: "full", Priority: "domain", Keywords: twenty},
	}}
	for _, test := range []struct {
		id, task    string
		minScore    float64
		add, remove int
	}{
		{"apart", "nothing", .5, 4, 0},
		{"shared", "nothing", .3, 1, 0},
		{"needed", "nothing", .3, 2, 0},
		{"full", strings.Join(twenty, " "), .1, 0, 19},
	} {
		o := oktest.Value(loadout.ExplainTask(test.task, test.id, ix, loadout.MatchOptions{MinScore: &test.minScore}))(t)
		if len(o.Change.Add) != test.add || len(o.Change.Remove) != test.remove {
			t.Errorf("%s: %+v, want %d words added, %d removed", test.id, o.Change, test.add, test.remove)
		}
	}
}

// A breakdown that lists a few entries still sums up all of them.
func TestBreakdownSumsUpWhatItDoesNotList(t *testing.T) {
	ix := &loadout.Index{Version: "1.0.0"}
	add := func(n int, priority string, tokens float64, keywords ...string) {
		for range n {
			ix.Entries = append(ix.Entries, loadout.Entry{
				ID: fmt.Sprintf("e%d", len(ix.Entries)), Priority: priority, Keywords: keywords, TokensEst: tokens,
			})
		}
	}
	add(2, "core", 1000, "x")
	add(300, "domain", 7, "kettle")
	add(1, "domain", math.NaN(), "kettle")
	add(20, "domain", 3, "kettle", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1")
	b := oktest.Value(loadout.Detail("kettle", ix, loadout.MatchOptions{}))(t)
	want := loadout.Loads{Entries: 303, Tokens: 4100, Eager: 2000, Lazy: 2100}
	if got := b.Loads(); got != want {
		t.Errorf("loads %+v, want %+v", got, want)
	}
	for _, test := range []struct{ limit, near, included, others int }{
		{0, 0, 303, 20},
		{200, 12, 200, 12},
		{303, 20, 303, 20},
		{302, 1, 302, 1},
		{1, 0, 1, 20},
	} {
		var got struct {
			Total   int
			Loads   struct{ Entries, Tokens int }
			Entries []struct{ Included bool }
		}
		oktest.Check(t, json.Unmarshal(loadout.AppendBreakdown(nil, b, test.limit, test.near), &got))
		included := 0
		for _, e := range got.Entries {
			if e.Included {
				included++
			}
		}
		if got.Total != 323 || got.Loads.Entries != 303 || got.Loads.Tokens != 4100 {
			t.Errorf("at most %d and %d: total %d, loads %+v", test.limit, test.near, got.Total, got.Loads)
		}
		if others := len(got.Entries) - included; included != test.included || others != test.others {
			t.Errorf("at most %d and %d: %d and %d are listed", test.limit, test.near, included, others)
		}
	}
}
