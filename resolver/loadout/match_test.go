package loadout

import (
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// ids are those of results, without what is always loaded.
func ids(results []Result) string {
	var list []string
	for _, r := range results {
		if r.Mode != Eager {
			list = append(list, r.Entry.ID)
		}
	}
	return strings.Join(list, " ")
}

func TestOtherWordingsAreTakenInTurns(t *testing.T) {
	for _, c := range []struct {
		rule, task, also, want string
		dialect                Dialect
	}{
		{"what one wording finds", "why is it red", "", "ops-when-ci-fails", Weighted},
		{"each adds what it finds", "why is it red", "tag|café", "ops-when-ci-fails ops-cut-the-release docs-cafe ops-overview", Weighted},
		{"what two find counts once", "red", "gate|the red gate", "ops-when-ci-fails", Weighted},
		{"in an exact dialect", "gate", "tag", "ops-cut-the-release ops-when-ci-fails ops-overview", Coverage},
		{"an empty one finds nothing", "red", " ", "ops-when-ci-fails", Recall},
		{"those beyond the limit are skipped", "red", strings.Repeat("x|", maxAlso) + "tag", "ops-when-ci-fails", Weighted},
	} {
		ix := weightedIndex()
		o := MatchOptions{Dialect: c.dialect}
		if c.also != "" {
			o.Also = strings.Split(c.also, "|")
		}
		results := oktest.Value(Match(c.task, ix, o))(t)
		if got := ids(results); got != c.want {
			t.Errorf("%s: %q also %q selects %s, want %s", c.rule, c.task, o.Also, got, c.want)
		}
		m := NewMatcher(ix)
		indexed, err := m.Match(c.task, o)
		if err != nil || string(AppendResults(nil, indexed)) != string(AppendResults(nil, results)) {
			t.Errorf("%s: the matcher says %s, %v", c.rule, AppendResults(nil, indexed), err)
		}
		all := oktest.Value(Detail(c.task, ix, o))(t)
		other, err := m.Detail(c.task, o)
		if err != nil || string(AppendBreakdown(nil, all, 0, 0)) != string(AppendBreakdown(nil, other, 0, 0)) {
			t.Errorf("%s: the breakdowns differ, %v", c.rule, err)
		}
	}
}

// An entry says for which wording it is rated: the one that gives it most.
func TestAnEntryHasTheBestRatingOfAllWordings(t *testing.T) {
	ix := weightedIndex()
	b := oktest.Value(Detail("the tag", ix, MatchOptions{Dialect: Weighted, Also: []string{"cut a release with a tag", "the changelog"}}))(t)
	seen := map[string]bool{}
	for _, r := range b.Entries {
		if seen[r.Entry.ID] {
			t.Errorf("%s is there twice", r.Entry.ID)
		}
		seen[r.Entry.ID] = true
		if r.Entry.ID == "ops-cut-the-release" && (r.Wording != 1 || !r.Included) {
			t.Errorf("rated for wording %d, included %v", r.Wording, r.Included)
		}
	}
	if !strings.Contains(string(AppendBreakdown(nil, b, 0, 0)), `"wording":1`) || strings.Join(b.Words, " ") != "tag cut release changelog" {
		t.Errorf("words %q", b.Words)
	}
	compat := &Index{Version: Version, Entries: []Entry{{ID: "bad", Priority: PriorityDomain, Fault: FaultKeywords}}}
	if _, err := Match("x", compat, MatchOptions{Compat: true, Also: []string{"y"}}); err == nil {
		t.Error("a fault of the index is no error with other wordings")
	}
}

func TestExplainSaysWhichWordsWouldChangeAWeightedScore(t *testing.T) {
	for _, c := range []struct{ rule, id, task, add, remove string }{
		{"the word that is worth most", "ops-when-ci-fails", "hello there", "ci", ""},
		{"all forms of a word", "ops-when-ci-fails", "red redding reds", "", "red redding reds"},
		{"words until it falls below", "ops-when-ci-fails", "the ci gate is red", "", "ci gate red"},
		{"a summary is not enough", "ops-cut-the-release", "the changelog", "cut", ""},
		{"an entry that nothing can reach", "docs-none", "x", "", ""},
	} {
		ix := weightedIndex()
		ix.Entries = append(ix.Entries, Entry{ID: "docs-none", Priority: PriorityCore})
		x := oktest.Value(ExplainTask(c.task, c.id, ix, MatchOptions{Dialect: Weighted, Also: []string{"red gate"}}))(t)
		if add, remove := strings.Join(x.Change.Add, " "), strings.Join(x.Change.Remove, " "); add != c.add || remove != c.remove {
			t.Errorf("%s: add %q, remove %q, want %q, %q", c.rule, add, remove, c.add, c.remove)
		}
	}
}
