package context

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/rank"
)

// generated compiles a generated pack with that many pages and opens its root.
func generated(b *testing.B, dir, name string, pages int) Pack {
	b.Helper()
	dir = filepath.Join(dir, name)
	oktest.Check(b, packtest.Write(dir, packtest.Options{Name: name, Pages: pages}))
	p, _, err := pack.Open(dir)
	oktest.Check(b, err)
	defer p.Close()
	if _, err := compiler.Compile(context.Background(), p, compiler.Options{Now: time.Unix(1780300800, 0)}); err != nil {
		b.Fatal(err)
	}
	root := oktest.Value(os.OpenRoot(dir))(b)
	b.Cleanup(func() { root.Close() })
	return Pack{FS: root.FS(), Dir: dir, Activation: Explicit}
}

const benchQuery = "How does the scheduler retry a stale queue, and what limits the cache?"

// One pack, everything from the disk cache: what the command does except for
// starting a process. 230 pages give about 1,000 splits.
func BenchmarkResolveOnePack(b *testing.B) {
	for _, pages := range []int{23, 230} {
		p := generated(b, b.TempDir(), "generated", pages)
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			b.ReportAllocs()
			splits := 0
			for b.Loop() {
				r, err := Resolve(context.Background(), []Pack{p}, Request{Query: benchQuery})
				if err != nil || len(r.Selection) == 0 {
					b.Fatal(err)
				}
				splits = len(r.Selection)
			}
			b.ReportMetric(float64(splits), "selected")
		})
	}
}

// 200 packs of about 50 splits, of which the catalog activates a few; then all of them,
// named.
func BenchmarkResolveManyPacks(b *testing.B) {
	dir := b.TempDir()
	var packs []Pack
	for i := range 200 {
		packs = append(packs, generated(b, dir, fmt.Sprintf("pack-%03d", i), 20))
	}
	for _, activation := range []Activation{"", Explicit} {
		for i := range packs {
			packs[i].Activation = activation
		}
		b.Run(fmt.Sprintf("activation=%s", orNone(activation)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Resolve(context.Background(), packs, Request{Query: benchQuery + " operation of services", AllowUntrusted: true, Budget: 100_000}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Packs of 100 pages whose sections are ranked together, and one pack of as many pages,
// both from what an earlier query has kept.
func BenchmarkResolvePacksAsOne(b *testing.B) {
	const packs, pages = 100, 100
	dir := b.TempDir()
	many := make([]Pack, packs)
	for i := range many {
		many[i] = generated(b, dir, fmt.Sprintf("pack-%03d", i), pages)
		many[i].Activation, many[i].Own, many[i].Cache = "", true, &slate{}
	}
	one := generated(b, dir, "one", packs*pages)
	one.Cache = &slate{}
	for name, list := range map[string][]Pack{"packs=1": {one}, fmt.Sprintf("packs=%d", packs): many} {
		b.Run(name, func(b *testing.B) {
			for range 2 {
				if _, err := Resolve(context.Background(), list, Request{Query: benchQuery}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				if r, err := Resolve(context.Background(), list, Request{Query: benchQuery}); err != nil || len(r.Selection) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
}

// What the checks of a resolution cost by themselves, at about 1,000 splits: the hash of
// every split and view, the sources that the picks cite, and the marks of their claims,
// where no source has changed and where the one that all pages cite has.
func BenchmarkChecks(b *testing.B) {
	p := generated(b, b.TempDir(), "generated", 230)
	for _, changed := range []bool{false, true} {
		b.Run(fmt.Sprintf("changed=%v", changed), func(b *testing.B) {
			s := oktest.Value(openContents(&Pack{FS: p.FS, Dir: p.Dir}, nil))(b)
			var texts [][]byte
			for _, u := range slices.Concat(s.splits, s.views) {
				texts = append(texts, []byte(u.text))
			}
			// As many picks as a query has, here those that rest on a source.
			choosing := s.gather([]string{benchQuery}, rank.BM25F{})
			if req := (&Request{Query: benchQuery, Scorer: rank.BM25F{}}); (&field{packs: []*candidate{{}}, pickers: []*picker{choosing}}).rank(req) {
				choosing.choose()
			}
			var picks []pick
			for _, u := range s.splits {
				if len(picks) < len(choosing.picks) && len(u.anchors) > 0 {
					picks = append(picks, pick{unit: u})
				}
			}
			choosing.picks = slices.Clone(picks)
			b.ReportAllocs()
			for b.Loop() {
				for i, u := range slices.Concat(s.splits, s.views) {
					if !schema.HasSum(texts[i], u.sum) {
						b.Fatalf("%s is not intact", u.path)
					}
				}
				clear(s.sources)
				if changed {
					s.sources["sources/measurements.md"] = sourceChanged
				}
				copy(choosing.picks, picks)
				choosing.mark()
				units := make([]*unit, len(choosing.picks))
				for i := range choosing.picks {
					units[i] = choosing.picks[i].unit
				}
				if said := s.changedSources(units); changed == (len(said) == 0) {
					b.Fatalf("said %v", said)
				}
			}
			b.ReportMetric(float64(len(s.splits)), "splits")
			b.ReportMetric(float64(len(picks)), "picks")
		})
	}
}

func orNone(a Activation) string {
	if a == "" {
		return "catalog"
	}
	return string(a)
}
