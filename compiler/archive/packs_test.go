package archive_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

// shipped is a pack as it is published.
type shipped struct {
	name   string
	files  map[string]string
	record []byte
	tree   string
}

func ship(t testing.TB, name string, files map[string]string) *shipped {
	t.Helper()
	p := &shipped{name: name, files: files}
	list := p.list()
	p.tree = archive.TreeHash(list)
	m := schema.PackManifest{SchemaVersion: 1, Name: name, Profile: "hybrid", Status: "ready", Tree: p.tree, Views: []schema.PublishedView{}}
	for _, f := range list {
		m.Files = append(m.Files, schema.PublishedFile(f))
	}
	var err error
	if p.record, err = schema.Encode(&m); err != nil {
		t.Fatal(err)
	}
	return p
}

// list returns the files in path order, without pack.json.
func (p *shipped) list() []archive.File {
	var list []archive.File
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		list = append(list, archive.File{Path: name, Size: int64(len(p.files[name])), SHA256: archive.SHA256([]byte(p.files[name]))})
	}
	return list
}

// memory is a tree of files.
func memory(files map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, body := range files {
		m[name] = &fstest.MapFile{Data: []byte(body)}
	}
	return m
}

// below is the pack's files and its record in a folder.
func (p *shipped) below(folder string) []item {
	list := []item{{name: folder + "pack.json", body: string(p.record)}}
	for _, f := range p.list() {
		list = append(list, item{name: folder + f.Path, body: p.files[f.Path]})
	}
	return list
}

func (p *shipped) archive(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	err := archive.WriteTarGz(&b, p.name, p.record, p.list(), func(name string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(p.files[name])), nil
	})
	oktest.Check(t, err)
	return b.String()
}

// site is a published site with those packs, the pages of which are not part of them.
func site(t testing.TB, top string, packs ...*shipped) []item {
	t.Helper()
	list := []item{{name: top + "catalog.json", body: "{}"}, {name: top + "index.html", body: "<!doctype html>"}, {name: top + "manifest.json", body: "{}"}}
	for _, p := range packs {
		folder := top + "packs/" + p.name + "/"
		list = append(list, item{name: folder + "pack.json", body: string(p.record)}, item{name: folder + "pack.tar.gz", body: p.archive(t)},
			item{name: folder + "index.html", body: "<!doctype html>"}, item{name: folder + "documents/pack.json", body: "no record"})
	}
	return list
}

// packsIn unpacks data and finds its packs.
func packsIn(t testing.TB, data []byte) ([]archive.Found, string, error) {
	t.Helper()
	x, dir, err := extract(t, data, archive.Limits{})
	oktest.Check(t, err)
	found, err := archive.Packs(os.DirFS(dir), x.Files)
	return found, dir, err
}

func summary(found []archive.Found) []string {
	var list []string
	for _, f := range found {
		list = append(list, strings.Join([]string{f.Dir, f.Name, f.Archive}, " "))
	}
	return list
}

func TestPacksAreFoundInEveryContainer(t *testing.T) {
	tides := ship(t, "tides", map[string]string{"KNOWLEDGE.md": "t", "documents/a.md": "a", "assets/x/pack.json": "{}", "assets/catalog.json": "{}"})
	winds := ship(t, "winds", map[string]string{"KNOWLEDGE.md": "w", "wiki/b.md": "b"})
	both := append(tides.below("tides/"), winds.below("winds/")...)
	pages := tarOf(t, site(t, "./", tides, winds)...)
	for what, c := range map[string]struct {
		data []byte
		want []string
	}{
		"a pack at the root":                    {zipOf(t, tides.below("")...), []string{". tides "}},
		"a pack in a folder":                    {zipOf(t, tides.below("any/")...), []string{"any tides "}},
		"a pack far down":                       {zipOf(t, tides.below("a/b/c/")...), []string{"a/b/c tides "}},
		"the published archive":                 {[]byte(tides.archive(t)), []string{"tides tides "}},
		"the published archive in a zip":        {zipOf(t, item{name: "x/pack.tar.gz", body: tides.archive(t)}), []string{"tides tides "}},
		"archives of several packs":             {zipOf(t, item{name: "w.tar.gz", body: winds.archive(t)}, item{name: "t.tar.gz", body: tides.archive(t)}), []string{"t/tides tides ", "w/winds winds "}},
		"several packs":                         {tarOf(t, both...), []string{"tides tides ", "winds winds "}},
		"several packs and other files":         {tarOf(t, append(both, item{name: "README.md", body: "x"}, item{name: "x/y", body: "z"})...), []string{"tides tides ", "winds winds "}},
		"packs/ of a site":                      {zipOf(t, site(t, "", tides, winds)[3:]...), []string{"packs/tides tides packs/tides/pack.tar.gz", "packs/winds winds packs/winds/pack.tar.gz"}},
		"a site":                                {zipOf(t, site(t, "", tides, winds)...), []string{"packs/tides tides packs/tides/pack.tar.gz", "packs/winds winds packs/winds/pack.tar.gz"}},
		"a site in a folder":                    {zipOf(t, site(t, "public/", tides)...), []string{"public/packs/tides tides public/packs/tides/pack.tar.gz"}},
		"a site in the tar of a Pages artifact": {zipOf(t, item{name: "artifact.tar", body: string(pages)}), []string{"packs/tides tides packs/tides/pack.tar.gz", "packs/winds winds packs/winds/pack.tar.gz"}},
		"a site with another pack.json in it":   {zipOf(t, append(site(t, "", tides), item{name: "docs/pack.json", body: "no record"})...), []string{"packs/tides tides packs/tides/pack.tar.gz"}},
		"a site and its packs beside it":        {zipOf(t, append(site(t, "public/", tides), tides.below("dist/tides/")...)...), []string{"dist/tides tides "}},
	} {
		t.Run(what, func(t *testing.T) {
			found, dir, err := packsIn(t, c.data)
			oktest.Check(t, err)
			if diff := cmp.Diff(c.want, summary(found)); diff != "" {
				t.Fatal(diff)
			}
			for _, f := range found {
				want := map[string]*shipped{"tides": tides, "winds": winds}[f.Name]
				checkPack(t, f, want)
				if f.Archive == "" {
					continue
				}
				x := oktest.Value(archive.Extract(t.Context(), filepath.Join(dir, f.Archive), dir+"-"+f.Name, archive.Options{}))(t)
				inner, err := archive.Packs(os.DirFS(dir+"-"+f.Name), x.Files)
				if err != nil || len(inner) != 1 || inner[0].Archive != "" {
					t.Fatalf("%v %v", inner, err)
				}
				checkPack(t, inner[0], want)
			}
		})
	}
}

