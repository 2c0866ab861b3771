package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/resolver/workspace"
)

// benchPages are the sizes of a full build. The first and the last say whether
// the time grows with the number of pages or faster.
var benchPages = []int{1000, 10000}

// generatedRepository writes a repository with one pack of that many pages.
func generatedRepository(tb testing.TB, pages int) string {
	tb.Helper()
	dir := tb.TempDir()
	oktest.Check(tb, packtest.Write(filepath.Join(dir, "packs", "generated"), packtest.Options{Pages: pages}))
	return dir
}

// buildOnce runs the build verb.
func buildOnce(tb testing.TB, dir string, args ...string) {
	tb.Helper()
	runOnce(tb, dir, "build", args...)
}

// runOnce runs a verb.
func runOnce(tb testing.TB, dir, verb string, args ...string) {
	tb.Helper()
	var stderr strings.Builder
	args = append([]string{"-C", dir, verb, "-q"}, args...)
	if code := runContext(context.Background(), args, strings.NewReader(""), io.Discard, &stderr); code != exitDone {
		tb.Fatalf("exit code %d\n%s", code, stderr.String())
	}
}

// BenchmarkBuild is a first build: nothing compiled, no site, no cache.
func BenchmarkBuild(b *testing.B) {
	for _, pages := range benchPages {
		for _, plain := range []bool{false, true} {
			name := fmt.Sprintf("pages=%d/highlight=%t", pages, !plain)
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					dir := generatedRepository(b, pages)
					if plain {
						writeFiles(b, dir, map[string]string{workspace.ConfigName: "site:\n  highlight: false\n"})
					}
					runtime.GC()
					b.StartTimer()
					buildOnce(b, dir)
				}
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(pages)*1e6, "us/page")
			})
		}
	}
}

// BenchmarkRebuild is a build that finds nothing to do.
func BenchmarkRebuild(b *testing.B) {
	for _, pages := range benchPages {
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			dir := generatedRepository(b, pages)
			buildOnce(b, dir)
			for b.Loop() {
				buildOnce(b, dir)
			}
		})
	}
}

// writeFiles writes small files below a directory.
func writeFiles(tb testing.TB, dir string, files map[string]string) {
	tb.Helper()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		oktest.Check(tb, os.MkdirAll(filepath.Dir(name), 0o777))
		oktest.Check(tb, os.WriteFile(name, []byte(strings.TrimLeft(text, "\n")), 0o666))
	}
}
