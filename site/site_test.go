package site

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout"
)

// memory is a sink that keeps what it is given.
type memory struct {
	publish.Target
	mu    sync.Mutex
	files map[string][]byte
}

func (m *memory) Put(path string, data []byte) (publish.Change, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, twice := m.files[path]; twice {
		return "", fmt.Errorf("%s is put twice", path)
	}
	m.files[path] = bytes.Clone(data)
	return publish.Created, nil
}

func (m *memory) PutFrom(f publish.File) (publish.Change, error) {
	var b bytes.Buffer
	if err := f.Content(&b); err != nil {
		return "", err
	}
	return m.Put(f.Path, b.Bytes())
}

// files are the files of one pack, by path.
type files map[string]string

// made is a generated site with what was said about it.
type made struct {
	t     testing.TB
	files map[string][]byte
	out   *Output
}

// make compiles packs, by name, and generates their site.
func generate(t testing.TB, o Options, packs map[string]files) made {
	t.Helper()
	return generateWith(t, o, packs, func(*Input) {})
}

// generateWith is generate with a last change to what the site is made from.
func generateWith(t testing.TB, o Options, packs map[string]files, change func(*Input)) made {
	t.Helper()
	var opened []*pack.Pack
	for _, name := range slices.Sorted(maps.Keys(packs)) {
		fsys := fstest.MapFS{}
		for path, text := range packs[name] {
			fsys[path] = &fstest.MapFile{Data: []byte(text)}
		}
		p, diags, err := pack.OpenFS(fsys, "") // a name would stand for a directory on disk
		if err != nil {
			t.Fatalf("open %s: %v", name, err)
		}
		for _, d := range diags {
			t.Logf("%s: %s %s", name, d.Place(), d.Message)
		}
		opened = append(opened, p)
	}
	s := New(o)
	kept := &store.Memory{}
	in := Input{}
	out := t.TempDir()
	for _, p := range opened {
		r, err := compiler.Compile(context.Background(), p, compiler.Options{
			Now: time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC), Jobs: o.Jobs,
			Contribute: []compiler.Contributor{s.Contributor()}, Store: kept,
			OutDir: filepath.Join(out, p.Meta.Name), StateDir: filepath.Join(out, "state-"+p.Meta.Name),
		})
		if err != nil {
			t.Fatalf("compile %s: %v", p.Meta.Name, err)
		}
		in.Results = append(in.Results, r)
	}
	sink := &memory{Target: publish.Nowhere, files: map[string][]byte{}}
	var err error
	if in.Index, err = s.PutIndex(sink, Evals{}, indexOfTests); err != nil {
		t.Fatal(err)
	}
	change(&in)
	output := oktest.Value(s.Generate(context.Background(), in, sink))(t)
	return made{t, sink.files, output}
}

// indexOfTests is an index of one entry.
func indexOfTests(_ func(int), visit func(e *loadout.Entry) error) (*loadout.Index, error) {
	entries := []loadout.Entry{{ID: "kettle", Priority: loadout.PriorityDomain, TokensEst: 99}}
	ix := &loadout.Index{Version: loadout.Version, Generated: "2026-06-01T08:00:00.000Z", Budget: loadout.ComputeBudget(entries)}
	return ix, visit(&entries[0])
}

// text returns one file of the site.
func (m made) text(path string) string {
	m.t.Helper()
	data, ok := m.files[path]
	if !ok {
		m.t.Fatalf("no file %s; there are %s", path, strings.Join(m.paths(), " "))
	}
	return string(data)
}

func (m made) paths() []string { return slices.Sorted(maps.Keys(m.files)) }

// quoted finds attribute values whose quotes mean nothing.
var quoted = regexp.MustCompile(`="([A-Za-z0-9._#/-]*[A-Za-z0-9._#-])"`)

// bare takes quotes off that mean nothing, so that tests need not care.
func bare(text string) string { return quoted.ReplaceAllString(text, "=$1") }

// has fails the test when a file does not hold a text.
func (m made) has(path, want string) {
	m.t.Helper()
	if text := bare(m.text(path)); !strings.Contains(text, bare(want)) {
		m.t.Errorf("%s does not hold %q\n%s", path, want, text)
	}
}

func (m made) hasNot(path, bad string) {
	m.t.Helper()
	if text := bare(m.text(path)); strings.Contains(text, bare(bad)) {
		m.t.Errorf("%s holds %q\n%s", path, bad, text)
	}
}

