package rank

import (
	"slices"
	"testing"
)

// kettle is a pack of six sections for questions with other wordings.
func kettle() []Section {
	return []Section{
		{Path: "descale", Title: "Remove limescale with citric acid", Text: "Boil citric acid in the kettle to remove limescale, then rinse."},
		{Path: "acid", Title: "Citric acid", Text: "Citric acid is sold as a powder; citric acid keeps for years."},
		{Path: "rinse", Title: "Rinse the jug", Text: "Rinse the jug with water before the first use."},
		{Path: "fuse", Title: "Change the fuse", Text: "The fuse of the plug has three amperes."},
		{Path: "limits", Title: "Limescale in filters", Text: "Limescale in filters is removed by the service."},
		{Path: "warranty", Title: "Warranty", Text: "The warranty lasts two years."},
	}
}

// found lists what each wording keeps, by path.
func found(wordings ...string) [][]string {
	sections := kettle()
	rankings := make([]Ranking, len(wordings))
	for i, w := range wordings {
		rankings[i] = BM25F{}.Score(w, sections)
	}
	list := make([][]string, len(wordings))
	for i, hits := range Wordings(rankings, nil) {
		for _, h := range hits {
			list[i] = append(list[i], sections[h.Section].Path)
		}
	}
	return list
}

func TestASectionRisesThatOtherWordingsFindToo(t *testing.T) {
	alone := found("citric acid")
	if alone[0][0] != "acid" {
		t.Fatalf("alone: %v", alone)
	}
	together := found("citric acid", "remove limescale", "boil acid to remove limescale")
	if together[0][0] != "descale" {
		t.Errorf("with other wordings: %v", together)
	}
}

func TestAWordingThatFindsMuchLessGivesNothing(t *testing.T) {
	list := found("remove limescale", "how long may a warm stay in the garden with a fuse box last")
	if len(list[0]) == 0 || len(list[1]) != 0 {
		t.Errorf("got %v", list)
	}
}

func TestEachWordingGivesItsOwnBestSection(t *testing.T) {
	list := found("change the fuse", "rinse the jug", "warranty")
	if len(list) != 3 || !slices.Equal(list[0], []string{"fuse"}) || !slices.Equal(list[1], []string{"rinse"}) || !slices.Equal(list[2], []string{"warranty"}) {
		t.Errorf("got %v", list)
	}
}

func TestOtherScorersKeepWhatTheyRank(t *testing.T) {
	sections := kettle()
	rankings := []Ranking{Overlap{}.Score("limescale in filters", sections), Overlap{}.Score("change the fuse", sections)}
	lists := Wordings(rankings, func(i int) bool { return sections[i].Path != "descale" }) // the scores of Overlap say nothing about other wordings
	if len(lists[0]) == 0 || sections[lists[0][0].Section].Path != "limits" || len(lists[1]) == 0 || sections[lists[1][0].Section].Path != "fuse" {
		t.Errorf("got %v", lists)
	}
}

// One wording of three may meet a section by chance; with a single other
// wording, it is all that there is.
func TestTwoWordingsMustBeMet(t *testing.T) {
	of := func(scores ...float64) bool {
		list := make([]Judgement, len(scores))
		for i, s := range scores {
			list[i].Score = s
		}
		return JudgeTogether(list).Sure()
	}
	for _, c := range []struct {
		scores []float64
		sure   bool
	}{
		{[]float64{24, 25, 76}, false}, {[]float64{16, 78, 86}, true}, {[]float64{16, 86}, true}, {[]float64{16, 50}, false}, {[]float64{90, 0, 0, 0}, true}, {[]float64{69, 40, 40}, false},
	} {
		if of(c.scores...) != c.sure {
			t.Errorf("%v: sure %t, want %t", c.scores, !c.sure, c.sure)
		}
	}
}
