package remote

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/archive/archivetest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/fetch"
)

// sample is a published pack.
type sample struct {
	name     string
	files    fstest.MapFS // without pack.json
	manifest []byte
	tree     string
	targz    []byte
}

// publish makes a published pack whose one document has a text.
func publish(t testing.TB, name, text string) *sample {
	t.Helper()
	head := "---\nname: " + name + "\ndescription: About it.\ntype: domain-reference\nprofile: document-first\nstatus: ready\ntrust: official\nversion: 1.2.0\n---\n\n# It\n"
	s := &sample{name: name, files: fstest.MapFS{
		"KNOWLEDGE.md":       {Data: []byte(head)},
		"documents/it.md":    {Data: []byte("# It\n\n" + text + "\n")},
		"documents/a/b/c.md": {Data: []byte("# C\n")},
		"documents/empty.md": {},
	}}
	list := archivetest.List(t, s.files)
	p, _, err := pack.OpenFS(s.files, "")
	if err != nil || p == nil {
		t.Fatalf("open: %v", err)
	}
	m := oktest.Value(archive.NewManifest(p, nil, list))(t)
	s.tree = m.Tree
	if s.manifest, err = schema.Encode(m); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = archive.WriteTarGz(&out, name, s.manifest, list, func(path string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(s.files[path].Data)), nil
	})
	oktest.Check(t, err)
	s.targz = out.Bytes()
	return s
}

// all are the files with pack.json.
func (s *sample) all() map[string][]byte {
	list := map[string][]byte{schema.PackManifestName: s.manifest}
	for name, f := range s.files {
		list[name] = f.Data
	}
	return list
}

// unpack writes the files with pack.json into a directory.
func (s *sample) unpack(t testing.TB, dir string) string {
	t.Helper()
	for name, data := range s.all() {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), data)
	}
	return dir
}

// zipped is a zip of files below a folder.
func zipped(t testing.TB, files map[string][]byte, folder string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, data := range files {
		w, err := z.Create(folder + name)
		if err == nil {
			_, err = w.Write(data)
		}
		oktest.Check(t, err)
	}
	oktest.Check(t, z.Close())
	return out.Bytes()
}

// tarred is a tar of files.
func tarred(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for name, data := range files {
		err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o600})
		if err == nil {
			_, err = w.Write(data)
		}
		oktest.Check(t, err)
	}
	oktest.Check(t, w.Close())
	return out.Bytes()
}

func write(t testing.TB, name string, data []byte) {
	t.Helper()
	oktest.Check(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, data, 0o666)))
}

// server serves archives, and counts what is asked for.
type server struct {
	*httptest.Server
	files map[string][]byte
	asked atomic.Int64
}

func serve(t testing.TB, files map[string][]byte) *server {
	s := &server{files: files}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		data, ok := s.files[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(data)
	}))
	t.Cleanup(s.Close)
	return s
}

// options are those of a test with a cache of its own.
func options(t testing.TB) Options {
	t.Helper()
	return Options{
		Dir: t.TempDir(), Cache: NewCache(filepath.Join(t.TempDir(), "cache")),
		Fetch: fetch.Options{Retries: -1, Getenv: func(string) string { return "" }},
	}
}

func mustRef(t testing.TB, text string) Ref {
	t.Helper()
	return oktest.Value(ParseRef(text))(t)
}

// mustOpen opens a reference until the test ends.
func mustOpen(t testing.TB, text string, o Options) *Artifact {
	t.Helper()
	a, err := Open(context.Background(), mustRef(t, text), o)
	if err != nil {
		t.Fatalf("open %s: %v", text, err)
	}
	t.Cleanup(a.Close)
	return a
}

// text reads the document of a sample.
func textOf(t testing.TB, a *Artifact) string {
	t.Helper()
	return string(oktest.Value(fs.ReadFile(a.FS, "documents/it.md"))(t))
}

// listTree lists the files below a directory.
func listTree(t testing.TB, dir string) []string {
	t.Helper()
	list := []string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			rel, _ := filepath.Rel(dir, name)
			list = append(list, filepath.ToSlash(rel))
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	oktest.Check(t, err)
	return list
}