func checkPack(t *testing.T, f archive.Found, want *shipped) {
	t.Helper()
	if f.Tree != want.tree || f.ManifestSHA256 != archive.SHA256(want.record) || f.Manifest.Name != want.name {
		t.Errorf("%s has tree %s, record %s", f.Name, f.Tree, f.ManifestSHA256)
	}
	files := want.list()
	if f.Archive != "" {
		files = nil
	}
	if diff := cmp.Diff(files, f.Files); diff != "" {
		t.Error(diff)
	}
}

func TestPacksThatDifferFromTheirRecordAreRefused(t *testing.T) {
	files := map[string]string{"KNOWLEDGE.md": "k", "documents/a.md": "a", "documents/b.md": "b"}
	good := ship(t, "tides", files)
	with := func(change func(files map[string]string)) []byte {
		p := *good
		p.files = map[string]string{}
		for name, body := range files {
			p.files[name] = body
		}
		change(p.files)
		return zipOf(t, p.below("tides/")...)
	}
	record := func(old, new string) []byte {
		p := *good
		p.record = bytes.Replace(good.record, []byte(old), []byte(new), 1)
		if bytes.Equal(p.record, good.record) {
			t.Fatalf("%s is not in the record", old)
		}
		return zipOf(t, p.below("tides/")...)
	}
	other := ship(t, "tides", map[string]string{"KNOWLEDGE.md": "other"})
	for what, c := range map[string]struct {
		data []byte
		says string
	}{
		"missing":                      {with(func(m map[string]string) { delete(m, "documents/a.md") }), "documents/a.md is missing"},
		"last missing":                 {with(func(m map[string]string) { delete(m, "documents/b.md") }), "documents/b.md is missing"},
		"extra":                        {with(func(m map[string]string) { m["documents/aa.md"] = "x" }), "documents/aa.md is not in the record"},
		"last extra":                   {with(func(m map[string]string) { m["z\u202e"] = "x" }), `z\u202e is not in the record`},
		"changed":                      {with(func(m map[string]string) { m["documents/a.md"] = "A" }), "documents/a.md was changed"},
		"longer":                       {with(func(m map[string]string) { m["documents/a.md"] = "aa" }), "documents/a.md was changed"},
		"renamed":                      {with(func(m map[string]string) { delete(m, "KNOWLEDGE.md"); m["knowledge.md"] = "k" }), "KNOWLEDGE.md is missing, knowledge.md is not in the record"},
		"all":                          {with(func(m map[string]string) { clear(m); m["1"], m["2"] = "x", "x" }), "1 is not in the record, 2 is not in the record, KNOWLEDGE.md is missing, and 2 more"},
		"another tree":                 {record(good.tree, "h1:"+strings.Repeat("A", 43)+"="), "its own list of files makes it " + good.tree},
		"another size":                 {record(`"size": 1`, `"size": 2`), "KNOWLEDGE.md was changed"},
		"broken record":                {record(`"name"`, `"nome"`), "the record cannot be read"},
		"no record":                    {zipOf(t, good.below("")[1:]...), "a pack that was not published"},
		"no pack":                      {zipOf(t, item{name: "index.html", body: "x"}), "there is no pack"},
		"two under one name":           {zipOf(t, append(good.below("a/"), other.below("b/")...)...), `a/pack.json is another pack with the same name, "tides"`},
		"two under one name in a site": {zipOf(t, append(site(t, "public/", good), other.below("b/")...)...), "another pack with the same name"},
	} {
		t.Run(what, func(t *testing.T) {
			found, _, err := packsIn(t, c.data)
			var r *archive.Refusal
			if !errors.As(err, &r) || r.Rule != archive.RuleManifest || !strings.Contains(r.Error(), c.says) {
				t.Errorf("%v, want %q; found %v", err, c.says, found)
			}
		})
	}
}

func TestARecordThatChangesWhileItIsReadIsRefused(t *testing.T) {
	p := ship(t, "tides", map[string]string{"KNOWLEDGE.md": "k"})
	files := append(p.list(), archive.File{Path: "pack.json", Size: 2, SHA256: archive.SHA256([]byte("{}"))})
	_, err := archive.Packs(memory(map[string]string{"KNOWLEDGE.md": "k", "pack.json": string(p.record)}), files)
	var r *archive.Refusal
	if !errors.As(err, &r) || r.Rule != archive.RuleManifest {
		t.Error(err)
	}
}
