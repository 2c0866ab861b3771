package eval

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
)

func TestCompareSaysWhatChangedAndForWhichTasks(t *testing.T) {
	before := indexOf(entry("care", "descale care"), entry("price", "price shop"), entry("noise", "noise descale boil"), entry("same", "tea"))
	longer := entry("noise", "descale boil")
	longer.TokensEst, longer.Path, longer.Summary = 150, "n.md", "Noise"
	manual := entry("care", "descale care limescale acid")
	manual.Patterns = []string{"clean_kettle"}
	after := indexOf(manual, longer, entry("warranty", "warranty shop"), entry("same", "tea"))
	d := oktest.Value(Compare(before, after, []string{"descale it", "in the shop", "some tea"}, loadout.MatchOptions{}))(t)
	ids := func(list []*loadout.Entry) []string {
		var out []string
		for _, e := range list {
			out = append(out, e.ID)
		}
		return out
	}
	if !slices.Equal(ids(d.Gained), []string{"warranty"}) || !slices.Equal(ids(d.Lost), []string{"price"}) {
		t.Errorf("gained %v, lost %v", ids(d.Gained), ids(d.Lost))
	}
	if d.Tokens != [2]int{400, 450} || d.Asked != 3 || len(d.Changed) != 2 || d.Empty() {
		t.Errorf("%+v", d)
	}
	care, noise := d.Changed[0], d.Changed[1]
	if !slices.Equal(care.KeywordsGained, []string{"limescale", "acid"}) || !slices.Equal(care.PatternsGained, []string{"clean_kettle"}) || care.Tokens != 0 || care.Path {
		t.Errorf("%+v", care)
	}
	if !slices.Equal(noise.KeywordsLost, []string{"noise"}) || noise.Tokens != 50 || !noise.Path || !noise.Summary || noise.Priority {
		t.Errorf("%+v", noise)
	}
	want := []TaskDiff{
		{Task: "descale it", Moved: []Move{{"noise", 2, 1}, {"care", 1, 2}}, Tokens: [2]int{200, 250}},
		{Task: "in the shop", Gained: []string{"warranty"}, Lost: []string{"price"}, Tokens: [2]int{100, 100}},
	}
	if diff := cmp.Diff(want, d.Tasks); diff != "" {
		t.Error(diff)
	}
}

func TestAnIndexComparedWithItselfIsEmpty(t *testing.T) {
	d, err := Compare(kettles, kettles, []string{"descale", "price"}, loadout.MatchOptions{})
	if err != nil || !d.Empty() {
		t.Errorf("%+v, %v", d, err)
	}
}

// An entry that only slides down because another came first is not a move.
func TestComingAndGoingAreNoMoves(t *testing.T) {
	before := indexOf(entry("a", "tea pot"), entry("b", "tea pot cup"))
	after := indexOf(entry("n", "tea"), entry("a", "tea pot"), entry("b", "tea pot cup"))
	d := oktest.Value(Compare(before, after, []string{"tea"}, loadout.MatchOptions{}))(t)
	want := []TaskDiff{{Task: "tea", Gained: []string{"n"}, Tokens: [2]int{200, 300}}}
	if diff := cmp.Diff(want, d.Tasks); diff != "" {
		t.Error(diff)
	}
}

func TestReadTasksIsALineEach(t *testing.T) {
	got, err := readTasks([]byte("# tasks\n\n descale it \r\nbuy one"))
	if err != nil || !slices.Equal(got, []string{"descale it", "buy one"}) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := readTasks([]byte(strings.Repeat("x\n", maxTaskLines+1))); err == nil {
		t.Error("too many tasks were read")
	}
}
