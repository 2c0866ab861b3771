package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/store"
)

// catalogOf is a build of a site of some packs, each with what a site says as a whole of
// one real pack of some pages: no page of the others is made.
func catalogOf(t testing.TB, sink Sink, packs, pages int) *build {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range packtest.Files(packtest.Options{Pages: pages}) {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	p, _, err := pack.OpenFS(fsys, "")
	oktest.Check(t, err)
	s := New(Options{BaseURL: "https://knowledge.example/", PlainCode: true})
	out := t.TempDir()
	r, err := compiler.Compile(context.Background(), p, compiler.Options{
		Now: time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC), Contribute: []compiler.Contributor{s.Contributor()}, Store: &store.Memory{},
		OutDir: filepath.Join(out, "p"), StateDir: filepath.Join(out, "state"),
	})
	oktest.Check(t, err)
	one, err := s.begin(Input{}, &sizes{})
	oktest.Check(t, err)
	ps, err := one.open(r)
	oktest.Check(t, err)
	oktest.Check(t, one.makePages(context.Background(), ps))
	one.addPack(ps)
	one.addLarge(ps.keepFull)
	oktest.Check(t, one.run(context.Background()))
	b, err := s.begin(Input{}, sink)
	oktest.Check(t, err)
	for i := range packs {
		name := fmt.Sprintf("pack-%05d", i)
		f := &packFacts{pack: ps.pack, name: name, dir: "packs/" + name + "/", card: ps.card, status: ps.status, first: ps.first, lists: ps.lists, full: ps.full, search: ps.search}
		f.card.Name, f.card.URL = name, f.dir+"index.html"
		for _, page := range ps.pages {
			f.pages = append(f.pages, f.dir+strings.TrimPrefix(page, ps.dir))
		}
		b.packs = append(b.packs, f)
	}
	return b
}

// sizes is a sink that keeps how large the largest file of each kind is.
type sizes struct {
	mu      sync.Mutex
	largest map[string]int64
	count   map[string]int
	keep    func(path string, data []byte)

	examples map[string][]byte // the largest file of each kind, unless nil
}

func (s *sizes) Put(name string, data []byte) (publish.Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.note(name, int64(len(data))) && s.examples != nil {
		s.examples[kindOf(name)] = bytes.Clone(data)
	}
	if s.keep != nil {
		s.keep(name, data)
	}
	return publish.Created, nil
}

// note counts a file, and reports whether it is the largest of its kind so far.
func (s *sizes) note(name string, size int64) bool {
	if s.largest == nil {
		s.largest, s.count = map[string]int64{}, map[string]int{}
	}
	kind := kindOf(name)
	last, known := s.largest[kind]
	s.largest[kind] = max(last, size)
	s.count[kind]++
	return !known || size > last
}

// kindOf names what a file of a site is: a pack has no part in the name, and what is named
// after its content or numbered is of one kind.
func kindOf(name string) string {
	parts := strings.Split(name, "/")
	if len(parts) > 2 && parts[0] == "packs" {
		if len(parts) == 3 {
			return "pack/" + unnumbered(parts[2])
		}
		return "pack/" + parts[2] + "/*" + path.Ext(name)
	}
	if len(parts) > 1 {
		if parts[1] == "index.json" || parts[1] == "root.json" {
			return name
		}
		return parts[0] + "/*" + path.Ext(name)
	}
	return unnumbered(name)
}

// unnumbered is a name without the number of a part.
func unnumbered(name string) string {
	stem, ext := strings.TrimSuffix(name, path.Ext(name)), path.Ext(name)
	if at := strings.LastIndexByte(stem, '-'); at > 0 && strings.Trim(stem[at+1:], "0123456789") == "" {
		stem = stem[:at] + "-N"
	}
	return stem + ext
}

