package cut

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/markdown"
)

// The heading above is the nearest before with a smaller level, whatever the order of
// levels; looking at each one before it is too slow for a page of many.
func TestTheHeadingAboveIsTheNearestOfASmallerLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		k := &cutter{doc: &markdown.Document{}}
		var levels strings.Builder
		for range random.IntN(40) {
			level := 1 + random.IntN(6)
			fmt.Fprint(&levels, level)
			k.doc.Headings = append(k.doc.Headings, markdown.Heading{Level: level})
		}
		for i, h := range k.doc.Headings {
			want := i - 1
			for want >= 0 && k.doc.Headings[want].Level >= h.Level {
				want--
			}
			if got := k.parent(i); got != want {
				t.Fatalf("levels %s: above heading %d is %d, want %d", &levels, i, got, want)
			}
		}
	}
}
