package index

import (
	"testing"

	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout"
)

// What a page declares is kept once for all of its splits: of a large site it is a good
// part of the memory of a build.
func TestSplitsOfAPageShareWhatItDeclares(t *testing.T) {
	w := store.NewWriter(1 << 8)
	w.Uint(3)
	for i, summary := range []string{"", "", "Another."} {
		w.Str([]string{"a", "b", "c"}[i])
		n := note{declared: &declaration{
			keywords: []string{"kettle"}, places: []where{{"wiki/kettle.md", 2, 3}}, summary: summary, triggers: &loadout.Triggers{Task: true},
		}}
		n.pack(w)
	}
	var u unitNotes
	if !u.read(w.Bytes()) {
		t.Fatal("the notes are damaged")
	}
	if a, b, c := u.of("a").declared, u.of("b").declared, u.of("c").declared; a != b || b == c || c.summary != "Another." {
		t.Errorf("declarations %+v, %+v, %+v: want the first two to be one", a, b, c)
	}
}
