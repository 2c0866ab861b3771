package publish

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// BenchmarkPut measures a whole transaction of small pages, by page: all new,
// then all equal to the existing ones.
func BenchmarkPut(b *testing.B) {
	page := make([]byte, 12<<10)
	paths := make([]string, 5000)
	for i := range paths {
		paths[i] = fmt.Sprintf("packs/p/d%d/page-%d.html", i%50, i)
	}
	publish := func(b *testing.B, o Options) {
		tx := oktest.Value(Begin(context.Background(), o))(b)
		for _, path := range paths {
			if _, err := tx.Put(path, page); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	report := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(paths)), "ns/page")
	}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			dir := b.TempDir()
			publish(b, Options{Target: filepath.Join(dir, "out"), StateDir: filepath.Join(dir, "state"), Manifest: "manifest.json"})
		}
		report(b)
	})
	b.Run("unchanged", func(b *testing.B) {
		dir := b.TempDir()
		o := Options{Target: filepath.Join(dir, "out"), StateDir: filepath.Join(dir, "state"), Manifest: "manifest.json"}
		publish(b, o)
		for b.Loop() {
			publish(b, o)
		}
		report(b)
	})
}
