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
	m.has(page, `<a class=cites href=sources/spec.md>spec.md#L3</a>`)
	m.has(page, "<pre>Capacity: 1.0 litre</pre>")
	m.has(page, `<code class=span title="SHA-256 of the cited text: `)
	closed := generate(t, Options{}, both())
	closed.has(page, "<span class=cites>spec.md#L3</span>")
	closed.has(page, `<code class=span title="SHA-256 of the cited text: `)
	closed.hasNot(page, "Capacity: 1.0 litre")
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
