package site

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// The history says what a run did to the outputs, and which claims have gone stale since the
// run before.
func TestHistoryShowsWhatChangedBetweenRuns(t *testing.T) {
	first := generate(t, Options{}, both())
	packs := both()
	kept := packs["kettle"]
	for path, data := range first.files {
		if name, ok := strings.CutPrefix(path, "packs/kettle/compiled/"); ok && !strings.HasSuffix(name, ".html") {
			kept["compiled/"+name] = string(data)
		}
	}
	// The run before, of an earlier day, and a source that has changed since.
	maps.Copy(kept, runOf(first, "2026-05-01"))
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

// The history says for which splits the declared routing is not what the run before found,
// in the front matter of a page or in metadata.loadout, and nothing of the others.
func TestHistoryShowsWhichRoutingChanged(t *testing.T) {
	const loadout = "metadata:\n  loadout:\n    care/rinsing:\n      keywords: [%s]\n"
	routed := func(page, own string) map[string]files {
		packs := both()
		kept := maps.Clone(packs["kettle"])
		kept["KNOWLEDGE.md"] = strings.Replace(kept["KNOWLEDGE.md"], "\nmetadata:\n", "\n"+fmt.Sprintf(loadout, own), 1)
		kept["documents/care.md"] += "\n## Rinsing\n\nTwice.\n"
		kept["documents/more.md"] = "---\nkeywords: [" + page + "]\n---\n\n# More\n\nText.\n"
		kept["documents/same.md"] = "---\nkeywords: [always]\n---\n\n# The same\n\nText.\n"
		packs["kettle"] = kept
		return packs
	}
	first := generate(t, Options{}, routed("one", "water"))
	for _, test := range []struct {
		name, page, own string
		want            []string
	}{
		{"both", "two", "steam", []string{`<a href=documents/care.html#rinsing>Rinsing</a>`, `<a href=documents/more.html#more>More</a>`}},
		{"the list of the pack", "one", "steam", []string{`<a href=documents/care.html#rinsing>Rinsing</a>`}},
		{"neither", "one", " water ", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			packs := routed(test.page, test.own)
			maps.Copy(packs["kettle"], runOf(first, "2026-05-01"))
			packs["kettle"]["documents/care.md"] += "\nAgain.\n" // so that there is a run
			m := generate(t, Options{}, packs)
			const page = "packs/kettle/history.html"
			for _, link := range test.want {
				m.has(page, `<span class="badge updated">updated</span> `+link+"\n")
			}
			_, list, _ := strings.Cut(m.text(page), "Declared routing")
			list, _, _ = strings.Cut(list, "</ul>")
			if n := strings.Count(list, "<li>"); n != len(test.want) {
				t.Errorf("routing of %d splits has changed, want %d: %s", n, len(test.want), list)
			}
			if n := len(test.want); n > 0 {
				m.has(page, fmt.Sprintf("routing of %d split", n))
			}
		})
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