// crawl follows every link, from the root of a server and from a folder of it.
func (m made) crawl() {
	m.t.Helper()
	fsys := fstest.MapFS{}
	for path, data := range m.files {
		fsys[path] = &fstest.MapFile{Data: data}
	}
	for _, base := range []string{"https://example.org/", "https://example.org/some/where/"} {
		faults := oktest.Value(siteCrawl{Files: fsys, Base: base, Policy: true}.Crawl())(m.t)
		for _, f := range faults {
			m.t.Errorf("served from %s: %s", base, f)
		}
	}
}

// entry is a KNOWLEDGE.md of a pack each of whose sections is a split by itself; extra lines go into its front matter.
func entry(name, profile, extra string) string {
	if before, after, ok := strings.Cut(extra, "metadata:\n"); ok {
		extra = before + "metadata:\n  compile: {join: 0}\n" + after
	} else {
		extra += "metadata: {compile: {join: 0}}\n"
	}
	return "---\nname: " + name + "\ndescription: What the tests know about " + name + ". Use it for tests.\ntype: domain-reference\nprofile: " +
		profile + "\nstatus: ready\n" + extra + "---\n\n# " + name + "\n\n## Context map\n\n- Everything: `documents/main.md`\n"
}

// kettle is a document-first pack with most of what a document can hold.
var kettle = files{
	"KNOWLEDGE.md": entry("kettle", "document-first", "trust: official\ngrounding: required\nmetadata:\n  primaryDocument: documents/main.md\n"),
	"documents/main.md": `---
status: needs-review
---
# The kettle

One litre, see [care](care.md#descaling) and [[Care of the kettle]] or [[care|the short one]].

## Facts

- The kettle holds 1.0 litre. [source: sources/spec.md#L3]
- It whistles. [status: inferred]
- Nobody knows its weight.

## Pictures

![The kettle](img/kettle.png) and ![elsewhere](https://example.com/x.png)

| part | grams |
| --- | ---: |
| lid | 120 |

- [x] filled
- [ ] boiled

` + "```go\nfunc main() { println(\"hot\") }\n```\n",
	"documents/care.md":          "# Care of the kettle\n\n## Descaling\n\nMonthly. Back to [the kettle](main.md), [[Nowhere]].\n\n## Storage {#keep}\n\nDry. See [storage](#keep) and [guide](../KNOWLEDGE.md).\n",
	"documents/deep/down/low.md": "# Low\n\n## One\n\nUp: [main](../../main.md#facts), [folder](../), [gone](gone.md).\n\n## Two\n\nMore.\n",
	"documents/img/kettle.png":   "png",
	"documents/my notes #1.md":   "# Notes & more <1>\n\nText with [a link](main.md).\n",
	"sources/spec.md":            "# Spec\n\nCapacity: 1.0 litre\n",
}

// shore is a wiki-first pack.
var shore = files{
	"KNOWLEDGE.md":                           entry("shore", "wiki-first", "grounding: recommended\n"),
	"wiki/index.md":                          "# Index\n\n- [Zonation](concepts/zonation.md)\n- [Star](entities/star.md)\n",
	"wiki/concepts/zonation.md":              "# Zonation\n\nBands by exposure. See [[Ochre star]].\n\n- Mussels above 0.8 m. [source: sources/survey.md#L1]\n",
	"wiki/entities/star.md":                  "---\nstatus: stale\n---\n# Ochre star\n\nEats mussels: [[zonation]], [[concepts/zonation#Zonation]].\n",
	"wiki/contradictions/range.md":           "---\nstatus: disputed\n---\n# Range\n\n- It ranges far. [source: sources/survey.md]\n",
	"wiki/open-questions/spawn.md":           "# When does it spawn?\n\nNobody knows.\n",
	"sources/survey.md":                      "Mussels: 0.8 m\n",
	"evals/discovery.train.json":             `{"pack_name":"shore","cases":[{"id":"a","prompt":"Where do mussels live?","expected":"select"},{"id":"b","prompt":"Bake bread","expected":"reject"}]}`,
	"runs/compile-2026-01-01T00-00-00Z.json": `{"run_id":"compile-2026-01-01T00-00-00Z","trigger":"manual","status":"passed","inputs":[],"outputs":[{"path":"compiled/index.json","operation":"created"}]}`,
}

func both() map[string]files {
	return map[string]files{"kettle": maps.Clone(kettle), "shore": maps.Clone(shore)}
}

