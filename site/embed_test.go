package site

import (
	"fmt"
	"strings"
	"testing"
)

// embedding is a pack of pages that show others.
func embedding(pages map[string]string) map[string]files {
	pack := files{"KNOWLEDGE.md": entry("notes", "document-first", "")}
	for name, text := range pages {
		pack["documents/"+name] = text
	}
	return map[string]files{"notes": pack}
}

// ![[page]] shows a page, ![[page#heading]] a section of it up to the next heading of its
// level, and what cannot be shown is a link.
func TestTransclusionShowsPagesAndSections(t *testing.T) {
	m := generate(t, Options{}, embedding(map[string]string{
		"host.md":      "# Host\n\n![[Guest]]\n\nBetween.\n\n![[guest#Two]]\n\n![[guest#nowhere]]\n\n![[nobody]]\n\n- In a line ![[guest#One]] it is one.\n\n## In a heading ![[guest]] it is a link.\n\n![[sub/other|named]]\n",
		"guest.md":     "---\ntitle: Guest\n---\n\n# Guest\n\nLead, see [two](#two) and [other](sub/other.md).[^n]\n\n## One\n\nText of one.\n\n## Two\n\nText of two.\n\n### Below two\n\nMore of two.\n\n## Three\n\nText of three.\n\n[^n]: A note of the guest.\n",
		"sub/other.md": "# Other\n\n![pic](pic.png) and [guest](../guest.md).\n",
	}))
	const host = "packs/notes/documents/host.html"
	page := bare(m.text(host))
	if n := strings.Count(page, "<div class=embed>"); n != 4 {
		t.Errorf("%d embeds, want the page, both sections and the other page", n)
	}
	for text, want := range map[string]int{
		"Text of one.": 2, "Text of two.": 2, "More of two.": 2, "Text of three.": 1, "A note of the guest.": 1,
		"<a href=guest.html#two>two</a>": 1, "<a href=sub/other.html>other</a>": 1, "<a href=guest.html>guest</a>": 2,
		"id=two": 0, "id=one": 0, ">nobody</a>": 1, ">guest#nowhere</a>": 1, "href=#s.fn": 0, "href=guest.html#s.fn-1": 1,
	} {
		if got := strings.Count(page, text); got != want {
			t.Errorf("%q is there %d times, want %d\n%s", text, got, want, page)
		}
	}
	m.has("packs/notes/documents/guest.html", "Linked from")
}

// What a page holds may have attributes without a value: a task, a box that is open.
func TestTransclusionShowsTasksAndOpenBoxes(t *testing.T) {
	m := generate(t, Options{}, embedding(map[string]string{
		"host.md":  "# Host\n\n![[Guest]]\n\nText ![[guest#^t1]]\n",
		"guest.md": "# Guest\n\n- [x] done\n- [ ] open ^t1\n\n> [!tip]+ Box\n> Text of the box.\n\n<details open><summary>More</summary>\n\nText below.\n\n</details>\n",
	}))
	page := bare(m.text("packs/notes/documents/host.html"))
	for _, want := range []string{"<div class=embed>", "checked", "Text of the box.", "<details open", "Text below."} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %s\n%s", want, page)
		}
	}
}

// A wiki of GitHub writes [[Text|Page]]: a page of that name, and none of the other, is
// what the link leads to, and the rest is its text.
func TestWikiLinksMayNameTheirPageLast(t *testing.T) {
	m := generate(t, Options{}, embedding(map[string]string{
		"Home.md":            "# Home\n\n[[first steps|Getting-Started]], [[install it|Getting-Started#Install]], [[Getting-Started|as in a vault]], [[lost|nowhere]]\n\n## [[In a heading|Getting-Started]]\n",
		"Getting-Started.md": "# Getting started\n\n## Install\n\nText.\n",
	}))
	page := bare(m.text("packs/notes/documents/Home.html"))
	for _, want := range []string{
		"<a href=Getting-Started.html>first steps</a>", "<a href=Getting-Started.html#install>install it</a>",
		"<a href=Getting-Started.html>as in a vault</a>", ">nowhere</a>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %s\n%s", want, page)
		}
	}
	m.has("packs/notes/documents/Getting-Started.html", "Linked from")
	m.has("packs/notes/documents/Home.html", "In a heading</")
}

// ![[page#^id]] shows the paragraph or list item that has the id at its end.
func TestTransclusionShowsBlocks(t *testing.T) {
	m := generate(t, Options{}, embedding(map[string]string{
		"host.md":  "# Host\n\n![[guest#^mine]]\n\n![[guest#^item]]\n\n![[guest#^gone]]\n\n[[guest#^mine|there]]\n",
		"guest.md": "# Guest\n\nBefore.\n\nThe one\nparagraph. ^mine\n\n- first\n- second ^item\n- third\n",
	}))
	page := bare(m.text("packs/notes/documents/host.html"))
	for text, want := range map[string]int{"<p>The one\nparagraph.": 1, "Before.": 0, "first": 0, "second": 1, "third": 0, "href=\"guest.html#%5Emine\">there": 1, "class=embed": 2} {
		if got := strings.Count(page, text); got != want {
			t.Errorf("%q is there %d times, want %d\n%s", text, got, want, page)
		}
	}
}

