package site

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
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
func catalogOf(t testing.TB, sink publish.Target, packs, pages int) *build {
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
	one := oktest.Value(s.begin(Input{}, &keeper{Target: publish.Nowhere}))(t)
	w := oktest.Value(one.open(r))(t)
	oktest.Check(t, one.makePages(context.Background(), w))
	one.addPack(w)
	one.addLarge(func() error { return keepFull(w) })
	oktest.Check(t, one.run(context.Background()))
	b := oktest.Value(s.begin(Input{}, sink))(t)
	for i := range packs {
		name := fmt.Sprintf("pack-%05d", i)
		f := new(packFacts)
		*f = *w.facts
		f.name, f.dir, f.said.Pages = name, "packs/"+name+"/", nil
		f.said.Card.Name, f.said.Card.URL = name, f.dir+"index.html"
		for _, page := range w.facts.said.Pages {
			f.said.Pages = append(f.said.Pages, f.dir+strings.TrimPrefix(page, w.ps.Dir))
		}
		b.packs = append(b.packs, f)
	}
	return b
}

// keeper is a sink that hands on what it gets.
type keeper struct {
	publish.Target
	mu   sync.Mutex
	keep func(path string, data []byte)
}

func (k *keeper) PutFrom(f publish.File) (publish.Change, error) {
	var b bytes.Buffer
	if err := f.Content(&b); err != nil {
		return "", err
	}
	return k.Put(f.Path, b.Bytes())
}

func (k *keeper) Put(name string, data []byte) (publish.Change, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keep != nil {
		k.keep(name, data)
	}
	return publish.Created, nil
}

// A sitemap holds at most 50,000 addresses, and the index of sitemaps names all parts.
func TestEveryPageOfALargeSiteIsInOneOfItsSitemaps(t *testing.T) {
	got := map[string][]byte{}
	b := &build{Site: New(Options{BaseURL: "https://knowledge.example/"}), sink: &keeper{Target: publish.Nowhere, keep: func(name string, data []byte) { got[name] = bytes.Clone(data) }}}
	const pages = 2*maxSitemap + 10
	f := &packFacts{name: "p", dir: "packs/p/"}
	for i := range pages {
		f.said.Pages = append(f.said.Pages, fmt.Sprintf("packs/p/wiki/%d.html", i))
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
	largest, count := 0, 0
	sink := &keeper{Target: publish.Nowhere, keep: func(name string, data []byte) {
		if strings.HasPrefix(name, "sitemap-") {
			largest, count = max(largest, len(data)), count+1
		}
	}}
	b := &build{Site: New(Options{BaseURL: "https://knowledge.example/"}), sink: sink}
	f := &packFacts{}
	for i := range 20_000 {
		f.said.Pages = append(f.said.Pages, fmt.Sprint(i, strings.Repeat("%", 1000), ".html"))
	}
	b.packs = []*packFacts{f}
	oktest.Check(t, b.putSitemap())
	if largest > 50<<20 || count != 2 {
		t.Errorf("%d parts, the largest of %d bytes", count, largest)
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
	s := &keeper{Target: publish.Nowhere, keep: func(name string, data []byte) { got[name] = bytes.Clone(data) }}
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