func TestEveryLinkOfASiteWorksFromAnyFolder(t *testing.T) {
	m := generate(t, Options{Title: "Test site"}, both())
	m.crawl()
	for _, path := range []string{
		"index.html", "404.html", ".nojekyll", "catalog.json", "llms.txt", "packs/kettle/llms.txt", "llms-full.txt", "robots.txt",
		"index.json", "index.bin", "match.html", "schemas/source-map.json",
		"packs/kettle/index.html", "packs/kettle/KNOWLEDGE.md", "packs/kettle/documents/main.html", "packs/kettle/documents/main.md",
		"packs/kettle/documents/my notes #1.html", "packs/kettle/documents/img/kettle.png", "packs/kettle/documents.html",
		"packs/kettle/compiled/splits/main/facts.md", "packs/kettle/compiled/index.json", "packs/kettle/indexes/source-map.json",
		"packs/kettle/claims.html", "packs/kettle/history.html", "packs/kettle/runs/compile-2026-06-01T08-00-00Z.json",
		"packs/shore/compiled/briefing.html", "packs/shore/compiled/briefing.md", "packs/shore/wiki/index.html", "packs/shore/wiki.html",
	} {
		m.text(path)
	}
	for _, path := range m.paths() {
		if strings.Contains(path, "sources/") || strings.Contains(path, "runs/compile-2026-01") || path == "sitemap.xml" {
			t.Errorf("%s is published", path)
		}
	}
}

func TestSameInputSameBytes(t *testing.T) {
	one := generate(t, Options{Jobs: 1}, both())
	many := generate(t, Options{Jobs: 7}, both())
	if !slices.Equal(one.paths(), many.paths()) {
		t.Fatalf("other files:\n%v\n%v", one.paths(), many.paths())
	}
	for path, data := range one.files {
		if !bytes.Equal(data, many.files[path]) {
			t.Errorf("%s differs between 1 and 7 jobs", path)
		}
	}
	if got, want := fmt.Sprint(many.out), fmt.Sprint(one.out); got != want {
		t.Errorf("output %s, want %s", got, want)
	}
}

func TestDocumentPage(t *testing.T) {
	m := generate(t, Options{}, both())
	const page = "packs/kettle/documents/main.html"
	tests := []struct{ name, want string }{
		{"Markdown links become page links with the section's id", `<a href=care.html#descaling>care</a>`},
		{"wikilink by title", `<a href=care.html>Care of the kettle</a>`},
		{"wikilink by file name with a label", `<a href=care.html>the short one</a>`},
		{"source anchors are chips", `<a class=src href=../cited/spec.md.html>spec.md#L3</a>`},
		{"status markers are badges", `<span class="badge inferred">inferred</span>`},
		{"a page's own status is a warning in the open", `<div class="notice needs-review" role="note">`},
		{"headings carry the section ids", `<h2 id=facts>`},
		{"splits are marked where they start", `<p class=cut><b>facts</b> `},
		{"the folder of the splits", `<article class=prose data-splits="../compiled/splits/main/">`},
		{"the split of a preamble can be linked to", `<p class=cut id="overview">`},
		{"pictures come from the pack", `<img src=img/kettle.png alt="The kettle" loading="lazy">`},
		{"pictures from elsewhere are links", `<a href="https://example.com/x.png">elsewhere</a>`},
		{"cells are aligned by class", `<td class=r>120`},
		{"task lists", `<li class=task><input type=checkbox disabled checked aria-label=done>`},
		{"code is highlighted", `<b>func</b>`},
		{"claims that are not confirmed are listed", `<span class="badge source-required">source required</span> Nobody knows its weight.`},
		{"table of contents", `<a href=#pictures>Pictures</a>`},
		{"backlinks", `<a href=deep/down/low.html>Low</a>`},
		{"next page", `<a rel="next" href=care.html>Care of the kettle</a>`},
		{"the raw file beside the page", `<a rel="alternate" type="text/markdown" href="main.md">Markdown</a>`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m.t = t
			m.has(page, test.want)
		})
	}
	m.t = t
	m.hasNot(page, "status: needs-review")
	m.has("packs/kettle/documents/care.html", `<h2 id=keep>Storage</h2>`)
	m.has("packs/kettle/documents/care.html", `<a class=lost title="No page of that name in this pack">Nowhere</a>`)
	m.has("packs/kettle/documents/deep/down/low.html", `<a class=lost title="No such file in this pack">gone</a>`)
	m.has("packs/kettle/documents/deep/down/low.html", `<a href=../index.html>folder</a>`)
	m.has("packs/kettle/documents/my notes #1.html", `Notes &amp; more &lt;1&gt;`)
	m.has("packs/kettle/documents/care.html", `href="my%20notes%20%231.html"`)
}

