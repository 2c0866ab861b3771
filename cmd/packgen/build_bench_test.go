package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/pack/packtest"
)

// BenchmarkBuild builds a generated pack into an empty folder: compile, index
// and site, as a user's first build does. The time of 10,000 pages should be at
// most eleven times that of 1,000.
func BenchmarkBuild(b *testing.B) {
	for _, pages := range []int{1_000, 10_000} {
		for _, highlight := range []bool{true, false} {
			b.Run(fmt.Sprintf("pages=%d/highlight=%t", pages, highlight), func(b *testing.B) {
				benchmarkBuild(b, pages, highlight)
			})
		}
	}
}

// BenchmarkRebuild builds again when nothing has changed.
func BenchmarkRebuild(b *testing.B) {
	repo := generatedRepository(b, 1_000, true)
	build(b, repo)
	for b.Loop() {
		build(b, repo)
	}
}

func benchmarkBuild(b *testing.B, pages int, highlight bool) {
	for b.Loop() {
		b.StopTimer()
		repo := generatedRepository(b, pages, highlight)
		b.StartTimer()
		build(b, repo)
		b.StopTimer()
		os.RemoveAll(repo)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*pages), "µs/page")
}

func generatedRepository(b *testing.B, pages int, highlight bool) string {
	b.Helper()
	repo := b.TempDir()
	if err := packtest.Write(filepath.Join(repo, "packs", "generated"), packtest.Options{Pages: pages}); err != nil {
		b.Fatal(err)
	}
	writeFile(b, filepath.Join(repo, "packgen.yaml"), fmt.Sprintf("site:\n  highlight: %t\n", highlight))
	return repo
}

func build(b *testing.B, repo string) {
	b.Helper()
	var stderr strings.Builder
	if code := run([]string{"-C", repo, "build", "-q"}, strings.NewReader(""), io.Discard, &stderr); code != exitDone {
		b.Fatalf("build ended with %d\n%s", code, stderr.String())
	}
}
