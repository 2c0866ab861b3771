package context

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/context/rank"
)

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