func TestTitleInTheFrontMatterNamesAPageWithoutHeading(t *testing.T) {
	m := generate(t, Options{}, map[string]files{"shore": {
		"KNOWLEDGE.md":    entry("shore", "wiki-first", ""),
		"wiki/none.md":    "---\ntitle: Bands by  <exposure>\n---\nText. See [star](star.md).\n",
		"wiki/number.md":  "---\ntitle: 7\n---\nText.\n",
		"wiki/star.md":    "---\ntitle: Other\n---\n# Ochre star\n\nText.\n",
		"wiki/section.md": "---\ntitle: Cut in two\n---\nText.\n\n## Part\n\nMore.\n",
	}})
	m.has("packs/shore/wiki/none.html", "<h1>Bands by &lt;exposure&gt;</h1>")
	m.has("packs/shore/wiki/none.html", "<title>Bands by &lt;exposure&gt; · shore · Knowledge packs</title>")
	m.has("packs/shore/wiki/star.html", "Bands by &lt;exposure&gt;</a>")
	m.has("packs/shore/wiki.html", "Bands by &lt;exposure&gt;")
	m.has("packs/shore/wiki/number.html", "<h1>7</h1>")
	m.has("packs/shore/wiki/star.html", "<title>Ochre star · shore · Knowledge packs</title>")
	m.hasNot("packs/shore/wiki/star.html", "Other")
	m.has("packs/shore/wiki/section.html", "<h1>Cut in two</h1>")
}

func TestCommentsThatNameSomethingAreShownAsItsName(t *testing.T) {
	m := generate(t, Options{}, map[string]files{"kettle": {
		"KNOWLEDGE.md":      entry("kettle", "document-first", "metadata:\n  primaryDocument: documents/main.md\n"),
		"documents/main.md": "# Main\n\n[a](#config.lang) [b](#+toc.y)\n\n## <!-- md:setting config.lang -->\n\nText.\n\n<!-- md:option toc.x\"<i> -->\n\n<!-- md:option toc.y -->\n\n<!-- two words -->\n\nText.\n",
	}})
	m.has("packs/kettle/documents/main.html", "<h2 id=configlang>config.lang</h2>")
	m.has("packs/kettle/documents/main.html", `<code>toc.x"&lt;i&gt;</code>`)
	m.has("packs/kettle/documents/main.html", `"#+toc.y">b</a>`)
	m.hasNot("packs/kettle/documents/main.html", "<i>")
	m.hasNot("packs/kettle/documents/main.html", "two words")
	m.crawl()
}

func TestWikilinksAmongOtherBrackets(t *testing.T) {
	m := generate(t, Options{}, map[string]files{"kettle": {
		"KNOWLEDGE.md":      entry("kettle", "document-first", "metadata:\n  primaryDocument: documents/main.md\n"),
		"documents/main.md": "# Main\n\nNot \\[[Main]], nor [[open, nor [[a [[Main]] but [[Main|**this**]] and `[[code]]`.\n\n| [[Main\\|cell]] |\n| --- |\n| x |\n",
	}})
	m.has("packs/kettle/documents/main.html", `Not [[Main]], nor [[open, nor [[a <a href="main.html">Main</a> but`)
	m.has("packs/kettle/documents/main.html", `<th><a href="main.html">cell</a>`)
	m.has("packs/kettle/documents/main.html", `<code>[[code]]</code>`)
}

func TestSourcesArePublishedOnRequest(t *testing.T) {
	packs := both()
	packs["kettle"]["sources/page.html"] = "<script>alert(1)</script>"
	packs["kettle"]["sources/run.js"] = "alert(1)"
	packs["kettle"]["sources/evil.svg"] = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`
	packs["kettle"]["sources/good.svg"] = `<svg xmlns="http://www.w3.org/2000/svg"><rect width="1" height="1" fill="url(#a)"/></svg>`
	m := generate(t, Options{PublishSources: true}, packs)
	m.crawl()
	m.has("packs/kettle/documents/main.html", `<a class=src href="../cited/spec.md.html#L3">spec.md#L3</a>`)
	m.has("packs/kettle/claims.html", `<a class=cites href=cited/spec.md.html#L3>spec.md#L3</a>`)
	m.text("packs/kettle/sources/good.svg")
	for _, bad := range []string{"page.html", "run.js", "evil.svg"} {
		if _, ok := m.files["packs/kettle/sources/"+bad]; ok {
			t.Errorf("sources/%s is published: a browser would run it", bad)
		}
	}
}

