package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

// publishedSite is a small site with the pack harbor on it.
func publishedSite(t testing.TB) fstest.MapFS {
	t.Helper()
	p := publish(t, harbor(), PublishOptions{})
	site := fstest.MapFS{
		"index.html": {Data: []byte("<h1>Packs")}, ".nojekyll": {},
		"packs/harbor/index.html": {Data: []byte("<h1>Harbor")},
		"packs/harbor/pack.json":  {Data: p.json}, "packs/harbor/pack.tar.gz": {Data: p.archive(t)},
	}
	for _, f := range p.files {
		if strings.HasPrefix(f.Path, "wiki/") || f.Path == "KNOWLEDGE.md" {
			site["packs/harbor/"+f.Path] = &fstest.MapFile{Data: read(t, p.open, f.Path)}
		}
	}
	return manifested(t, site)
}

// manifested adds the manifest of a site's files.
func manifested(t testing.TB, site fstest.MapFS) fstest.MapFS {
	t.Helper()
	delete(site, "manifest.json")
	m := schema.SiteManifest{SchemaVersion: 1}
	for _, path := range slices.Sorted(maps.Keys(site)) {
		m.Files = append(m.Files, schema.PublishedFile{Path: path, Size: int64(len(site[path].Data)), SHA256: SHA256(site[path].Data)})
	}
	data := oktest.Value(schema.Encode(m))(t)
	site["manifest.json"] = &fstest.MapFile{Data: data}
	return site
}

func read(t testing.TB, open func(string) (io.ReadCloser, error), path string) []byte {
	t.Helper()
	r := oktest.Value(open(path))(t)
	defer r.Close()
	return oktest.Value(io.ReadAll(r))(t)
}

// verified are the findings of a check, as "id path".
func verified(t testing.TB, fsys fs.FS, o VerifyOptions) (*Verified, []string) {
	t.Helper()
	v := oktest.Value(Verify(context.Background(), fsys, o))(t)
	var list []string
	for _, d := range v.Diagnostics {
		if d.Severity != diag.Error {
			t.Errorf("%s is not an error", d.ID)
		}
		list = append(list, d.ID+" "+d.Path)
	}
	return v, list
}

func TestVerifySite(t *testing.T) {
	other := func(change func(m *schema.PackManifest)) []byte {
		m := *publish(t, harbor(), PublishOptions{}).manifest
		m.Files = slices.Clone(m.Files)
		change(&m)
		return oktest.Value(schema.Encode(m))(t)
	}
	for _, tt := range []struct {
		name   string
		change func(site fstest.MapFS)
		anew   bool // the manifest is written after the change
		want   []string
	}{
		{"as it was published", func(fstest.MapFS) {}, false, nil},
		{"what servers and git keep beside it", func(s fstest.MapFS) {
			s["CNAME"], s[".git/config"], s["packs/.DS_Store"] = &fstest.MapFile{}, &fstest.MapFile{}, &fstest.MapFile{}
		}, false, nil},
		{"a file is gone", func(s fstest.MapFS) { delete(s, "index.html") }, false, []string{"published-missing index.html"}},
		{"a file is a folder", func(s fstest.MapFS) {
			delete(s, "index.html")
			s["index.html/.x"] = &fstest.MapFile{}
		}, false, []string{"published-missing index.html"}},
		{"a byte more", func(s fstest.MapFS) { s["index.html"] = &fstest.MapFile{Data: []byte("<h1>Packs.")} }, false, []string{"published-changed index.html"}},
		{"a byte other", func(s fstest.MapFS) { s["index.html"] = &fstest.MapFile{Data: []byte("<h1>packs")} }, false, []string{"published-changed index.html"}},
		{"a page changed", func(s fstest.MapFS) { s["packs/harbor/wiki/tides.md"].Data = []byte("# tides\n") }, false, []string{"published-changed packs/harbor/wiki/tides.md"}},
		{"a file more", func(s fstest.MapFS) { s["packs/harbor/new.md"], s["sub/CNAME"] = &fstest.MapFile{}, &fstest.MapFile{} }, false,
			[]string{"published-extra packs/harbor/new.md", "published-extra sub/CNAME"}},
		{"a manifest that is none", func(s fstest.MapFS) { s["manifest.json"].Data = []byte("{}") }, false, []string{"published-invalid manifest.json"}},
		{"a page that manifest and pack.json see differently", func(s fstest.MapFS) { s["packs/harbor/wiki/tides.md"].Data = []byte("# tides\n") }, true,
			[]string{"published-changed packs/harbor/wiki/tides.md"}},
		{"a pack.json that is none", func(s fstest.MapFS) { s["packs/harbor/pack.json"].Data = []byte("[]") }, true, []string{"published-invalid packs/harbor/pack.json"}},
		{"another tree hash", func(s fstest.MapFS) {
			s["packs/harbor/pack.json"].Data = other(func(m *schema.PackManifest) { m.Tree = TreeHash(nil) })
		}, true, []string{"published-changed packs/harbor/pack.json", "published-changed packs/harbor/pack.tar.gz"}},
		{"an archive without a file", func(s fstest.MapFS) {
			s["packs/harbor/pack.json"].Data = other(func(m *schema.PackManifest) {
				m.Files = append(m.Files, schema.PublishedFile{Path: "wiki/zz", SHA256: SHA256(nil)})
				m.Tree = TreeHash(ManifestFiles(m))
			})
		}, true, []string{"published-changed packs/harbor/pack.tar.gz", "published-missing packs/harbor/pack.tar.gz"}},
		{"an archive with a file more", func(s fstest.MapFS) {
			s["packs/harbor/pack.json"].Data = other(func(m *schema.PackManifest) {
				m.Files = slices.DeleteFunc(m.Files, func(f schema.PublishedFile) bool { return f.Path == "LICENSE" })
				m.Tree = TreeHash(ManifestFiles(m))
			})
		}, true, []string{"published-changed packs/harbor/pack.tar.gz", "published-extra packs/harbor/pack.tar.gz"}},
		{"an archive cut short", func(s fstest.MapFS) {
			f := s["packs/harbor/pack.tar.gz"]
			f.Data = f.Data[:len(f.Data)/2]
		}, true, []string{"published-invalid packs/harbor/pack.tar.gz"}},
		{"no archive at all", func(s fstest.MapFS) { s["packs/harbor/pack.tar.gz"].Data = []byte("hello") }, true, []string{"published-invalid packs/harbor/pack.tar.gz"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := publishedSite(t)
			tt.change(site)
			if tt.anew {
				site = manifested(t, site)
			}
			v, got := verified(t, site, VerifyOptions{})
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if want := strings.Contains(strings.Join(tt.want, " "), publishedChanged); v.Mismatch() != want {
				t.Errorf("mismatch is %v", v.Mismatch())
			}
		})
	}
}

