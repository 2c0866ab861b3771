package loadout_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
)

// The inverted index answers exactly what the scan answers, errors included.
func TestPostingsEqualScan(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	matched := 0
	for round := range 200 {
		vocabulary := words(r, 3+r.IntN(60))
		ix := &loadout.Index{Version: loadout.Version}
		for i := range r.IntN(40) {
			ix.Entries = append(ix.Entries, hostileEntry(r, i, vocabulary))
		}
		if round%3 == 0 {
			ix.SetTokenizer(loadout.Unicode)
		}
		m := throughFiles(t, ix)
		ix = m.Index()
		for range 6 {
			task := randomTask(r, vocabulary, r.IntN(14))
			for _, opts := range allOptions(r) {
				want, wantErr := loadout.Match(task, ix, opts)
				got, gotErr := m.Match(task, opts)
				matched += len(want)
				requireSame(t, fmt.Sprintf("round %d, task %q, options %+v", round, task, opts),
					loadout.AppendResults(nil, got), gotErr, loadout.AppendResults(nil, want), wantErr)

				wantDetail, wantErr := loadout.Detail(task, ix, opts)
				gotDetail, gotErr := m.Detail(task, opts)
				if wantErr == nil && gotErr == nil {
					requireSame(t, fmt.Sprintf("detail, round %d, task %q", round, task),
						loadout.AppendBreakdown(nil, gotDetail, 0, 0), nil, loadout.AppendBreakdown(nil, wantDetail, 0, 0), nil)
				} else if (wantErr == nil) != (gotErr == nil) {
					t.Fatalf("detail errors: %v, scan %v", gotErr, wantErr)
				}
			}
		}
	}
	if matched < 1000 {
		t.Fatalf("only %d results in all: the test compares too little", matched)
	}
}

func allOptions(r *rand.Rand) []loadout.MatchOptions {
	threshold := pick(r, []float64{0, -1, 0.05, 0.3, 0.5, 1, 1.01, math.NaN()})
	var list []loadout.MatchOptions
	for _, d := range []loadout.Dialect{loadout.Coverage, loadout.Recall} {
		for _, compat := range []bool{false, true} {
			list = append(list,
				loadout.MatchOptions{Dialect: d, Compat: compat},
				loadout.MatchOptions{Dialect: d, Compat: compat, MinScore: &threshold})
		}
	}
	return list
}

func requireSame(t *testing.T, what string, got []byte, gotErr error, want []byte, wantErr error) {
	t.Helper()
	if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
		t.Fatalf("%s:\n got error %v\nwant error %v", what, gotErr, wantErr)
	}
	if string(got) != string(want) {
		t.Fatalf("%s:\n got %s\nwant %s", what, got, want)
	}
}

// What a breakdown says is included is what match returns, in that order.
func TestDetailAgreesWithMatch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for range 200 {
		vocabulary := words(r, 20)
		ix := &loadout.Index{}
		for i := range 30 {
			ix.Entries = append(ix.Entries, hostileEntry(r, i, vocabulary))
		}
		task := randomTask(r, vocabulary, 8)
		for _, d := range []loadout.Dialect{loadout.Coverage, loadout.Recall} {
			opts := loadout.MatchOptions{Dialect: d}
			results := oktest.Value(loadout.Match(task, ix, opts))(t)
			b := oktest.Value(loadout.Detail(task, ix, opts))(t)
			i := 0
			for _, rating := range b.Entries {
				if !rating.Included {
					continue
				}
				if i >= len(results) || results[i].Entry != rating.Entry || results[i].Score != rating.Score.Total {
					t.Fatalf("task %q: breakdown and match differ at %d", task, i)
				}
				i++
			}
			if i != len(results) {
				t.Fatalf("task %q: %d included, %d results", task, i, len(results))
			}
		}
	}
}

// A match allocates its results and their lists, nothing else.
func TestMatcherAllocations(t *testing.T) {
	ix, vocabulary := plainIndex(2000)
	m := loadout.NewMatcher(ix)
	r := rand.New(rand.NewPCG(2, 2))
	task := randomTask(r, vocabulary, 12)
	if results, err := m.Match(task, loadout.MatchOptions{}); err != nil || len(results) == 0 {
		t.Fatalf("%d results, error %v", len(results), err)
	}
	if n := testing.AllocsPerRun(20, func() { m.Match(task, loadout.MatchOptions{}) }); n > 2 {
		t.Errorf("%v allocations with results, want 2: the results and the list of their words", n)
	}
	if n := testing.AllocsPerRun(20, func() { m.Match("nothing known here", loadout.MatchOptions{}) }); n > 0 {
		t.Errorf("%v allocations without results, want 0", n)
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, size := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			ix, vocabulary := plainIndex(size)
			m := loadout.NewMatcher(ix)
			r := rand.New(rand.NewPCG(5, 5))
			var tasks []string
			for range 64 {
				tasks = append(tasks, randomTask(r, vocabulary, 12))
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				if _, err := m.Match(tasks[i%len(tasks)], loadout.MatchOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpenBinary(b *testing.B) {
	for _, size := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			ix, _ := plainIndex(size)
			data := oktest.Value(loadout.Marshal(ix))(b)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := loadout.OpenBinary(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
