package archive_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/dirhash"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/archive/archivetest"
	"github.com/packgen/packgen/compiler/oktest"
)

// randomTree is a tree of some files, small and large, in random folders.
func randomTree(r *rand.Rand) map[string]string {
	folders := []string{"", "documents/", "wiki/", "wiki/deep/er/", "größe/", "a b/"}
	tree := map[string]string{"KNOWLEDGE.md": "---\n"}
	for i := range 1 + r.IntN(12) {
		size := r.IntN(300)
		if r.IntN(8) == 0 {
			size = 100_000 + r.IntN(300_000)
		}
		body := bytes.Repeat([]byte{byte('a' + r.IntN(26))}, size)
		for k := range body {
			if r.IntN(16) == 0 {
				body[k] = byte(r.IntN(256))
			}
		}
		tree[fmt.Sprintf("%sfile %d.md", folders[r.IntN(len(folders))], i)] = string(body)
	}
	return tree
}

func itemsOf(r *rand.Rand, tree map[string]string) []item {
	var list []item
	for name, body := range tree {
		list = append(list, item{name: name, body: body})
	}
	slices.SortFunc(list, func(a, b item) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// The identity of a tree does not depend on how it travels.
func TestTreeHashIsTheSameThroughEveryContainer(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 8))
		tree := randomTree(r)
		dir := t.TempDir()
		for name, body := range tree {
			write(t, filepath.Join(dir, filepath.FromSlash(name)), body)
		}
		want := oktest.Value(dirhash.HashDir(dir, "", dirhash.Hash1))(t)
		files := archivetest.List(t, os.DirFS(dir))
		if got := archive.TreeHash(files); got != want {
			t.Errorf("List gives %s, dirhash %s", got, want)
		}
		shuffled := slices.Clone(files)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if got := archive.TreeHash(shuffled); got != want {
			t.Errorf("in another order %s, want %s", got, want)
		}
		items := itemsOf(r, tree)
		plain := tarOf(t, items...)
		packed := gzipOf(t, plain)
		for format, data := range map[string][]byte{
			"tar": plain, "tar.gz": packed, "zip": zipOf(t, items...),
			"zip+tar": zipOf(t, item{name: "a.tar", body: string(plain)}), "zip+tar.gz": zipOf(t, item{name: "a.tar.gz", body: string(packed)}),
		} {
			x, at, err := extract(t, data, archive.Limits{})
			if err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			if diff := cmp.Diff(files, x.Files); diff != "" {
				t.Errorf("%s: files of the directory and of the archive differ:\n%s", format, diff)
			}
			if again := archivetest.List(t, os.DirFS(at)); !slices.Equal(again, x.Files) {
				t.Errorf("%s: what was unpacked is listed as %v", format, again)
			}
		}
	}
}

// What WriteTarGz writes, Extract reads.
func TestWhatIsWrittenIsRead(t *testing.T) {
	for seed := range uint64(6) {
		tree := randomTree(rand.New(rand.NewPCG(seed, 88)))
		var files []archive.File
		for name, body := range tree {
			files = append(files, archive.File{Path: name, Size: int64(len(body)), SHA256: archive.SHA256([]byte(body))})
		}
		var b bytes.Buffer
		err := archive.WriteTarGz(&b, "tides", []byte("{}"), files, func(name string) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader([]byte(tree[name]))), nil
		})
		oktest.Check(t, err)
		want := map[string]string{"tides/pack.json": "{}"}
		for name, body := range tree {
			want["tides/"+name] = body
		}
		taken(t, b.Bytes(), "tar.gz", want)
	}
}
