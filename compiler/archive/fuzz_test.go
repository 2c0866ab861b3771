package archive_test

import (
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/archive/archivetest"
	"github.com/packgen/packgen/compiler/oktest"
)

// fuzzLimits keep what a fuzzed archive may unpack small.
var fuzzLimits = archive.Limits{Files: 50, Bytes: 1 << 16, FileBytes: 1 << 15, ArchiveBytes: 1 << 16, PathBytes: 200, Depth: 8, Nested: 3}

// fuzzExtract checks the laws that hold for any bytes: an archive is refused and
// leaves nothing, or it becomes a tree within the limits, which is just what Extract
// says and which the rules for paths take.
func fuzzExtract(t *testing.T, data []byte) {
	top := t.TempDir()
	file, dir := filepath.Join(top, "a"), filepath.Join(top, "tree")
	write(t, file, string(data))
	x, err := archive.Extract(t.Context(), file, dir, archive.Options{Limits: fuzzLimits})
	if err != nil {
		var r *archive.Refusal
		if !errors.As(err, &r) {
			t.Fatalf("no refusal: %v", err)
		}
		if got := listed(t, top); len(got) != 1 {
			t.Fatalf("left over: %v", got)
		}
		return
	}
	if got := strings.Join(listed(t, top), " "); got != "a tree" {
		t.Fatalf("the folder of the target has %s", got)
	}
	files := archivetest.List(t, os.DirFS(dir))
	if !slices.Equal(files, x.Files) {
		t.Fatalf("unpacked %v, listed %v", x.Files, files)
	}
	var bytes int64
	for _, f := range files {
		bytes += f.Size
		if err := archive.CheckPath(f.Path); err != nil || len(f.Path) > fuzzLimits.PathBytes || f.Size > fuzzLimits.ArchiveBytes {
			t.Fatalf("%v: %v", f, err)
		}
	}
	if len(files) == 0 || len(files) > fuzzLimits.Files || bytes > fuzzLimits.Bytes {
		t.Fatalf("%d files with %d bytes", len(files), bytes)
	}
	if info, err := fs.Stat(os.DirFS(dir), files[0].Path); err != nil || info.Mode() != 0o644 {
		t.Fatalf("%v %v", info, err)
	}
	if _, err := archive.Packs(os.DirFS(dir), files); err != nil {
		var r *archive.Refusal
		if !errors.As(err, &r) {
			t.Fatal(err)
		}
	}
}

// FuzzExtractTarGz fuzzes what is inside the gzip stream: a fuzzer would not get
// past its checksum.
func FuzzExtractTarGz(f *testing.F) {
	pack := ship(f, "tides", map[string]string{"KNOWLEDGE.md": "k"})
	f.Add(tarOf(f, pack.below("tides/")...))
	f.Add(tarOf(f, item{name: "./"}, item{name: "d/"}, item{name: "d/" + strings.Repeat("n", 150), body: "x"}))
	f.Add(tarOf(f, item{name: "l", kind: '2', link: "x"}, item{name: "h", kind: '1', link: "x"}))
	f.Add(tarOf(f, item{name: "a.tar", body: string(tarOf(f, item{name: "a", body: "x"}))}))
	f.Add(join(tarBlock("l", 'L', 5, "../x\x00"), tarBlock("a", '0', 1, "x"), tarEnd))
	f.Add(join(tarBlock("x", 'x', 13, "13 path=/etc\n"), tarBlock("b", '0', 1, "x"), tarEnd))
	f.Add(tarBlock("a", '0', 1, "x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var b strings.Builder
		w, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
		oktest.Check(t, err)
		_, err = w.Write(data)
		oktest.Check(t, errors.Join(err, w.Close()))
		fuzzExtract(t, []byte(b.String()))
	})
}

// FuzzExtractZip fuzzes the bytes of a zip archive, with small entries that are
// stored, whose checksums a fuzzer can keep by changing headers alone.
func FuzzExtractZip(f *testing.F) {
	pack := ship(f, "tides", map[string]string{"KNOWLEDGE.md": "k"})
	f.Add(zipOf(f, pack.below("tides/")...))
	f.Add(rawZip(honest("a", "hello"), honest("d/", ""), honest("d/b", "")))
	late := honest("a", "hello")
	movedAfter(late)
	f.Add(rawZip(late, honest("b", "x")))
	f.Add(wide(honest("a", "hello")))
	f.Add(zipOf(f, item{name: "a.tar", body: string(tarOf(f, item{name: "a", body: "x"}))}))
	f.Fuzz(fuzzExtract)
}

// FuzzExtract starts from every format.
func FuzzExtract(f *testing.F) {
	plain := tarOf(f, item{name: "a", body: "x"})
	f.Add(gzipOf(f, plain))
	f.Add(plain)
	f.Add(zipOf(f, item{name: "a", body: "x"}, item{name: "b.tar.gz", body: string(gzipOf(f, plain))}))
	f.Fuzz(fuzzExtract)
}

func FuzzCheckPath(f *testing.F) {
	for _, name := range hostilePaths {
		f.Add(name)
	}
	f.Add("documents/größe.md")
	f.Fuzz(func(t *testing.T, name string) {
		if archive.CheckPath(name) == nil && (!fs.ValidPath(name) || !filepath.IsLocal(name) || strings.ContainsAny(name, "\\:\x00\n\x1b")) {
			t.Errorf("%q is taken", name)
		}
	})
}
