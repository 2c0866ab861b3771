package compiler

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
)

// BenchmarkIncremental measures a full compile of a generated pack that writes
// everything, a compile that finds nothing changed, one after an edit of a page,
// and the bare walk over the tree, in turn, and prints how they compare.
func BenchmarkIncremental(b *testing.B) {
	for _, pages := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(pages), func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), "generated")
			oktest.Check(b, packtest.Write(dir, packtest.Options{Pages: pages}))
			page, edits := anyPage(b, dir), 0
			var full, unchanged, text, claim, walked time.Duration
			for b.Loop() {
				for _, made := range []string{"compiled", "indexes", "runs", stateName} {
					oktest.Check(b, os.RemoveAll(filepath.Join(dir, made)))
				}
				full += timed(func() { rememberDir(b, dir, Options{}) })
				believe(b, dir)
				unchanged += timed(func() {
					if r := rememberDir(b, dir, Options{}); !r.Reused {
						b.Fatal("something was found to do")
					}
				})
				edit := func(format string) time.Duration {
					edits++
					appendTo(b, page, fmt.Sprintf(format, edits))
					return timed(func() {

					})
				}
				text += edit("More words, %d by now.\n")
				claim += edit("\n- It grew to %d. [source: sources/measurements.md#L1]\n")
				walked += timed(func() { walk(b, dir) })
			}
			n := time.Duration(b.N)
			b.ReportMetric(0, "ns/op") // the sum of all says nothing
			for name, took := range map[string]time.Duration{"full": full, "unchanged": unchanged, "page": text, "page+claim": claim, "walk": walked} {
				b.ReportMetric(float64((took/n).Microseconds())/1000, name+"-ms")
			}
			b.ReportMetric(float64(unchanged)/float64(walked), "unchanged/walk")
			b.ReportMetric(100*float64(unchanged)/float64(full), "unchanged-%")
			b.ReportMetric(100*float64(text)/float64(full), "page-%")
			b.ReportMetric(100*float64(claim)/float64(full), "page+claim-%")
		})
	}
}

func timed(work func()) time.Duration {
	begin := time.Now()
	work()
	return time.Since(begin)
}

// appendTo adds a text to a file.
func appendTo(tb testing.TB, name, text string) {
	tb.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	oktest.Check(tb, err)
	if _, err := f.WriteString(text); err != nil {
		tb.Fatal(err)
	}
	oktest.Check(tb, f.Close())
}

// walk lists and looks at every file, as find would.
func walk(b *testing.B, dir string) {
	err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			_, err = d.Info()
		}
		return err
	})
	oktest.Check(b, err)
}

// anyPage returns a page of a pack.
func anyPage(b *testing.B, dir string) string {
	page := ""
	err := filepath.WalkDir(filepath.Join(dir, "wiki"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Base(path) != "index.md" {
			page = path
		}
		return err
	})
	if err != nil || page == "" {
		b.Fatal("no page", err)
	}
	return page
}
