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

// heldAtJoin builds two packs of that many pages, and returns how many bytes are in use when
// the first entry of the index is made.
func heldAtJoin(t *testing.T, pages int) (held int) {
	t.Helper()
	dir := t.TempDir()
	for i := range 2 {
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
	b.indexed = func(*loadout.Entry) {
		once.Do(func() {
			for range 3 { // what pools hold goes with the second
				runtime.GC()
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			held = int(m.HeapAlloc)
		})
	}
	if err := b.Do(context.Background()); err != nil || !b.Written || held == 0 {
		t.Fatal(held, err, b.Repository.Findings())
	}
	return held
}
