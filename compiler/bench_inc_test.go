package compiler

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/pack/packtest"
)

// BenchmarkCompile measures incremental compiles of generated packs: with nothing
// to do, and after an edit of one page; and the walk over the tree that the former
// is compared with.
func BenchmarkCompile(b *testing.B) {
	for _, pages := range []int{1000, 10_000} {
		dir := filepath.Join(b.TempDir(), "generated")
		if err := packtest.Write(dir, packtest.Options{Pages: pages}); err != nil {
			b.Fatal(err)
		}
		compileDir(b, dir, Options{Incremental: true})
		b.Run(fmt.Sprintf("walk/%d", pages), func(b *testing.B) {
			for b.Loop() {
				walk(b, dir)
			}
		})
		b.Run(fmt.Sprintf("unchanged/%d", pages), func(b *testing.B) {
			compileDir(b, dir, Options{Incremental: true})
			believe(b, dir)
			for b.Loop() {
				if r := compileDir(b, dir, Options{Incremental: true}); !r.Reused {
					b.Fatal("something was found to do")
				}
			}
		})
		b.Run(fmt.Sprintf("onePage/%d", pages), func(b *testing.B) {
			page := anyPage(b, dir)
			for b.Loop() {
				b.StopTimer()
				believe(b, dir)
				f, err := os.OpenFile(page, os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := f.WriteString("More.\n"); err != nil {
					b.Fatal(err)
				}
				f.Close()
				b.StartTimer()
				compileDir(b, dir, Options{Incremental: true})
			}
		})
		b.Run(fmt.Sprintf("full/%d", pages), func(b *testing.B) {
			for b.Loop() {
				compileDir(b, dir, Options{DryRun: true})
			}
		})
	}
}

// walk lists and looks at every file, as find would.
func walk(b *testing.B, dir string) {
	err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			_, err = d.Info()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
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