func TestBaseURL(t *testing.T) {
	m := generate(t, Options{BaseURL: "https://example.org/kb"}, both())
	m.has("sitemap.xml", "<loc>https://example.org/kb/</loc>")
	m.has("sitemap.xml", "<loc>https://example.org/kb/packs/kettle/documents/my%20notes%20%231.html</loc>")
	m.has("robots.txt", "Sitemap: https://example.org/kb/sitemap.xml")
	m.has("404.html", `href="/kb/index.html"`)
	m.has("packs/kettle/index.html", `<link rel="canonical" href="https://example.org/kb/packs/kettle/">`)
	m.has("packs/kettle/index.html", `href="../../index.html"`)
}

func TestPackPage(t *testing.T) {
	m := generate(t, Options{}, both())
	m.has("packs/kettle/index.html", `<a href=documents/main.html><code>documents/main.md</code></a>`)
	m.has("packs/kettle/index.html", `Last compile: needs review.`)
	m.has("packs/kettle/index.html", `<summary>Findings</summary>`)
	m.has("packs/kettle/index.html", `<a href=documents/main.html#facts>Facts</a>`)
	m.has("packs/shore/index.html", `<a href=compiled/briefing.html>briefing</a>`)
	m.has("packs/shore/compiled/briefing.html", `<a href=../wiki/concepts/zonation.html><code>wiki/concepts/zonation.md</code></a>`)
	m.has("packs/shore/history.html", "compile-2026-01-01T00-00-00Z")
	m.has("packs/shore/wiki/entities/star.html", `<strong>Stale.</strong>`)
	m.has("match.html", "Where do mussels live?")
	m.hasNot("match.html", "Bake bread")
	m.has("index.html", "packs/shore/index.html")
	m.has("catalog.json", `"location": "packs/kettle/KNOWLEDGE.md"`)
}

// The page of a pack is a door: what the pack says of itself and where its pages are come
// before what is known about it, which is in tabs that need no script.
func TestPageOfAPackBeginsWithItsOwnWords(t *testing.T) {
	m := generate(t, Options{}, both())
	page := bare(m.text("packs/kettle/index.html"))
	at := 0
	for _, part := range []string{
		`<article class="prose guide">`, `Everything: <a href=documents/main.html><code>documents/main.md</code></a>`, `</article>`,
		`<li><a href=documents.html>Documents</a> <small>4 pages</small>`, `<li class=deep><a href=documents/main.html>The kettle</a>`,
		`<li class=deep><a href=documents/deep/index.html>deep/</a> <small>1 page</small>`,
		`<details class=pane name=s.about open><summary>Budget</summary>`, `<details class=pane name=s.about><summary>Splits</summary>`,
		`<summary>Findings</summary>`, `<summary>Take away</summary>`, `<aside class=sheet`,
	} {
		i := strings.Index(page[at:], part)
		if i < 0 {
			t.Fatalf("%q is missing, or is before what it follows, in\n%s", part, page)
		}
		at += i + len(part)
	}
	if strings.Contains(page, "<h1>kettle</h1>\n<h2") {
		t.Error("the page says twice what it is called")
	}
}

func TestBarShowsSplitsThatAreTooLarge(t *testing.T) {
	long := "# Main\n\n## Long\n\n" + strings.Repeat("A line of many words about kettles that boil. ", 200) + "\n\n## Short\n\nText.\n"
	m := generate(t, Options{}, map[string]files{"kettle": {"KNOWLEDGE.md": entry("kettle", "document-first", ""), "documents/main.md": long}})
	m.has("packs/kettle/index.html", "is <i class=\"key t2\">amber</i>.")
	m = generate(t, Options{}, both())
	m.hasNot("packs/kettle/index.html", "amber")
}

