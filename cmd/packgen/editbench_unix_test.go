//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
)

// BenchmarkEdit is what builds cost that follow a first one: as parts of its processor
// time (name/first), and in pages written (name-pages). Nothing changed, the text of a
// page, its title, a heading that five others link to, a page more, and a compile right
// after a build. In one large pack an edit costs more: the pack is joined as a whole.
func BenchmarkEdit(b *testing.B) {
	for _, shape := range []struct{ packs, pages int }{{100, 100}, {1, 10000}} {
		b.Run(fmt.Sprintf("pages=%d/packs=%d", shape.packs*shape.pages, shape.packs), func(b *testing.B) {
			dir := b.TempDir()
			for i := range shape.packs {
				name := fmt.Sprintf("pack-%03d", i)
				o := packtest.Options{Name: name, Pages: shape.pages, Seed: uint64(i + 1)}
				oktest.Check(b, packtest.Write(filepath.Join(dir, "packs", name), o))
			}
			e := newEdits(b, filepath.Join(dir, "packs", "pack-000", "wiki"))
			first := processorTime(b, func() { buildOnce(b, dir) })
			n := 0
			for b.Loop() {
				n++
				for _, step := range []struct {
					name string
					edit func(b *testing.B, n int)
					verb string
				}{
					{"unchanged", func(*testing.B, int) {}, "build"},
					{"text", e.text, "build"},
					{"title", e.title, "build"},
					{"heading", e.heading, "build"},
					{"added", e.add, "build"},
					{"compile", func(*testing.B, int) {}, "compile"},
				} {
					step.edit(b, n)
					pages := 0
					b.ReportMetric(processorTime(b, func() { pages = pagesWritten(b, dir, step.verb) })/first, step.name+"/first")
					if step.verb == "build" {
						b.ReportMetric(float64(pages), step.name+"-pages")
					}
				}
			}
			b.ReportMetric(first, "first-s")
		})
	}
}

// edits changes the pages of a wiki.
type edits struct {
	page   string // the page whose text changes
	titled string // the page whose title changes
	linked string // the page with the heading
}

// newEdits links five pages to a heading of another.
func newEdits(b *testing.B, wiki string) *edits {
	pages, err := filepath.Glob(filepath.Join(wiki, "*", "*.md"))
	if err != nil || len(pages) < 20 {
		b.Fatal(err, len(pages))
	}
	e := &edits{page: pages[len(pages)/2], titled: pages[0], linked: pages[10]}
	write(b, e.linked, "\n## Renamed 0\n\nText below a heading.\n", os.O_APPEND)
	for _, from := range pages[11:16] {
		write(b, from, fmt.Sprintf("\nSee [the other page](%s#renamed-0).\n", filepath.Base(e.linked)), os.O_APPEND)
	}
	return e
}

func (e *edits) text(b *testing.B, n int) {
	write(b, e.page, fmt.Sprintf("\nSentence %d.\n", n), os.O_APPEND)
}

func (e *edits) title(b *testing.B, n int) {
	data, err := os.ReadFile(e.titled)
	oktest.Check(b, err)
	title := regexp.MustCompile(`(?m)^(title:|#) .*`)
	write(b, e.titled, title.ReplaceAllString(string(data), fmt.Sprintf("$1 Title %d", n)), os.O_TRUNC)
}

func (e *edits) heading(b *testing.B, n int) {
	data, err := os.ReadFile(e.linked)
	oktest.Check(b, err)
	write(b, e.linked, strings.Replace(string(data), fmt.Sprintf("## Renamed %d\n", n-1), fmt.Sprintf("## Renamed %d\n", n), 1), os.O_TRUNC)
}

func (e *edits) add(b *testing.B, n int) {
	write(b, filepath.Join(filepath.Dir(e.page), fmt.Sprintf("added-%d.md", n)), "# Added\n\nText.\n", os.O_EXCL)
}

func write(b *testing.B, name, text string, flags int) {
	b.Helper()
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|flags, 0o666)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil || f.Close() != nil {
		b.Fatal(err)
	}
}

// pagesWritten runs a verb and returns how many pages of the site it wrote.
func pagesWritten(b *testing.B, dir, verb string) (pages int) {
	b.Helper()
	var stdout, stderr strings.Builder
	code := runContext(context.Background(), []string{"-C", dir, verb, "--json"}, strings.NewReader(""), &stdout, &stderr)
	var report struct {
		Output struct {
			Changes []outputChange `json:"changes"`
		} `json:"output"`
	}
	if err := json.Unmarshal([]byte(stdout.String()), &report); code != exitDone || err != nil {
		b.Fatalf("exit code %d, %v\n%s", code, err, stderr.String())
	}
	for _, c := range report.Output.Changes {
		if path.Ext(c.Path) == ".html" && c.Operation != "deleted" {
			pages++
		}
	}
	return pages
}

// processorTime returns the seconds of processor time that a function takes, with those
// of the collector.
func processorTime(b *testing.B, do func()) float64 {
	b.Helper()
	runtime.GC()
	seconds := func() float64 {
		var u syscall.Rusage
		oktest.Check(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	}
	before := seconds()
	do()
	return seconds() - before
}
