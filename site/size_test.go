package site

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/site/page"
)

// pages makes a pack of many realistic pages.
func pages(n int) map[string]files {
	made := files{}
	for path, text := range packtest.Files(packtest.Options{Name: "generated", Pages: n}) {
		made[path] = text
	}
	return map[string]files{"generated": made}
}

func TestPagesAreAtMostOnePointEightFiveTimesTheirMarkdown(t *testing.T) {
	m := generate(t, Options{Title: "Knowledge packs"}, pages(250))
	html, markdown := 0, 0
	for path, data := range m.files {
		if !strings.HasPrefix(path, "packs/generated/wiki/") {
			continue
		}
		if strings.HasSuffix(path, ".html") {
			html += len(data)
		} else {
			markdown += len(data)
		}
	}
	ratio := float64(html) / float64(markdown)
	t.Logf("%d bytes of HTML for %d of Markdown: %.3f", html, markdown, ratio)
	if ratio > 1.85 { // each reference to a source is a link
		t.Errorf("pages are %.3f times their Markdown, the limit is 1.85", ratio)
	}
}

// TestPagesDoNotGrowWithTheirNumber compares the same page in a small and in a
// large pack, and looks at the longest lists.
func TestPagesDoNotGrowWithTheirNumber(t *testing.T) {
	small, large := generate(t, Options{}, crowd(30)), generate(t, Options{}, crowd(500))
	for _, page := range []string{"packs/crowd/wiki/p0000.html", "packs/crowd/wiki/p0010.html"} {
		a, b := len(small.text(page)), len(large.text(page))
		if b > a+200 { // room for longer numbers and names
			t.Errorf("%s has %d bytes among 30 pages and %d among 500", page, a, b)
		}
	}
	for path, data := range large.files {
		rows := strings.Count(string(data), "<tr") - strings.Count(string(data), "<tr class=group")
		if strings.HasSuffix(path, ".html") && rows > page.RowsPerPage+20 {
			t.Errorf("%s lists %d rows", path, rows)
		}
	}
	large.has("packs/crowd/wiki-3.html", "Page 3 of 3")
	large.has("packs/crowd/wiki-2.html", `<a href="wiki-3.html" rel="next">Next</a>`)
	large.has("packs/crowd/claims-3.html", "Page 3 of 3")
	large.has("packs/crowd/index.html", "more splits")
	large.crawl()
}

// crowd is a wiki in which every page links to the first one.
func crowd(n int) map[string]files {
	f := files{"KNOWLEDGE.md": entry("crowd", "wiki-first", ""), "sources/s.md": "one\n"}
	for i := range n {
		f[fmt.Sprintf("wiki/p%04d.md", i)] = fmt.Sprintf("# Page %04d\n\nTo [the first](p0000.md).\n\n- Fact %d. [source: sources/s.md#L1]\n", i, i)
	}
	return map[string]files{"crowd": f}
}

func BenchmarkGenerate(b *testing.B) {
	packs := pages(200)
	for b.Loop() {
		generate(b, Options{PlainCode: true}, packs)
	}
}

// On a slow line the script of a long page comes after its first paint.
func TestLongPagesAreSeenBeforeTheirScripts(t *testing.T) {
	m := generate(t, Options{}, map[string]files{"crowd": {
		"KNOWLEDGE.md": entry("crowd", "wiki-first", ""),
		"wiki/long.md": "# Long\n\n" + strings.Repeat("Words of a long page.\n\n", 2000), "wiki/short.md": "# Short\n\nWords.\n",
	}})
	for _, page := range []string{"packs/crowd/wiki/long.html", "packs/crowd/index.html"} {
		if text := m.text(page); strings.Contains(text, "<script src") || strings.Count(text, "<link rel=preload as=script") != 1 || strings.Count(text, "script-src 'self' 'sha256-") != 1 {
			t.Errorf("%s waits for its script:\n%s", page, text[:1000])
		}
	}
	if text := m.text("packs/crowd/wiki/short.html"); !strings.Contains(text, "<script src") || strings.Contains(text, "sha256-") {
		t.Errorf("a short page carries a script:\n%s", text)
	}
}

// On a slow line each file that a very long page waits for comes on top of the page.
func TestVeryLongPagesWaitForNoFile(t *testing.T) {
	long := files{
		"KNOWLEDGE.md": entry("crowd", "wiki-first", ""),
		"wiki/huge.md": "# Huge\n\n" + strings.Repeat("Words of a very long page.\n\n", 6000),
	}
	text := generate(t, Options{}, map[string]files{"crowd": long}).text("packs/crowd/wiki/huge.html")
	head, _, _ := strings.Cut(text, "<header")
	_, style, _ := strings.Cut(head, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	if strings.Contains(head, "rel=stylesheet") || strings.Contains(head, "rel=preload") || strings.Contains(head, "<script src") {
		t.Errorf("the page waits for a file:\n%s", head)
	}
	if want := "style-src 'self' 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; len(style) == 0 || !strings.Contains(head, want) {
		t.Errorf("the policy does not allow the style of %d bytes by %s:\n%s", len(style), want, head)
	}
	if strings.Count(head, "<script data-load=../../../assets/site-") != 1 {
		t.Errorf("the page names no script:\n%s", head)
	}

	own := fstest.MapFS{"site.css": {Data: []byte("p { color: red }")}}
	text = generate(t, Options{Custom: own}, map[string]files{"crowd": long}).text("packs/crowd/wiki/huge.html")
	if strings.Contains(text, "<style>") || strings.Count(text, "<link rel=stylesheet") != 2 {
		t.Error("a site with a stylesheet of its own does not load both as files")
	}
}
