package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// gzipped is a tar.gz of entries, each with a body of x or, from a reader, zeros.
func gzipped(t *testing.T, entries ...tar.Header) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	for _, h := range entries {
		oktest.Check(t, w.WriteHeader(&h))
		if _, err := io.CopyN(w, zeros{}, h.Size); err != nil {
			t.Fatal(err)
		}
	}
	oktest.Check(t, w.Close())
	oktest.Check(t, z.Close())
	return packed.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// A hostile archive is refused by its rule on every way it can come, before
// anything of it is anywhere.
func TestHostileArchivesAreRefusedByTheWholeCommand(t *testing.T) {
	t.Parallel()
	file := func(name string) tar.Header { return tar.Header{Name: name, Size: 1, Mode: 0o644} }
	good := gzipped(t, file("p/a.md"))
	for _, tt := range []struct {
		name, rule string
		data       []byte
	}{
		{"traversal", "archive-path", gzipped(t, file("../../evil"))},
		{"absolute", "archive-path", gzipped(t, file("/tmp/packgen-evil"))},
		{"backslash", "archive-path", gzipped(t, file(`..\evil`))},
		{"drive", "archive-path", gzipped(t, file("C:/evil"))},
		{"reserved", "archive-path", gzipped(t, file("p/aux.md"))},
		{"symlink", "archive-link", gzipped(t, tar.Header{Name: "p", Typeflag: tar.TypeSymlink, Linkname: "/tmp"}, file("p/evil"))},
		{"hard link", "archive-link", gzipped(t, tar.Header{Name: "p/l", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"})},
		{"pipe", "archive-special", gzipped(t, tar.Header{Name: "p/f", Typeflag: tar.TypeFifo})},
		{"case", "archive-clash", gzipped(t, file("p/A.md"), file("p/a.md"))},
		{"file and folder", "archive-clash", gzipped(t, file("p/a"), file("p/a/b"))},
		{"twice", "archive-clash", gzipped(t, file("p/a"), file("p/a"))},
		{"zeros", "archive-too-large", gzipped(t, tar.Header{Name: "p/z", Size: 64<<20 + 1})},
		{"cut", "archive-truncated", good[:len(good)-9]},
		{"more behind", "archive-trailing", append(bytes.Clone(good), "garbage"...)},
		{"none", "archive-unknown", []byte("This is not an archive.")},
		{"no pack", "archive-manifest", good},
	} {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			p := &places{t: t, dir: t.TempDir(), env: cacheOf(t), gh: fetchtest.NewGitHub(t), gl: fetchtest.NewGitLab(t)}
			for _, name := range []string{"GITHUB_API_URL", "GITHUB_TOKEN"} {
				p.env[name] = p.gh.Getenv(name)
			}
			oktest.Check(t, os.WriteFile(filepath.Join(p.dir, "evil.tar.gz"), tt.data, 0o666))
			p.gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: tt.data})
			oktest.Check(t, os.Mkdir(p.env[remote.CacheVariable], 0o777))
			for _, args := range [][]string{
				{"pull", "evil.tar.gz", "--out", "out"}, {"resolve", "--allow-untrusted", "--from", "evil.tar.gz", "x"}, {"match", "--from", "gha://o/r/packs", "x"},
			} {
				before := p.state()
				if out := p.run(exitFindings, args...); !strings.Contains(out, "["+tt.rule+"]") || !strings.Contains(out, "\n    ") {
					t.Errorf("%s prints\n%s\nwant [%s] and what to do", args[0], out, tt.rule)
				}
				if after := p.state(); after != before {
					t.Errorf("%s left something:\n%s\nbefore\n%s", args[0], after, before)
				}
			}
		})
	}
}
