package nearest

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// plain is the edit distance by its definition, over the whole table.
func plain(a, b string) int {
	s, t := []rune(a), []rune(b)
	d := make([][]int, len(s)+1)
	for i := range d {
		d[i] = make([]int, len(t)+1)
		d[i][0] = i
	}
	for j := range t {
		d[0][j+1] = j + 1
	}
	for i := 1; i <= len(s); i++ {
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(s)][len(t)]
}

func TestDistanceCountsEdits(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"ready", "ready", 0}, {"redy", "ready", 1}, {"readdy", "ready", 1}, {"raedy", "ready", 1}, {"stale", "draft", 4}, {"größe", "grösse", 2},
	} {
		b := Budget(1 << 20)
		if got := b.distance([]rune(tt.a), []rune(tt.b), 9); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// The distance within a band is that of the whole table, or beyond the limit.
func TestBandedDistanceEqualsPlain(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		var b strings.Builder
		for range random.IntN(9) {
			b.WriteByte("abc"[random.IntN(3)])
		}
		return b.String()
	}
	for range 20_000 {
		a, b, limit := word(), word(), random.IntN(6)
		budget := Budget(1 << 20)
		want := min(plain(a, b), limit+1)
		if got := budget.distance([]rune(a), []rune(b), limit); got != want {
			t.Fatalf("distance(%q, %q) within %d = %d, want %d", a, b, limit, got, want)
		}
	}
}

func TestNameSuggestsOnlyWhatIsClose(t *testing.T) {
	verbs := []string{"build", "check", "compile", "serve"}
	for name, want := range map[string]string{
		"biuld": "build", "Build": "build", "chekc": "check", "compil": "compile", "xyz": "", "": "", "zzzzzzzzzzzz": "",
	} {
		if got := Name(name, verbs); got != want {
			t.Errorf("Name(%q) = %q, want %q", name, got, want)
		}
	}
	for name, candidates := range map[string][]string{
		"push": {"pull"}, "lint": {"init"}, "validate": {"activate"}, "budget": {"quiet"}, "": {"a"}, "a": {"b"},
	} {
		if got := Name(name, candidates); got != "" {
			t.Errorf("Name(%q) = %q: that is another word", name, got)
		}
	}
	if got := Within("ab", []string{"ac", "ad"}, 1); got != "ac" {
		t.Errorf("of equally close ones %q is taken, want the first", got)
	}
}

func TestBudgetEndsTheSearch(t *testing.T) {
	long := strings.Repeat("a", 400)
	b := Budget(1000)
	if got := b.Within(long, []string{long + "b", long}, 200); got == long {
		t.Error("the search goes on after its budget is spent")
	}
	if got := b.Within("abc", []string{"abd"}, 1); got != "" {
		t.Errorf("a spent budget finds %q", got)
	}
	if got := Within(strings.Repeat("a", maxRunes+1), []string{"a"}, 1000); got != "" {
		t.Error("a text beyond the limit is compared")
	}
}
