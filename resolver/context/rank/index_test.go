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

// Sections of several packs rank as if they were of one.
func TestSectionsOfSeveralPacksRankAsOfOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var all []Section
	var parts []Part
	for i, n := range []int{40, 0, 3, 60} {
		sections := someSections(rng, n)
		for j := range sections {
			if sections[j].Document != "" {
				sections[j].Document += string(rune('a' + i)) // a document is of one pack
			}
		}
		all = append(all, sections...)
		parts = append(parts, Part{Index: NewIndex(sections)})
	}
	for _, query := range []string{"", "how is a website published", "compilation status, and the 边界 of a K9", "directory deployment"} {
		want := BM25F{}.Score(query, all)
		got, _ := Score(BM25F{}, query, parts)
		if diff := cmp.Diff(want.Ranked(nil), got.Ranked(nil)); diff != "" {
			t.Errorf("%q (-one +several):\n%s", query, diff)
		}
	}
	want := []Range{{0, 40}, {40, 40}, {40, 43}, {43, 103}}
	if diff := cmp.Diff(want, Ranges(parts)); diff != "" {
		t.Errorf("ranges (-want +got):\n%s", diff)
	}
}

func TestWhatIsSaidOfAPackOnlyRaises(t *testing.T) {
	tills := Part{About: []string{"tills", "How the tills of the shops are run"}, Index: NewIndex([]Section{{Title: "Restart", Text: "Hold the side key of the printer."}})}
	attic := Part{About: []string{"attic", "Old things"}, Index: NewIndex([]Section{{Title: "Restart", Text: "Hold the side key of the printer."}, {Title: "Jam", Text: "A till on a shelf."}})}
	r, _ := Score(BM25F{}, "restart the printer of the tills", []Part{attic, tills})
	hits := r.Ranked(nil)
	if len(hits) == 0 || hits[0].Section != 2 || hits[0].Score <= Best(r, Range{0, 1}).Score {
		t.Errorf("hits %v: the section of the pack about tills is not first", hits)
	}
	r, _ = Score(BM25F{}, "old things", []Part{attic, tills})
	if hits := r.Ranked(nil); len(hits) != 0 {
		t.Errorf("hits %v: a description finds no section", hits)
	}
}

func TestDamagedPartsAreNamed(t *testing.T) {
	good := NewIndex([]Section{{Title: "A", Text: "kettle"}})
	bad := *good
	bad.records = bad.records[:len(bad.records)-1]
	r, damaged := Score(BM25F{}, "kettle", []Part{{Index: good}, {Index: &bad}})
	if diff := cmp.Diff([]int{1}, damaged); diff != "" || r != nil {
		t.Errorf("ranking %v, damaged (-want +got):\n%s", r, diff)
	}
}

// A section of some pack meets part of almost any query.
func TestMoreIsNeededToBeSureOverSeveralPacks(t *testing.T) {
	for _, c := range []struct {
		j    Judgement
		want bool
	}{
		{Judgement{Score: 36, Rare: []string{"spare"}}, true},
		{Judgement{Score: 22}, true},
		{Judgement{Score: 44, Rare: []string{"spare"}, OverPacks: true}, false},
		{Judgement{Score: 45, Rare: []string{"spare"}, OverPacks: true}, true},
		{Judgement{Score: 39, OverPacks: true}, false},
		{Judgement{Score: 40, OverPacks: true}, true},
		{Judgement{Score: 90, Names: []string{"Siri"}, OverPacks: true}, false},
	} {
		if got := c.j.Sure(); got != c.want {
			t.Errorf("%+v: sure %v, want %v", c.j, got, c.want)
		}
	}
}
