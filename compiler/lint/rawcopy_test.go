package lint

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// wording returns n different words.
func wording(prefix string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d ", prefix, i)
	}
	return b.String()
}

func index(sources ...string) *CopyIndex {
	x := NewCopyIndex()
	for i, s := range sources {
		x.Add(fmt.Sprintf("sources/%d.md", i), []byte(s))
	}
	return x
}

func TestSixtyWordsInARowAreACopy(t *testing.T) {
	source := wording("w", 200)
	words := strings.Fields(source)
	part := func(from, n int) string { return strings.Join(words[from:from+n], " ") }
	for name, c := range map[string]struct {
		view string
		want int // words; 0 for none
	}{
		"sixty":             {"Own words. " + part(70, 60) + " Own words.", 60},
		"fifty-nine":        {"Own words. " + part(70, 59) + " Own words.", 0},
		"all":               {source, 200},
		"a word between":    {part(10, 40) + " new " + part(50, 40), 0},
		"case and marks":    {"**" + strings.ToUpper(part(0, 30)) + "**, (" + part(30, 30) + ")", 60},
		"anchors between":   {part(0, 30) + " [source: sources/0.md#L1] " + part(30, 30) + " [status: stale]", 60},
		"another order":     {part(30, 30) + " " + part(0, 30), 0},
		"over two lines":    {strings.ReplaceAll(part(5, 70), " ", "\n- "), 70},
		"unlike any source": {wording("v", 100), 0},
	} {
		got := index(source).Find([]byte(c.view))
		switch {
		case c.want == 0 && len(got) > 0:
			t.Errorf("%s: got %+v", name, got)
		case c.want > 0 && (len(got) != 1 || got[0].Words != c.want || got[0].Source != "sources/0.md"):
			t.Errorf("%s: got %+v, want %d words", name, got, c.want)
		}
	}
}

func TestARunDoesNotReachOverTwoSources(t *testing.T) {
	if got := index(wording("a", 40), wording("b", 40)).Find([]byte(wording("a", 40) + wording("b", 40))); len(got) > 0 {
		t.Errorf("got %+v", got)
	}
	both := index(wording("a", 80), wording("b", 80)).Find([]byte(wording("a", 80) + "new " + wording("b", 80)))
	if len(both) != 2 || both[0].Source != "sources/0.md" || both[1].Source != "sources/1.md" {
		t.Errorf("got %+v", both)
	}
}

func TestApostrophesDoNotHideACopy(t *testing.T) {
	source := strings.Repeat("don't can't won't it's ", 5) + wording("w", 50)
	if got := index(source).Find([]byte(strings.ReplaceAll(source, "'", "’"))); len(got) != 1 || got[0].Words != 70 {
		t.Errorf("got %+v", got)
	}
}

func TestCharactersWithoutBlanksCountHalf(t *testing.T) {
	var source strings.Builder
	for i := range 200 {
		source.WriteRune(rune(0x4E00 + i))
	}
	chars := []rune(source.String())
	x := index(source.String())
	if got := x.Find([]byte(string(chars[20:139]))); len(got) > 0 {
		t.Errorf("119 characters: got %+v", got)
	}
	if got := x.Find([]byte("新" + string(chars[20:140]) + "新")); len(got) != 1 || got[0].Words != 60 {
		t.Errorf("120 characters: got %+v", got)
	}
}

func TestShortAndEmptySources(t *testing.T) {
	x := index("", "a b c", wording("w", 59))
	if got := x.Find([]byte(wording("w", 100))); len(got) > 0 {
		t.Errorf("got %+v", got)
	}
	if got := NewCopyIndex().Find([]byte(wording("w", 100))); got != nil {
		t.Errorf("an empty index finds %+v", got)
	}
}

// covered marks the words of a view that the slow way finds in a run.
func covered(source, view []string) []bool {
	marks := make([]bool, len(view))
	for i := range view {
		for j := range source {
			n := 0
			for i+n < len(view) && j+n < len(source) && view[i+n] == source[j+n] {
				n++
			}
			if n >= copyWords {
				for k := range n {
					marks[i+k] = true
				}
			}
		}
	}
	return marks
}

func TestFindAgreesWithTheSlowWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 60 {
		source := make([]string, 150+rng.IntN(100))
		for i := range source {
			source[i] = fmt.Sprintf("w%d", rng.IntN(2+round%3*200)) // with many repeats, too
		}
		var view []string
		for len(view) < 300 {
			from := rng.IntN(len(source))
			view = append(view, source[from:min(len(source), from+rng.IntN(100))]...)
			view = append(view, fmt.Sprintf("x%d", rng.IntN(9)))
		}
		text := strings.Join(view, " ")
		got := make([]bool, len(view))
		for _, c := range index(strings.Join(source, " ")).Find([]byte(text)) {
			from := len(strings.Fields(text[:c.Start]))
			for k := range strings.Fields(text[c.Start:c.End]) {
				got[from+k] = true
			}
		}
		for i, want := range covered(source, view) {
			if got[i] != want {
				t.Fatalf("round %d, word %d: got %v, want %v", round, i, got[i], want)
			}
		}
	}
}

func FuzzRawCopy(f *testing.F) {
	f.Add(wording("a", 70), wording("a", 65)+"[source: x] don't")
	f.Add("[source:", "知识包 [status: ")
	f.Fuzz(func(t *testing.T, source, view string) {
		for _, c := range index(source).Find([]byte(view)) {
			if c.Start < 0 || c.End > len(view) || c.Start >= c.End || c.Words < copyWords {
				t.Errorf("got %+v", c)
			}
		}
	})
}

func BenchmarkRawCopy(b *testing.B) {
	x := index(wording("w", 100_000))
	view := []byte(wording("v", 20_000) + wording("w", 20_000))
	b.SetBytes(int64(len(view)))
	for b.Loop() {
		x.Find(view)
	}
}

// What nearly every split is: ordinary text of which nothing is in the
// sources.
func BenchmarkRawCopyOfNothing(b *testing.B) {
	x := index(wording("w", 2000))
	view := []byte(strings.Repeat("Take the server out of rotation before you drain its queue, and note it in the runbook.\n", 20))
	b.SetBytes(int64(len(view)))
	for b.Loop() {
		x.Find(view)
	}
}
