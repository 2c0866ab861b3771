//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/packgen/packgen/compiler/pack/packtest"
)

// BenchmarkEdit is what builds cost that follow a first one, as parts of its processor
// time: nothing changed, the text of a page, its title, a page more, and a compile right
// after a build. In one large pack an edit costs more: the pack is joined as a whole.
func BenchmarkEdit(b *testing.B) {
	for _, shape := range []struct{ packs, pages int }{{100, 100}, {1, 10000}} {
		b.Run(fmt.Sprintf("pages=%d/packs=%d", shape.packs*shape.pages, shape.packs), func(b *testing.B) {
			dir := b.TempDir()
			for i := range shape.packs {
				name := fmt.Sprintf("pack-%03d", i)
				o := packtest.Options{Name: name, Pages: shape.pages, Seed: uint64(i + 1)}
				if err := packtest.Write(filepath.Join(dir, "packs", name), o); err != nil {
					b.Fatal(err)
				}
			}
			pages, err := filepath.Glob(filepath.Join(dir, "packs", "pack-000", "wiki", "*", "*.md"))
			if err != nil || len(pages) == 0 {
				b.Fatal(err)
			}
			page := pages[len(pages)/2]
			write := func(name, text string, flags int) {
				f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|flags, 0o666)
				if err == nil {
					_, err = f.WriteString(text)
				}
				if err != nil || f.Close() != nil {
					b.Fatal(err)
				}
			}
			first := processorTime(b, func() { buildOnce(b, dir) })
			n := 0
			for b.Loop() {
				n++
				for _, step := range []struct {
					name string
					edit func()
					verb string
				}{
					{"unchanged", func() {}, "build"},
					{"text", func() { write(page, fmt.Sprintf("\nSentence %d.\n", n), os.O_APPEND) }, "build"},
					{"title", func() { write(pages[0], fmt.Sprintf("# Title %d\n\nText.\n", n), os.O_TRUNC) }, "build"},
					{"added", func() {
						write(filepath.Join(filepath.Dir(page), fmt.Sprintf("added-%d.md", n)), "# Added\n\nText.\n", os.O_EXCL)
					}, "build"},
					{"compile", func() {}, "compile"},
				} {
					step.edit()
					b.ReportMetric(processorTime(b, func() { runOnce(b, dir, step.verb) })/first, step.name+"/first")
				}
			}
			b.ReportMetric(first, "first-s")
		})
	}
}

// processorTime returns the seconds of processor time that a function takes, with those
// of the collector.
func processorTime(b *testing.B, do func()) float64 {
	b.Helper()
	runtime.GC()
	seconds := func() float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	}
	before := seconds()
	do()
	return seconds() - before
}
