package sigstore

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/archive/archivetest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/registry"
	"github.com/packgen/packgen/resolver/remote/signature"
)

// sample is a published pack.
type sample struct {
	name     string
	manifest []byte
	tree     string
	targz    []byte
}

// publish makes a published pack whose one document has a text.
func publish(t testing.TB, name, text string) *sample {
	t.Helper()
	files := fstest.MapFS{
		"KNOWLEDGE.md":    {Data: []byte("---\nname: " + name + "\ndescription: About it.\ntype: domain-reference\nprofile: document-first\nstatus: ready\ntrust: official\nversion: 1.2.0\n---\n\n# It\n")},
		"documents/it.md": {Data: []byte("# It\n\n" + text + "\n")},
	}
	list := archivetest.List(t, files)
	p, _, err := pack.OpenFS(files, "")
	oktest.Check(t, err)
	m, err := archive.NewManifest(p, nil, list)
	oktest.Check(t, err)
	s := &sample{name: name, tree: m.Tree}
	s.manifest, err = schema.Encode(m)
	oktest.Check(t, err)
	var out bytes.Buffer
	oktest.Check(t, archive.WriteTarGz(&out, name, s.manifest, list, func(path string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files[path].Data)), nil
	}))
	s.targz = out.Bytes()
	return s
}

// signedFile writes an archive and its signature beside it; nil for none.
func signedFile(t testing.TB, s *sample, bundle []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), s.name+".tar.gz")
	oktest.Check(t, os.WriteFile(name, s.targz, 0o666))
	if bundle != nil {
		oktest.Check(t, os.WriteFile(name+signature.Ending, bundle, 0o666))
	}
	return name
}

// pushedPack is a sample as it is pushed.
func pushedPack(t testing.TB, s *sample) registry.Pack {
	t.Helper()
	return registry.Pack{
		Name: s.name, Version: "1.2.0", License: "MIT", Source: "https://example.org/repository", Tree: s.tree, Manifest: s.manifest,
		Archive: signedFile(t, s, nil), SHA256: archive.SHA256(s.targz), Bytes: int64(len(s.targz)),
	}
}

// options are those of a test with a cache of its own.
func options(t testing.TB) remote.Options {
	t.Helper()
	o := remote.Options{Dir: t.TempDir(), Fetch: fetch.Options{Retries: -1, Getenv: func(string) string { return "" }}}
	return emptyCache(t, o)
}

func emptyCache(t testing.TB, o remote.Options) remote.Options {
	t.Helper()
	o.Cache = remote.NewCache(filepath.Join(t.TempDir(), "cache"))
	return o
}

func mustRef(t testing.TB, text string) remote.Ref {
	t.Helper()
	ref, err := remote.ParseRef(text)
	oktest.Check(t, err)
	return ref
}

// mustOpen opens a reference until the test ends.
func mustOpen(t testing.TB, text string, o remote.Options) *remote.Artifact {
	t.Helper()
	a, err := remote.Open(context.Background(), mustRef(t, text), o)
	oktest.Check(t, err)
	t.Cleanup(a.Close)
	return a
}

// zipped is a zip of files.
func zipped(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, data := range files {
		w, err := z.Create(name)
		oktest.Check(t, err)
		_, err = w.Write(data)
		oktest.Check(t, err)
	}
	oktest.Check(t, z.Close())
	return out.Bytes()
}

// serve serves files.
func serve(t testing.TB, files map[string][]byte) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := files[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(data)
	}))
	t.Cleanup(s.Close)
	return s
}
