package loadout_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

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
			o, err := loadout.ExplainTask(test.task, test.id, outlookIndex(), loadout.MatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
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
		for _, d := range []loadout.Dialect{loadout.Coverage, loadout.Recall} {
			opts := loadout.MatchOptions{Dialect: d}
			o, err := loadout.ExplainTask(task, "it", ix, opts)
			if err != nil {
				t.Fatal(err)
			}
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
	if flipped < 100 {
		t.Errorf("only %d changes: the test compares too little", flipped)
	}
}