// A sitemap holds at most 50,000 addresses, and the index of sitemaps names all parts.
func TestEveryPageOfALargeSiteIsInOneOfItsSitemaps(t *testing.T) {
	got := map[string][]byte{}
	b := &build{Site: New(Options{BaseURL: "https://knowledge.example/"}), sink: &sizes{keep: func(name string, data []byte) { got[name] = bytes.Clone(data) }}}
	const pages = 2*maxSitemap + 10
	f := &packFacts{name: "p", dir: "packs/p/"}
	for i := range pages {
		f.pages = append(f.pages, fmt.Sprintf("packs/p/wiki/%d.html", i))
	}
	b.packs = []*packFacts{f}
	oktest.Check(t, b.putSitemap())
	var index struct {
		Sitemaps []struct {
			Loc string `xml:"loc"`
		} `xml:"sitemap"`
	}
	if err := xml.Unmarshal(got["sitemap.xml"], &index); err != nil || len(index.Sitemaps) != 3 || len(got) != 4 {
		t.Fatalf("%d parts in %d files, %v", len(index.Sitemaps), len(got), err)
	}
	listed := map[string]bool{}
	for _, part := range index.Sitemaps {
		var list struct {
			URLs []struct {
				Loc string `xml:"loc"`
			} `xml:"url"`
		}
		text := got[strings.TrimPrefix(part.Loc, "https://knowledge.example/")]
		if err := xml.Unmarshal(text, &list); err != nil || len(list.URLs) > maxSitemap || len(text) > 50<<20 {
			t.Fatalf("%s: %d addresses, %d bytes, %v", part.Loc, len(list.URLs), len(text), err)
		}
		for _, u := range list.URLs {
			listed[u.Loc] = true
		}
	}
	if len(listed) != pages+3 || !listed["https://knowledge.example/packs/p/wiki/99999.html"] {
		t.Errorf("%d addresses are listed", len(listed))
	}
}

func TestASitemapEndsAtItsBytesToo(t *testing.T) {
	sink := &sizes{}
	b := &build{Site: New(Options{BaseURL: "https://knowledge.example/"}), sink: sink}
	f := &packFacts{}
	for i := range 20_000 {
		f.pages = append(f.pages, fmt.Sprint(i, strings.Repeat("%", 1000), ".html"))
	}
	b.packs = []*packFacts{f}
	oktest.Check(t, b.putSitemap())
	if sink.largest["sitemap-N.xml"] > 50<<20 || sink.count["sitemap-N.xml"] != 2 {
		t.Errorf("%d parts, the largest of %d bytes", sink.count["sitemap-N.xml"], sink.largest["sitemap-N.xml"])
	}
}

// The text of all packs ends at a size: packs are in it as a whole or listed.
func TestTheFullTextOfALargeSiteListsWhatItHasNoRoomFor(t *testing.T) {
	kept := &store.Memory{}
	b := &build{Site: New(Options{BaseURL: "https://knowledge.example/", Store: kept})}
	piece := func(name string, size int) []store.Digest {
		return []store.Digest{kept.SetBlob([]byte("<knowledge_pack name=\"" + name + "\">" + strings.Repeat("x", size) + "</knowledge_pack>\n"))}
	}
	for i, size := range []int{maxFull / 2, maxFull, 10, maxFull/2 - 1000} {
		name := string(rune('a' + i))
		b.packs = append(b.packs, &packFacts{name: name, dir: "packs/" + name + "/", full: piece(name, size)})
	}
	var out bytes.Buffer
	oktest.Check(t, b.llmsFull(&out))
	text := out.String()
	for _, name := range []string{"a", "b", "c", "d"} {
		listed := strings.Contains(text, "- ["+name+"](https://knowledge.example/packs/"+name+"/llms.txt)")
		if inside := strings.Contains(text, `<knowledge_pack name="`+name+`">`); inside == listed || listed != (name == "b") {
			t.Errorf("%s: in the text %t, listed %t", name, inside, listed)
		}
	}
	if len(text) > maxFull+10_000 || strings.Count(text, "<knowledge_pack") != strings.Count(text, "</knowledge_pack>") {
		t.Errorf("%d bytes, %d fences, %d closed", len(text), strings.Count(text, "<knowledge_pack"), strings.Count(text, "</knowledge_pack>"))
	}
}

// mostOfAPack is how many bytes each pack adds at most to a file that lists all packs, and
// mostOfAPage what a page that shows packs has at most.
const (
	mostOfAPack = 500
	mostOfAPage = 160 << 10
)

