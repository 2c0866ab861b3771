package site

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestFilesOfAPackAreListedInOrderHoweverManyThereAre(t *testing.T) {
	for _, n := range []int{0, 1, 2, runOutputs - 1, runOutputs, runOutputs + 1, 5*runOutputs + 7} {
		var l outputList
		want := make([]string, n)
		random := rand.New(rand.NewPCG(1, uint64(n)))
		for i := range want {
			want[i] = fmt.Sprintf("packs/p/documents/%d/é-%d.html", random.IntN(100), i)
		}
		random.Shuffle(n, func(i, j int) { want[i], want[j] = want[j], want[i] })
		for _, path := range want {
			l.add(path)
		}
		slices.Sort(want)
		for range 2 { // it can be read again
			got := make([]string, 0, n)
			oktest.Check(t, l.each(func(path string) error { got = append(got, path); return nil }))
			if l.n != n || !slices.Equal(got, want) {
				t.Errorf("of %d paths %d are listed, or in another order", n, len(got))
			}
		}
		l.close()
	}
}

func TestAFileIsListedOnceForEachTimeItWasMade(t *testing.T) {
	var l outputList
	defer l.close()
	for range runOutputs + 1 {
		l.add("a")
	}
	seen := 0
	if err := l.each(func(string) error { seen++; return nil }); err != nil || seen != runOutputs+1 {
		t.Error(seen, err)
	}
}
