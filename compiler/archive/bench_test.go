package archive_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
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

// diskTree writes the items once and returns their folder.
func diskTree(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	for _, it := range treeItems() {
		write(b, filepath.Join(dir, filepath.FromSlash(it.name)), it.body)
	}
	return dir
}

// BenchmarkReadTree is the measure for BenchmarkListTree: every file opened and
// read to its end, one after another.
func BenchmarkReadTree(b *testing.B) {
	dir := diskTree(b)
	buffer := make([]byte, 128<<10)
	for b.Loop() {
		err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			f, err := os.Open(filepath.Join(dir, name))
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.CopyBuffer(io.Discard, struct{ io.Reader }{f}, buffer)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkListTree(b *testing.B) {
	dir := diskTree(b)
	root, err := os.OpenRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	for name, fsys := range map[string]fs.FS{"DirFS": os.DirFS(dir), "Root": root.FS()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				files, err := archive.List(fsys)
				if err != nil || len(files) != 10_000 {
					b.Fatal(len(files), err)
				}
			}
		})
	}
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
				if err := os.RemoveAll(dir); err != nil {
					b.Fatal(err)
				}
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
				if err := os.MkdirAll(at, 0o755); err != nil {
					b.Fatal(err)
				}
			}
			if err := os.WriteFile(name, []byte(it.body), 0o644); err != nil {
				b.Fatal(err)
			}
		}
		b.StopTimer()
		if err := os.RemoveAll(dir); err != nil {
			b.Fatal(err)
		}
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
