package rank

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
)

// someSections are sections of words that repeat, in several scripts.
func someSections(rng *rand.Rand, n int) []Section {
	words := strings.Fields("compile compiled compiler statuses status the of 知识 边界検索 straße Émile x é9 K9 release-notes don't ÄB publish published deploy website site folder e.g. 42")
	some := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[rng.IntN(len(words))] + []string{" ", "-", ", ", "\n", "\n\n## ", "`"}[rng.IntN(6)])
		}
		return b.String()
	}
	list := make([]Section, n)
	for i := range list {
		list[i] = Section{Path: fmt.Sprint(i), Document: fmt.Sprint(i / 3), Title: some(2), TitlePath: []string{some(1)}, Text: "# " + some(rng.IntN(60))}
		if i%4 == 0 {
			list[i].Questions = []string{some(5)}
		}
	}
	return list
}

func TestScoresOverAnIndexThatWasReadEqualThoseOverTheTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{0, 1, 5, 100} {
		sections := someSections(rng, n)
		x := oktest.Value(ReadIndex(NewIndex(sections).Append(nil)))(t)
		for _, query := range []string{"", "how is a website published", "compilation status, and the 边界 of a K9", "Straße ÄB émile 知识", "directory deployment"} {
			want := BM25F{}.Score(query, sections)
			got, damaged := Score(BM25F{}, query, []Part{{Index: x}})
			if got == nil {
				t.Fatal(damaged)
			}
			if diff := cmp.Diff(want.Ranked(nil), got.Ranked(nil)) + cmp.Diff(want.Judge([]int{}, nil), got.Judge([]int{}, nil)); diff != "" {
				t.Errorf("%d sections, %q (-texts +index):\n%s", n, query, diff)
			}
		}
		if x.Len() != n {
			t.Errorf("an index of %d sections has %d", n, x.Len())
		}
	}
}

func FuzzReadIndex(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	good := NewIndex(someSections(rng, 4)).Append(nil)
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := ReadIndex(b)
		if err != nil {
			return
		}
		if r, _ := Score(BM25F{}, "compile status 知识", []Part{{Index: x}}); r != nil {
			r.Ranked(nil)
		}
	})
}
