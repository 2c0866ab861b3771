package repo

import (
	"testing"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/store"
)

// TestMemoryIsForThePacksThatAreWorkedOn: that of a compile does not grow with the
// number of packs, that of a build is more for a large pack.
func TestMemoryIsForThePacksThatAreWorkedOn(t *testing.T) {
	member := func(pages int) *Member {
		p := &pack.Pack{}
		for range pages {
			p.Files = append(p.Files, pack.File{Path: "wiki/a.md", Stat: store.Stat{Size: 10}}, pack.File{Path: "compiled/splits/a.md"})
		}
		return &Member{Pack: p}
	}
	r := &Packs{}
	for range 10 {
		r.Members = append(r.Members, member(5), &Member{})
	}
	files, _, listed := r.AtOnce()
	if files != 5*PacksAtOnce || listed != 100 {
		t.Errorf("%d files at once, %d listed", files, listed)
	}
	if got, largest := r.BuildFiles(); got != 52 || largest != 5 {
		t.Errorf("a build of 50 files in 10 packs has memory for %d, the largest %d", got, largest)
	}
	r.Members = []*Member{member(50)}
	if got, largest := r.BuildFiles(); got != 75 || largest != 50 {
		t.Errorf("a build of 50 files in one pack has memory for %d, the largest %d", got, largest)
	}
}
