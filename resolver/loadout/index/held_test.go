package index_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout/index"
)

// reads counts how often each blob is read.
type reads struct {
	store.Memory
	of map[store.Digest]int
}

func (s *reads) Blob(d store.Digest) ([]byte, bool) {
	s.of[d]++
	return s.Memory.Blob(d)
}

// Packs whose entries are held, and those that are read again, give one index.
func TestHowManyDraftsAreHeldDoesNotMatter(t *testing.T) {
	teapot := files{}
	for name, text := range kettle {
		teapot[strings.ReplaceAll(name, "kettle", "teapot")] = strings.NewReplacer("kettle", "teapot", "citric", "malic").Replace(text)
	}
	var first string
	for _, c := range []struct{ held, most int }{{1 << 16, 1}, {5, 2}, {0, 2}} {
		kept := &reads{of: map[store.Digest]int{}}
		b := index.NewBuilder(kept)
		results := compilePacks(t, b, kettle, teapot)
		for _, r := range results {
			r.State = store.Key("state", r.Pack.Meta.Name)
			oktest.Check(t, b.Add(r))
		}
		clear(kept.of)
		b.Hold(c.held)
		ix, faults := finish(t, b, results, index.Options{})
		got := fmt.Sprintf("%+v %+v", ix, faults)
		if first == "" {
			first = got
		} else if d := cmp.Diff(first, got); d != "" {
			t.Errorf("%d drafts held: another index (-all held):\n%s", c.held, d)
		}
		most := 0
		for _, n := range kept.of {
			most = max(most, n)
		}
		if most != c.most {
			t.Errorf("%d drafts held: a blob is read %d times, want %d", c.held, most, c.most)
		}
	}
}