// What a reader's browser loads does not grow with the packs, and what programs read has some
// hundred bytes of each.
func TestPagesOfALargeSiteDoNotGrowWithItsPacks(t *testing.T) {
	if testing.Short() {
		t.Skip("many packs")
	}
	const packs = 1000
	got := map[string][]byte{}
	s := &sizes{keep: func(name string, data []byte) { got[name] = bytes.Clone(data) }}
	b := catalogOf(t, s, packs, 30)
	b.addRoot()
	oktest.Check(t, b.run(context.Background()))
	for name, most := range map[string]int{
		"index.html": mostOfAPage, "index-2.html": mostOfAPage, "index-5.html": mostOfAPage, "search.html": mostOfAPage, "match.html": mostOfAPage,
		"llms.txt": namesOfParts + 8<<10, "llms-1.txt": packsInList * mostOfAPack, "llms-10.txt": packsInList * mostOfAPack, "catalog.json": packs * mostOfAPack,
	} {
		if n := len(got[name]); n == 0 || n > most {
			t.Errorf("%s has %d bytes, at most %d are allowed", name, n, most)
		}
	}
	listed := map[string]bool{}
	for name, text := range got {
		if stem, _, _ := strings.Cut(name, "."); name == "index.html" || strings.HasPrefix(stem, "index-") {
			for i := range packs {
				if pack := fmt.Sprintf("packs/pack-%05d/index.html", i); bytes.Contains(text, []byte(`href="`+pack+`"`)) {
					listed[pack] = true
				}
			}
		}
	}
	if len(listed) != packs || got["index-6.html"] != nil || !bytes.Contains(got["index-5.html"], []byte("Page 5 of 5")) {
		t.Errorf("%d packs are listed", len(listed))
	}
	if !bytes.Contains(got["search.html"], []byte(`href="index-2.html"`)) {
		t.Error("the results page leads to no list of the other packs")
	}
}

// mostOfAKind is how many bytes a request for a file of a large site may bring, packed as
// servers pack it; none is 0, of what programs read and a file of all of a pack or site is.
// What is not named has the limit of a page.
var mostOfAKind = map[string]int64{
	"sitemap-N.xml":     50 << 20, // what the protocol allows
	"llms-full.txt":     maxFull,
	"catalog.json":      1000 * mostOfAPack,
	"search/index.json": 160 << 10,
	"search/*.bin":      0, // what is left of a word that most sections hold, read when it is asked for
	"match/*.bin":       1 << 20,
	"assets/*.gz":       640 << 10, // the matcher, once
	"manifest.json":     0, "index.json": 0, "index.bin": 0,
	"pack/pack.json": 0, "pack/pack.tar.gz": 0,
	"pack/compiled/*.json": 0, "pack/indexes/*.json": 0, "pack/runs/*.json": 0,
}

// BenchmarkServing reports the largest file of each kind of a site of 1,000,000 pages in
// 1,000 packs, whose files about the site as a whole are made, and of a real site, whose
// folder PACKGEN_BENCH_SITE names, as it is and packed. It fails where one is beyond what
// a request may bring.
func BenchmarkServing(b *testing.B) {
	b.Run("catalog", func(b *testing.B) {
		s := &sizes{examples: map[string][]byte{}}
		made := catalogOf(b, s, 1000, 1000)
		for b.Loop() {
			made.addRoot()
			oktest.Check(b, made.run(context.Background()))
			made.addSearch()
			oktest.Check(b, made.run(context.Background()))
		}
		s.report(b, func(kind string) ([]byte, error) { return s.examples[kind], nil })
	})
	b.Run("site", func(b *testing.B) {
		dir := os.Getenv("PACKGEN_BENCH_SITE")
		if dir == "" {
			b.Skip("PACKGEN_BENCH_SITE names no folder")
		}
		s, names := &sizes{}, map[string]string{}
		for b.Loop() {
			err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				info, err := d.Info()
				if err == nil && s.note(name, info.Size()) {
					names[kindOf(name)] = name
				}
				return err
			})
			oktest.Check(b, err)
		}
		s.report(b, func(kind string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, names[kind])) })
	})
}

// report reports the largest file of each kind, and fails where it is too large.
func (s *sizes) report(b *testing.B, read func(kind string) ([]byte, error)) {
	b.Helper()
	for kind, size := range s.largest {
		text, err := read(kind)
		oktest.Check(b, err)
		packed := int64(packedSize(b, text))
		b.ReportMetric(float64(size), kind+"-bytes")
		b.ReportMetric(float64(packed), kind+"-packed")
		most, named := mostOfAKind[kind]
		if !named {
			most = mostOfAPage
		}
		if packed > most && most > 0 {
			b.Errorf("%s has %d bytes, %d packed: at most %d are allowed", kind, size, packed, most)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// packedSize is the size of a text packed with gzip.
func packedSize(tb testing.TB, text []byte) int {
	tb.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(text); err != nil {
		tb.Fatal(err)
	}
	oktest.Check(tb, w.Close())
	return packed.Len()
}
