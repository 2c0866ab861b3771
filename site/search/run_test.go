package search

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/packgen/packgen/site/shard"
)

func inOneRun(pages []Page) iter.Seq[Run] { return slices.Values([]Run{{Pages: pages}}) }

// made is a part with its words.
type made struct {
	Part  *Part
	Words []string
}

func joinedPart(name string, runs iter.Seq[Run]) (m made, files []shard.File, ok bool) {
	return joinedHolding(mostHeld, name, runs)
}

func joinedHolding(most int, name string, runs iter.Seq[Run]) (m made, files []shard.File, ok bool) {
	m.Part, ok, _ = joinHolding(most, name, runs, func(words []byte) { m.Words = append(m.Words, string(words)) }, func(f shard.File) error {
		files = append(files, f)
		return nil
	})
	return m, files, ok
}

func (m *made) pack() Pack {
	return Pack{Part: m.Part, Words: func(stems int) ([]byte, error) { return []byte(m.Words[stems]), nil }}
}

// How pages are cut into runs does not matter, nor whether the words of a run were joined
// before.
func TestAPackOfRunsIsThePackOfItsPages(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		all, _ := corpus(rng, 1, 1+rng.IntN(60), 100)
		pages := all[0]
		part, files, ok := joinedPart("x", inOneRun(pages))
		if !ok {
			t.Fatal("a note is damaged")
		}
		var runs []Run
		for rest := pages; len(rest) > 0; {
			n := 1 + rng.IntN(min(len(rest), 9))
			run := Run{Pages: slices.Clone(rest[:n])}
			if rest = rest[n:]; rng.IntN(4) > 0 {
				if run.Words, ok = Words(run.Pages); !ok {
					t.Fatal("a note is damaged")
				}
				for i := range run.Pages {
					run.Pages[i].Note = "no longer needed"
				}
			}
			runs = append(runs, run)
		}
		got, gotFiles, ok := joinedPart("x", slices.Values(runs))
		if !ok {
			t.Fatal("a run is not read")
		}
		if diff := gocmp.Diff(part, got); diff != "" {
			t.Fatalf("%d pages in %d runs (-pages +runs):\n%.2000s", len(pages), len(runs), diff)
		}
		if diff := gocmp.Diff(fmt.Sprint(files), fmt.Sprint(gotFiles)); diff != "" {
			t.Fatalf("other files: %.2000s", diff)
		}
	}
}

// Words that went to a file in between are the same: the index does not depend on how many
// are held.
func TestAPackWhoseWordsAreNotHeldIsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 4))
	all, _ := corpus(rng, 1, 60, 100)
	var runs []Run
	for _, p := range all[0] {
		runs = append(runs, Run{Pages: []Page{p}})
	}
	want, files, ok := joinedPart("x", slices.Values(runs))
	if !ok {
		t.Fatal("a note is damaged")
	}
	for _, most := range []int{0, 500, 5000} {
		got, gotFiles, ok := joinedHolding(most, "x", slices.Values(runs))
		if !ok {
			t.Fatalf("holding %d bytes: what was kept is not read", most)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("holding %d bytes (-all +some):\n%.2000s", most, diff)
		}
		if diff := gocmp.Diff(fmt.Sprint(files), fmt.Sprint(gotFiles)); diff != "" {
			t.Fatalf("holding %d bytes, other files: %.2000s", most, diff)
		}
	}
}

func FuzzRun(f *testing.F) {
	pages, _ := corpus(rand.New(rand.NewPCG(2, 2)), 1, 5, 50)
	words, ok := Words(pages[0])
	if !ok {
		f.Fatal("a note is damaged")
	}
	f.Add(words, 5)
	f.Add(words[:len(words)/2], 3)
	f.Fuzz(func(t *testing.T, words string, sections int) {
		page := Page{Sections: make([]Section, max(0, sections)%64)}
		Join("x", slices.Values([]Run{{Pages: []Page{page}, Words: words}, {Pages: []Page{page}, Words: words}}), func([]byte) {}, func(shard.File) error { return nil }) // true or false, never a panic
	})
}