func TestEmptySite(t *testing.T) {
	m := generate(t, Options{}, nil)
	m.has("index.html", "This site has no packs yet.")
	if _, ok := m.files["catalog.json"]; ok {
		t.Error("a catalog is written although there is no pack")
	}
	faults, err := siteCrawl{Files: fstest.MapFS{"index.html": {Data: m.files["404.html"]}}, Base: "https://example.org/"}.Crawl()
	if err != nil || len(faults) == 0 {
		t.Errorf("the crawler finds nothing wrong with a site whose files are gone (%v)", err)
	}
}

// The page of a pack shows some findings of every rule, however many another one has,
// and the catalog counts the warnings of the compile.
func TestPageOfAPackShowsFindingsOfEveryRule(t *testing.T) {
	var text strings.Builder
	text.WriteString("# Title\n\n")
	for i := range 60 {
		fmt.Fprintf(&text, "- [x](gone-%02d.md)\n", i)
	}
	m := generate(t, Options{}, map[string]files{"kettle": {
		"KNOWLEDGE.md":      entry("kettle", "document-first", "metadata:\n  primaryDocument: documents/main.md\n"),
		"documents/main.md": text.String(), "documents/z.md": "# Z\n\n- It boils. [source: sources/none.md]\n",
	}})
	m.has("packs/kettle/index.html", `<code class="rule">source-missing</code>`)
	m.has("packs/kettle/index.html", `And 11 of ref-broken; <code>packgen compile kettle --all -v</code> prints all.`)
	m.has("index.html", `<dt>compile warnings</dt><dd>61</dd>`)
}

// The start page of a site of one pack is the page of the pack, without its breadcrumb.
func TestSiteOfOnePackOpensOnThePack(t *testing.T) {
	kettle := files{
		"KNOWLEDGE.md": entry("kettle", "hybrid", ""), "documents/main.md": "# Main\n\nWords, and [a fact](../wiki/fact.md).\n",
		"wiki/fact.md": "# Fact\n\n- Steel. [source: sources/s.md#L1]\n", "sources/s.md": "one\n",
	}
	m := generate(t, Options{Front: true, BaseURL: "https://example.org/some/where/"}, map[string]files{"kettle": kettle})
	front, page := m.text("index.html"), m.text("packs/kettle/index.html")
	if strings.Contains(front, "http-equiv=refresh") {
		t.Error("the start page leads on")
	}
	if own := `<link rel=canonical href="https://example.org/some/where/packs/kettle/">`; !strings.Contains(front, own) || !strings.Contains(page, own) {
		t.Errorf("the two name other addresses:\n%s\n%s", front[:900], page[:900])
	}
	if strings.Contains(front, "Breadcrumb") || !strings.Contains(page, "Breadcrumb") {
		t.Error("the start page has a breadcrumb, or that of the pack has none")
	}
	if a, b := linksFrom(front, ""), linksFrom(page, "packs/kettle"); len(a) < 20 || a != b {
		t.Errorf("the two link to other files:\n%s\n%s", a, b)
	}
	if got := m.text("sitemap.xml"); strings.Contains(got, "<loc>https://example.org/some/where/</loc>") || strings.Count(got, "<loc>https://example.org/some/where/packs/kettle/</loc>") != 1 {
		t.Errorf("the sitemap has the page twice, or not:\n%s", got)
	}
	generate(t, Options{Front: true}, map[string]files{"kettle": kettle}).crawl()

	two := generate(t, Options{Front: true, BaseURL: "https://example.org/some/where/"}, map[string]files{"kettle": kettle, "pot": {"KNOWLEDGE.md": entry("pot", "hybrid", ""), "documents/main.md": "# Pot\n"}})
	if got := two.text("index.html"); !strings.Contains(got, "packs/kettle/index.html") || !strings.Contains(got, "packs/pot/index.html") || strings.Contains(got, "http-equiv=refresh") {
		t.Errorf("the start page of two packs is no list of them:\n%s", got)
	}
	if got := two.text("sitemap.xml"); !strings.Contains(got, "<loc>https://example.org/some/where/</loc>") {
		t.Errorf("the sitemap lacks the start page:\n%s", got)
	}
}

// linksFrom lists the addresses that the content of a page in a folder has, from the root.
func linksFrom(page, folder string) string {
	_, content, _ := strings.Cut(page, "packhead")
	var list []string
	for _, found := range regexp.MustCompile(`href="?([^" >]*)`).FindAllStringSubmatch(content, -1) {
		if !strings.HasPrefix(found[1], "#") {
			list = append(list, path.Join(folder, found[1]))
		}
	}
	return strings.Join(list, "\n")
}
