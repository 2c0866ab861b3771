package site

import (
	"maps"
	"strings"
	"testing"
)

// The history says what a run did to the outputs, and which claims have gone stale since the
// run before.
func TestHistoryShowsWhatChangedBetweenRuns(t *testing.T) {
	first := generate(t, Options{}, both())
	const record = "packs/kettle/runs/compile-2026-06-01T08-00-00Z.json"
	packs := both()
	kept := packs["kettle"]
	for path, data := range first.files {
		if name, ok := strings.CutPrefix(path, "packs/kettle/compiled/"); ok && !strings.HasSuffix(name, ".html") {
			kept["compiled/"+name] = string(data)
		}
	}
	// The run before, of an earlier day, and a source that has changed since.
	kept["runs/compile-2026-05-01T08-00-00Z.json"] = strings.ReplaceAll(first.text(record), "2026-06-01T08-00-00Z", "2026-05-01T08-00-00Z")
	kept["sources/spec.md"] = "# Spec\n\nCapacity: 2.0 litres <b>\n"
	kept["documents/care.md"] += "\n## Rinsing\n\nTwice.\n"
	packs["kettle"] = maps.Clone(kept)
	m := generate(t, Options{}, packs)
	const page = "packs/kettle/history.html"
	m.crawl()
	m.has(page, "<b>1 claim went stale</b>")
	m.has(page, `<li>The kettle holds 1.0 litre. <a class=cites href=cited/spec.md.html>sources/spec.md#L3</a>`)
	m.has(page, `<span class="badge created">created</span> <a href=documents/care.html#rinsing>Rinsing</a> <small>Care of the kettle</small>`)
	if n := strings.Count(m.text(page), "went stale"); n != 1 {
		t.Errorf("%d runs say that a claim went stale", n)
	}
}

// A run that changed more than is named does not say of how many pages it was: a part of
// them would be taken for all.
func TestHistoryCountsPagesWhereItKnowsThemAll(t *testing.T) {
	few, many := generate(t, Options{}, crowd(5)), generate(t, Options{}, crowd(60))
	few.has("packs/crowd/history.html", " of 5 pages")
	if text := many.text("packs/crowd/history.html"); strings.Contains(text, " pages</summary>") || strings.Contains(text, " page</summary>") {
		t.Errorf("pages are counted over what is named:\n%s", text)
	}
}
