package loadout

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// soundIndex is someIndex with words of the right shape in every entry.
func soundIndex(t *testing.T, r *rand.Rand, entries int, head string) *Index {
	t.Helper()
	ix := someIndex(t, r, entries, head)
	ix.Entries = slices.DeleteFunc(ix.Entries, func(e Entry) bool { return e.Fault != FaultNone })
	return ix
}

func TestAPartShowsTheArithmeticThatTheWholeShows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	shown := 0
	for _, head := range []string{"", `"tokenizer":"unicode",`} {
		for range 60 {
			ix := soundIndex(t, r, r.IntN(60), head)
			data := oktest.Value(Marshal(ix))(t)
			asked := 0
			p := oktest.Value(OpenPart(readerOf(data, &asked), int64(len(data))))(t)
			for _, task := range []string{"", "a1 b2", "migration of the e5 in c3 d4", "日本語 g7", "nothing here"} {
				for _, dialect := range []Dialect{Coverage, Recall, Weighted} {
					floor := float64(r.IntN(8)) / 10
					opts := MatchOptions{Dialect: dialect, MinScore: &floor}
					want := oktest.Value(Detail(task, ix, opts))(t)
					most := Most{Included: r.IntN(20), Others: r.IntN(20)}
					got := oktest.Value(p.Detail(task, opts, most))(t)
					if got == nil {
						t.Fatalf("%v: the part does not answer", dialect)
					}
					if got.Total() != len(want.Entries) || got.Loads() != want.Loads() {
						t.Fatalf("%v %q: %d entries, %+v; the whole has %d, %+v", dialect, task, got.Total(), got.Loads(), len(want.Entries), want.Loads())
					}
					listed := map[bool]int{}
					want.Entries = slices.DeleteFunc(want.Entries, func(r Rating) bool {
						listed[r.Included]++
						return r.Included && listed[true] > most.Included || !r.Included && listed[false] > most.Others
					})
					shown += len(want.Entries)
					want.sums, got.sums = nil, nil
					if a, b := AppendBreakdown(nil, got, 0, 0), AppendBreakdown(nil, want, 0, 0); string(a) != string(b) {
						t.Fatalf("%v %q:\n%s\nthe whole:\n%s", dialect, task, a, b)
					}
					for i := range got.Entries {
						if got.Entries[i].position != want.Entries[i].position {
							t.Fatalf("%v %q: entry %d is at %d, not %d", dialect, task, i, got.Entries[i].position, want.Entries[i].position)
						}
					}
				}
			}
		}
	}
	if shown < 1000 {
		t.Errorf("only %d entries were compared", shown)
	}
}

func TestAPartLeavesWordsOfAWrongShapeToTheWhole(t *testing.T) {
	for _, entry := range []string{
		`{"id":"e","path":"p","keywords":7,"patterns":[],"priority":"domain","summary":"s"}`,
		`{"id":"e","path":"p","keywords":"one two","patterns":[],"priority":"domain","summary":"s"}`,
	} {
		ix, _ := DecodeAtMost(Value(`{"version":"1.0.0","entries":[`+entry+`]}`), 1<<20)
		data := oktest.Value(Marshal(ix))(t)
		asked := 0
		p := oktest.Value(OpenPart(readerOf(data, &asked), int64(len(data))))(t)
		if b, err := p.Detail("one", MatchOptions{}, Most{}); b != nil || err != nil {
			t.Errorf("the part answers for %s: %v", entry, err)
		}
	}
}
