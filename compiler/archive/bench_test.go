package archive_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
)

// treeItems are 10,000 files of 1 to 2.5 KB in 100 folders.
func treeItems() []item {
	var list []item
	for i := range 10_000 {
		text := strings.Repeat(fmt.Sprintf("Sentence %d says what sentence %d does not. ", i, i*7), 80)
		list = append(list, item{name: fmt.Sprintf("documents/part-%02d/page-%04d.md", i/100, i), body: text[:1000+i%1500]})
	}
	return list
}

func BenchmarkExtract(b *testing.B) {
	items := treeItems()
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"tar", tarOf(b, items...)}, {"tar.gz", gzipOf(b, tarOf(b, items...))}, {"zip", zipOf(b, items...)},
	} {
		b.Run(c.name, func(b *testing.B) {
			top := b.TempDir()
			file := filepath.Join(top, "a")
			write(b, file, string(c.data))
			n := 0
			for b.Loop() {
				n++
				dir := filepath.Join(top, fmt.Sprint(n))
				if _, err := archive.Extract(b.Context(), file, dir, archive.Options{}); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				oktest.Check(b, os.RemoveAll(dir))
				b.StartTimer()
			}
		})
	}
}

// BenchmarkWriteTree is the measure for BenchmarkExtract: the same files written one
// after another.
func BenchmarkWriteTree(b *testing.B) {
	items := treeItems()
	top := b.TempDir()
	n := 0
	for b.Loop() {
		n++
		dir := filepath.Join(top, fmt.Sprint(n))
		made := map[string]bool{}
		for _, it := range items {
			name := filepath.Join(dir, it.name)
			if at := filepath.Dir(name); !made[at] {
				made[at] = true
				oktest.Check(b, os.MkdirAll(at, 0o755))
			}
			oktest.Check(b, os.WriteFile(name, []byte(it.body), 0o644))
		}
		b.StopTimer()
		oktest.Check(b, os.RemoveAll(dir))
		b.StartTimer()
	}
}

// BenchmarkPacks finds and compares a pack of 10,000 files.
func BenchmarkPacks(b *testing.B) {
	files := map[string]string{"KNOWLEDGE.md": "k"}
	for _, it := range treeItems() {
		files[it.name] = it.body
	}
	p := ship(b, "tides", files)
	list := p.list()
	list = append(list, archive.File{Path: "pack.json", Size: int64(len(p.record)), SHA256: archive.SHA256(p.record)})
	fsys := memory(map[string]string{"pack.json": string(bytes.Clone(p.record))})
	for b.Loop() {
		if _, err := archive.Packs(fsys, list); err != nil {
			b.Fatal(err)
		}
	}
}