func TestVerifyPack(t *testing.T) {
	unpacked := func() fstest.MapFS {
		p, fsys := publish(t, harbor(), PublishOptions{}), fstest.MapFS{}
		for _, f := range p.files {
			fsys[f.Path] = &fstest.MapFile{Data: read(t, p.open, f.Path)}
		}
		fsys["pack.json"] = &fstest.MapFile{Data: p.json}
		return fsys
	}
	for _, tt := range []struct {
		name   string
		change func(fsys fstest.MapFS)
		want   []string
	}{
		{"unpacked", func(fstest.MapFS) {}, nil},
		{"with its archive", func(f fstest.MapFS) { f["pack.tar.gz"] = publishedSite(t)["packs/harbor/pack.tar.gz"] }, nil},
		{"as it lies on a site", func(f fstest.MapFS) {
			f["pack.tar.gz"] = publishedSite(t)["packs/harbor/pack.tar.gz"]
			f["index.html"] = &fstest.MapFile{}
			delete(f, "evals/discovery.train.json")
		}, nil},
		{"a file gone", func(f fstest.MapFS) { delete(f, "LICENSE") }, []string{"published-missing LICENSE"}},
		{"a file more", func(f fstest.MapFS) { f["x"] = &fstest.MapFile{} }, []string{"published-extra x"}},
		{"hidden files", func(f fstest.MapFS) {
			f[".envrc"], f[".git/config"], f[".git/HEAD"], f["wiki/.claude/settings.json"] = &fstest.MapFile{}, &fstest.MapFile{}, &fstest.MapFile{}, &fstest.MapFile{}
		}, []string{"published-extra .envrc", "published-extra .git", "published-extra wiki/.claude"}},
		{"a hidden file that is listed", func(f fstest.MapFS) { listToo(t, f, ".git/config") }, []string{"published-invalid pack.json"}},
		{"a file outside the layout that is listed", func(f fstest.MapFS) { listToo(t, f, "CLAUDE.md") }, []string{"published-invalid pack.json"}},
		{"a file changed", func(f fstest.MapFS) { f["LICENSE"].Data = []byte("Mit\n") }, []string{"published-changed LICENSE"}},
		{"a file changed beside its archive", func(f fstest.MapFS) {
			f["pack.tar.gz"] = publishedSite(t)["packs/harbor/pack.tar.gz"]
			f["LICENSE"].Data = []byte("Mit\n")
		}, []string{"published-changed LICENSE"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := unpacked()
			tt.change(fsys)
			if _, got := verified(t, fsys, VerifyOptions{}); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// listToo adds a file to an unpacked pack and to its pack.json.
func listToo(t testing.TB, fsys fstest.MapFS, name string) {
	t.Helper()
	m, err := schema.DecodePackManifest(fsys["pack.json"].Data)
	oktest.Check(t, err)
	m.Files = append(m.Files, schema.PublishedFile{Path: name, Size: 1, SHA256: SHA256([]byte("x"))})
	slices.SortFunc(m.Files, func(a, b schema.PublishedFile) int { return strings.Compare(a.Path, b.Path) })
	m.Tree = TreeHash(ManifestFiles(m))
	fsys[name] = &fstest.MapFile{Data: []byte("x")}
	if fsys["pack.json"].Data, err = schema.Encode(m); err != nil {
		t.Fatal(err)
	}
}

func TestBothDigestsAreSaid(t *testing.T) {
	site := publishedSite(t)
	was := SHA256(site["index.html"].Data)
	site["index.html"].Data = []byte("<h1>packs")
	v, _ := verified(t, site, VerifyOptions{})
	for _, sum := range []string{was, SHA256(site["index.html"].Data)} {
		if !strings.Contains(v.Diagnostics[0].Message, sum) {
			t.Errorf("%s is not in %s", sum, v.Diagnostics[0].Message)
		}
	}
}

func TestVerifyNeedsARecord(t *testing.T) {
	if _, err := Verify(context.Background(), harborWithout("pack.json"), VerifyOptions{}); !errors.Is(err, ErrNotPublished) {
		t.Errorf("got %v", err)
	}
}

func harborWithout(path string) fstest.MapFS {
	fsys := harbor()
	delete(fsys, path)
	return fsys
}

// What an archive says of itself is not unpacked without bound.
func TestVerifyStopsAtABomb(t *testing.T) {
	site := publishedSite(t)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range []tar.Header{{Name: "harbor/KNOWLEDGE.md", Size: defaultBytes + 1, Mode: 0o644}} {
		oktest.Check(t, w.WriteHeader(&h))
	}
	z.Close()
	site["packs/harbor/pack.tar.gz"].Data = b.Bytes()
	v, got := verified(t, manifested(t, site), VerifyOptions{})
	if want := []string{"published-invalid packs/harbor/pack.tar.gz"}; !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	if !strings.Contains(v.Diagnostics[0].Message, "more than 1 GiB") {
		t.Error(v.Diagnostics[0].Message)
	}
}

// A server that cannot list its files and hides some is not a fault of the site.
func TestVerifyWithoutListing(t *testing.T) {
	site := publishedSite(t)
	delete(site, ".nojekyll")
	site["not listed"] = &fstest.MapFile{}
	if _, got := verified(t, site, VerifyOptions{NoList: true}); len(got) > 0 {
		t.Errorf("got %q", got)
	}
	if _, got := verified(t, longer{site}, VerifyOptions{NoList: true}); !slices.Equal(got, []string{"published-changed index.html"}) {
		t.Errorf("a file that is longer: %q", got)
	}
}

// longer reads no more of a file than it may.
type longer struct{ fs.FS }

func (l longer) Open(name string) (fs.File, error) {
	if name == "index.html" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrLonger}
	}
	return l.FS.Open(name)
}

func TestVerifyEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Verify(ctx, publishedSite(t), VerifyOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// No archive makes the check fail otherwise than by findings.
func FuzzVerifyArchive(f *testing.F) {
	site := publishedSite(f)
	whole, record := site["packs/harbor/pack.tar.gz"].Data, site["packs/harbor/pack.json"].Data
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(fmt.Sprintf("%x", record[:40])))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := Verify(context.Background(), fstest.MapFS{"pack.json": {Data: record}, "pack.tar.gz": {Data: data}}, VerifyOptions{})
		oktest.Check(t, err)
	})
}

// Markdown that a site shows without comments is what it should be; anything else is not.
func TestMarkdownWithoutCommentsIsAsRecorded(t *testing.T) {
	o := VerifyOptions{Visible: func(path string, file []byte) []byte { return bytes.ToUpper(file) }}
	for _, whole := range []bool{true, false} {
		site := publishedSite(t)
		guide := site["packs/harbor/KNOWLEDGE.md"]
		guide.Data = bytes.ToUpper(guide.Data)
		var fsys fs.FS = manifested(t, site)
		if !whole {
			pack := oktest.Value(fs.Sub(fsys, "packs/harbor"))(t)
			fsys = pack
		}
		if _, got := verified(t, fsys, o); len(got) > 0 {
			t.Errorf("without comments: %v", got)
		}
		guide.Data = append(guide.Data, "MORE"...)
		if whole {
			fsys = manifested(t, site)
		}
		if _, got := verified(t, fsys, o); len(got) != 1 || !strings.Contains(got[0], "KNOWLEDGE.md") {
			t.Errorf("with other text: %v", got)
		}
	}
}
