package build

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/resolver/loadout"
)

// heldPerPage is how many bytes a build may hold of a page once its pack is done: its paths,
// digests and a few numbers. Of so few pages it is mostly what waits to be written to the
// store, which does not grow.
const heldPerPage = 9000

// What is held while packs are joined does not grow with the texts of their pages.
func TestLittleIsHeldOfAPageWhilePacksAreJoined(t *testing.T) {
	const few, many = 15, 135
	heldAtJoin(t, 1) // what is made once, such as scripts
	first, second := heldAtJoin(t, few), heldAtJoin(t, many)
	perPage := (second - first) / (2 * (many - few))
	t.Logf("%d bytes a page", perPage)
	if perPage > heldPerPage {
		t.Errorf("%d bytes are held of a page, at most %d are allowed", perPage, heldPerPage)
	}
}

// heldOfOwnPack is how many bytes a build may hold of a page while the other pages of its
// pack are made: what they need to know of each other.
const heldOfOwnPack = 13000

// What is held of a page while its pack is made is bounded, and does not grow with the pack.
func TestWhatIsHeldOfAPageDoesNotGrowWithItsPack(t *testing.T) {
	const few = 100
	heldWhenPaged(t, 1)
	var held [3]int
	for i := range held {
		held[i] = heldWhenPaged(t, few<<i)
	}
	first, second := (held[1]-held[0])/few, (held[2]-held[1])/(2*few)
	t.Logf("%d bytes a page, then %d", first, second)
	if second > heldOfOwnPack || 4*second > 5*first {
		t.Errorf("%d and then %d bytes are held of a page, at most %d are allowed", first, second, heldOfOwnPack)
	}
}

// heldWhenPaged builds one pack, and returns how many bytes are in use when its pages are made.
func heldWhenPaged(t *testing.T, pages int) int {
	return heldAt(t, 1, pages, func(b *Run, look func()) { b.paged = look })
}

// heldAtJoin builds two packs of that many pages, and returns how many bytes are in use when
// the first entry of the index is made.
func heldAtJoin(t *testing.T, pages int) int {
	return heldAt(t, 2, pages, func(b *Run, look func()) { b.indexed = func(*loadout.Entry) { look() } })
}

// heldAt builds packs of that many pages, and returns how many bytes are in use at a moment
// of the build.
func heldAt(t *testing.T, packs, pages int, moment func(b *Run, look func())) (held int) {
	t.Helper()
	dir := t.TempDir()
	for i := range packs {
		name := fmt.Sprintf("pack-%d", i)
		if err := packtest.Write(filepath.Join(dir, "packs", name), packtest.Options{Name: name, Pages: pages, Seed: uint64(i + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := Prepare(context.Background(), newRebuilds(t, dir).ws, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var once sync.Once
	moment(b, func() {
		once.Do(func() {
			for range 3 { // what pools hold goes with the second
				runtime.GC()
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			held = int(m.HeapAlloc)
		})
	})
	if err := b.Do(context.Background()); err != nil || !b.Written || held == 0 {
		t.Fatal(held, err, b.Repository.Findings())
	}
	return held
}