// A picture has the size that is written beside it, loads when it is seen, and may be for
// one colour scheme.
func TestPicturesHaveSizesAndSchemes(t *testing.T) {
	const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50"></svg>`
	m := generate(t, Options{}, embedding(map[string]string{
		"host.md": "# Host\n\n![one|200](p.svg) ![two](p.svg){ width=40 } <img src=p.svg alt=three width=\"50%\">\n\n![four](p.svg#gh-light-mode-only) ![five](q.svg#only-dark)\n\n" +
			"<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"q.svg\"><img alt=six src=p.svg></picture>\n\n![[p.svg#icon|60]]\n",
		"p.svg": drawing, "q.svg": drawing,
	}))
	page := bare(m.text("packs/notes/documents/host.html"))
	for _, want := range []string{
		"src=p.svg alt=one width=200 height=100 loading=lazy", "src=p.svg alt=two width=40 height=20 loading=lazy", "alt=three class=w50",
		"src=p.svg alt=four class=light", "src=q.svg alt=five class=dark", "src=p.svg alt=six class=light", "src=q.svg alt=six class=dark", "alt=p width=60",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
	if strings.Count(page, "<img") != strings.Count(page, "loading=lazy>") {
		t.Error("a picture is not loaded lazily")
	}
}

// Links to headings written in HTML lead to them, in the text and in the contents.
func TestHeadingsInHTMLAreInTheContents(t *testing.T) {
	m := generate(t, Options{}, embedding(map[string]string{
		"a.md": "<h1 align=center>The tool</h1>\n\n<h2><img src=x.png></h2>\n\nSee [use](#how-to-use) and [more](b.md#more-x).\n\n<h2>How to <b>use</b></h2>\n\nText.\n\n## Next\n\nText.\n",
		"b.md": "# B\n\n- <h3 id=own>More: x</h3>\n",
	}))
	page := bare(m.text("packs/notes/documents/a.html"))
	for want, n := range map[string]int{
		"<h1 class=c id=the-tool>The tool</h1>": 1, "<h1": 1, "<title>The tool": 1, "<h2 id=how-to-use>How to <b>use</b></h2>": 1, "<a href=#how-to-use>use</a>": 1,
		"<a href=#how-to-use>How to use</a>": 1, ">section</a>": 0, "<a href=#next>Next</a>": 1, "<a href=b.html#more-x>more</a>": 1,
	} {
		if got := strings.Count(page, want); got != n {
			t.Errorf("%q is there %d times, want %d\n%s", want, got, n, page)
		}
	}
	m.has("packs/notes/documents/b.html", "<h3 id=own aria-level=2><a id=more-x></a>More: x</h3>")
}

// Pages that show each other, or themselves, end: what is shown shows nothing itself.
func TestTransclusionInACircleEnds(t *testing.T) {
	m := generate(t, Options{}, embedding(map[string]string{
		"a.md": "# A\n\nText of A.\n\n![[b]]\n\n![[a]]\n",
		"b.md": "# B\n\nText of B.\n\n![[a]]\n\n## Part\n\n![[c#Part]]\n",
		"c.md": "# C\n\n## Part\n\nPart of C.\n\n![[b#Part]]\n",
	}))
	for name, want := range map[string][2]int{"a": {1, 1}, "b": {1, 1}, "c": {0, 0}} {
		_, page, _ := strings.Cut(bare(m.text("packs/notes/documents/"+name+".html")), "<main")
		if a, b := strings.Count(page, "Text of A."), strings.Count(page, "Text of B."); a != want[0] || b != want[1] {
			t.Errorf("%s shows A %d times and B %d times, want %v\n%s", name, a, b, want, page)
		}
	}
	m.has("packs/notes/documents/b.html", "Part of C.")
	m.has("packs/notes/documents/c.html", "<a href=#part>c#Part</a>")
}

// What a page shows of others does not multiply: many embeds of long pages are links from
// some length on.
func TestTransclusionIsBounded(t *testing.T) {
	long := "# Long\n\n" + strings.Repeat("A line of plain text.\n\n", 2000)
	pages := map[string]string{"long.md": long, "huge.md": strings.Replace(long, "# Long", "# Huge", 1) + long}
	pages["fan.md"] = "# Fan\n\n" + strings.Repeat("![[long]]\n\n", 5000)
	pages["fanhuge.md"] = "# Fan\n\n" + strings.Repeat("![[huge]]\n\n", 50)
	for i := range 20 {
		pages[fmt.Sprintf("chain%d.md", i)] = fmt.Sprintf("# Chain\n\n![[chain%d]]\n\n![[chain%d]]\n", i+1, i+1)
	}
	m := generate(t, Options{}, embedding(pages))
	if size := len(m.text("packs/notes/documents/fan.html")); size > 2*(512<<10) {
		t.Errorf("a page that shows others has %d bytes", size)
	}
	if page := m.text("packs/notes/documents/fanhuge.html"); strings.Contains(page, "A line of plain text") {
		t.Error("a page that is too long to be shown is shown")
	}
	if size := len(m.text("packs/notes/documents/chain0.html")); size > 10_000 {
		t.Errorf("the first page of a chain has %d bytes", size)
	}
}
