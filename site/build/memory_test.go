package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/repo"
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

// A build lists the files of all packs before it compiles the first, and forgets splits with
// each that is done. What it makes does not depend on whether they were listed.
func TestSplitsThatAreThereAreListedUntilTheirPackIsDone(t *testing.T) {
	dir := t.TempDir()
	oktest.Check(t, packtest.Write(filepath.Join(dir, "packs", "kettle"), packtest.Options{Name: "kettle", Pages: 5, Seed: 1}))
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	ws := newRebuilds(t, dir).ws
	var first map[string]string
	for _, again := range []bool{false, true} {
		for _, touched := range []bool{false, true} {
			if touched {
				oktest.Check(t, os.RemoveAll(filepath.Join(dir, repo.StateName)))
			}
			oktest.Check(t, ws.Load())
			b := oktest.Value(Prepare(context.Background(), ws, Options{}))(t)
			m := b.Repository.Members[0]
			if listed := m.Pack.HasDir("compiled/splits"); listed != (again || touched) {
				t.Errorf("splits are listed: %t", listed)
			}
			inputs := len(m.Pack.List("wiki"))
			if err := b.Do(context.Background()); err != nil || !b.Written {
				t.Fatal(err, b.Repository.Findings())
			}
			if m.Pack.HasDir("compiled/splits") || len(m.Pack.List("wiki")) != inputs || inputs == 0 {
				t.Errorf("%d files are listed after the build, %d of %d pages", len(m.Pack.Files), len(m.Pack.List("wiki")), inputs)
			}
			b.Close()
			if got := oktest.Read(t, filepath.Join(dir, "public"), ".packgen"); first == nil {
				first = got
			} else if d := cmp.Diff(first, got); d != "" {
				t.Errorf("another site (-first +now):\n%s", d)
			}
		}
	}
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
		oktest.Check(t, packtest.Write(filepath.Join(dir, "packs", name), packtest.Options{Name: name, Pages: pages, Seed: uint64(i + 1)}))
	}
	w := newRebuilds(t, dir).ws
	oktest.Check(t, w.Load())
	b := oktest.Value(Prepare(context.Background(), w, Options{}))(t)
	defer b.Close()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var once sync.Once
	moment(b, func() {
		once.Do(func() {
			stop()        // the rest of the build says nothing
			for range 3 { // what pools hold goes with the second
				runtime.GC()
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			held = int(m.HeapAlloc)
		})
	})
	if err := b.Do(ctx); err != nil && !errors.Is(err, context.Canceled) || held == 0 {
		t.Fatal(held, err, b.Repository.Findings())
	}
	return held
}
