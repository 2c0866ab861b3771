//go:build unix

package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
)

// BenchmarkMemory is how much memory builds take at most, each in a process of its own: a
// first build, the same again, and one after an edit of a page. PACKGEN_MEMORY names other
// shapes, as packs x pages of each, such as "1x100000 200x1000".
func BenchmarkMemory(b *testing.B) {
	for _, shape := range strings.Fields(cmp.Or(os.Getenv("PACKGEN_MEMORY"), "1x1000 10x100 40x100")) {
		var packs, pages int
		if _, err := fmt.Sscanf(shape, "%dx%d", &packs, &pages); err != nil {
			b.Fatalf("%q is not a shape: %v", shape, err)
		}
		b.Run(shape, func(b *testing.B) {
			dir, edited := b.TempDir(), ""
			for i := range packs {
				name := fmt.Sprintf("pack-%04d", i)
				o := packtest.Options{Name: name, Pages: pages, Seed: uint64(i + 1)}
				oktest.Check(b, packtest.Write(filepath.Join(dir, "packs", name), o))
				if list, _ := filepath.Glob(filepath.Join(dir, "packs", name, "wiki", "*", "*.md")); len(list) > 0 {
					edited = list[len(list)/2]
				}
			}
			cold, again, edit := peakOf(b, dir), peakOf(b, dir), 0.0
			for n := 0; b.Loop(); n++ {
				write(b, edited, fmt.Sprintf("\nSentence %d.\n", n), os.O_APPEND)
				edit = max(edit, peakOf(b, dir))
			}
			b.ReportMetric(cold, "cold-MB")
			b.ReportMetric(again, "unchanged-MB")
			b.ReportMetric(edit, "edit-MB")
		})
	}
}

// peakOf builds a repository and returns how many megabytes were in memory at most.
func peakOf(b *testing.B, dir string) float64 {
	b.Helper()
	cmd := exec.Command(program(b), "-C", dir, "build", "-q")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		b.Fatal("the system does not say how much memory a process took")
	}
	return float64(usage.Maxrss) / 1024
}
