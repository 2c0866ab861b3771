package site

import (
	"encoding/xml"
	"maps"
	"strings"
	"testing"
)

func TestClaimsShowWhatTheyRestOn(t *testing.T) {
	m := generate(t, Options{PublishSources: true}, both())
	const page = "packs/kettle/claims.html"
	m.has(page, `<a class=cites href=cited/spec.md.html#L3>spec.md#L3</a>`)
	m.has(page, "<pre>Capacity: 1.0 litre</pre>")
	m.has(page, `<code class=span title="SHA-256 of the cited text: `)
	closed := generate(t, Options{}, both())
	closed.has(page, "<a class=cites href=cited/spec.md.html>spec.md#L3</a>")
	closed.has(page, `<code class=span title="SHA-256 of the cited text: `)
	closed.hasNot(page, "Capacity: 1.0 litre")
}

// A source has a page with what rests on it; its lines are there where sources are
// published.
func TestSourceListsWhatRestsOnIt(t *testing.T) {
	packs := both()
	packs["kettle"]["documents/care.md"] += "\n- It is dry. [source: sources/spec.md#L99]\n- <i>Wet</i>. [source: sources/none.md]\n"
	packs["kettle"]["sources/spec.md"] += "</pre><script>alert(1)</script>\n"
	m := generate(t, Options{PublishSources: true}, packs)
	m.crawl()
	const page = "packs/kettle/cited/spec.md.html"
	m.has(page, "2 claims rest on this source. <a href=../sources/spec.md>The file as it is</a>")
	m.has(page, "<td>The kettle holds 1.0 litre.")
	m.has(page, "<a class=cites href=#L3>#L3</a>")
	m.has(page, "<span id=L3>Capacity: 1.0 litre</span>")
	m.has(page, "&lt;script&gt;")
	m.hasNot(page, "<script>alert")
	m.has("packs/kettle/documents/main.html", `<a class=src href=../cited/spec.md.html#L3>`)
	m.has("packs/kettle/documents/care.html", `<a class=src href=../cited/spec.md.html>`) // it has no such line
	if _, ok := m.files["packs/kettle/cited/none.md.html"]; ok {
		t.Error("a source that is not there has a page")
	}

	closed := generate(t, Options{}, packs)
	closed.crawl()
	closed.has(page, "Its text is not published.")
	closed.hasNot(page, "Capacity")
}

// Excerpts of sources that are not published are shown on request alone, and of packs that
// say what may be done with them.
func TestExcerptsNeedALicence(t *testing.T) {
	packs := both()
	const page = "packs/kettle/claims.html"
	generate(t, Options{Excerpts: true}, packs).hasNot(page, "Capacity")
	packs["kettle"]["KNOWLEDGE.md"] = strings.Replace(packs["kettle"]["KNOWLEDGE.md"], "status: ready", "license: MIT\nstatus: ready", 1)
	generate(t, Options{Excerpts: true}, packs).has(page, "<pre>Capacity: 1.0 litre</pre>")
	generate(t, Options{}, packs).hasNot(page, "Capacity")
	packs["kettle"]["sources/spec.md"] = "# Spec\n\nCapacity: AKIA" + "IOSFODNN7EXAMPLQ\n"
	generate(t, Options{Excerpts: true}, packs).hasNot(page, "AKIA")
}

func TestEachPackHasABadge(t *testing.T) {
	packs := both()
	packs["kettle"] = maps.Clone(kettle)
	m := generate(t, Options{}, packs)
	text := m.text("packs/kettle/badge.svg")
	for _, want := range []string{"1 of 3 claims cited", "2026-06-01", ">kettle<", "ready"} {
		if !strings.Contains(text, want) {
			t.Errorf("the badge has no %q: %s", want, text)
		}
	}
	var any struct{}
	if err := xml.Unmarshal([]byte(text), &any); err != nil {
		t.Errorf("%v in %s", err, text)
	}
}

func TestALanguageFromRightToLeft(t *testing.T) {
	packs := both()
	packs["kettle"]["KNOWLEDGE.md"] = strings.Replace(packs["kettle"]["KNOWLEDGE.md"], "status: ready", "language: ar\nstatus: ready", 1)
	m := generate(t, Options{}, packs)
	m.has("packs/kettle/documents/main.html", "<html lang=ar dir=rtl>")
	m.hasNot("packs/shore/wiki/index.html", "dir=rtl")
}

func TestALinkToAPageCanBeShownElsewhere(t *testing.T) {
	packs := both()
	packs["kettle"]["documents/care.md"] = "---\ndescription: How a kettle is kept \"clean\".\n---\n" + packs["kettle"]["documents/care.md"]
	m := generate(t, Options{BaseURL: "https://example.org/a/"}, packs)
	const page = "packs/kettle/documents/care.html"
	m.has(page, `<meta name=description content="How a kettle is kept &#34;clean&#34;.">`)
	m.has(page, `<meta property=og:description content="How a kettle is kept &#34;clean&#34;.">`)
	m.has(page, `<meta property=og:title content="Care of the kettle · kettle">`)
	m.has(page, `<meta property=og:url content="https://example.org/a/packs/kettle/documents/care.html">`)
	m.has("packs/kettle/index.html", "<meta property=og:description")
	generate(t, Options{}, both()).hasNot(page, "og:")
}

// Every page has a description: its own, otherwise how its text begins.
func TestEveryPageHasADescription(t *testing.T) {
	packs := both()
	packs["kettle"]["documents/begin.md"] = "# Begin\n\n## Part\n\n| a |\n| --- |\n| b |\n\nThe *first* [words](main.md) of \"it\". More.\n"
	m := generate(t, Options{}, packs)
	m.has("packs/kettle/documents/begin.html", `<meta name=description content="The first words of &#34;it&#34;.">`)
	for path, data := range m.files {
		if strings.HasPrefix(path, "packs/") && strings.HasSuffix(path, ".html") && !strings.Contains(string(data), "name=description") && !strings.HasSuffix(path, "print.html") {
			t.Errorf("%s has no description", path)
		}
	}
}
