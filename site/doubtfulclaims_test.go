package site

import (
	"maps"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/schema"
)

// later returns packs with the outputs and the record of an earlier build, as if that had
// been made on another day.
func later(first made, packs map[string]files, day string) map[string]files {
	kept := maps.Clone(packs["kettle"])
	for path, data := range first.files {
		name, ok := strings.CutPrefix(path, "packs/kettle/")
		if ok && strings.HasPrefix(name, "compiled/") && !strings.HasSuffix(name, ".html") {
			kept[name] = string(data)
		}
	}
	maps.Copy(kept, runOf(first, day))
	packs["kettle"] = kept
	return packs
}

// runOf returns the record of the run of an earlier build and its ledger, as if that had been
// made on another day.
func runOf(first made, day string) files {
	name := func(day string) string { return "runs/compile-" + day + "T08-00-00Z.json" }
	of := func(path string) string {
		return strings.ReplaceAll(first.text("packs/kettle/"+path), "2026-06-01T08-00-00Z", day+"T08-00-00Z")
	}
	then, record := first.text("packs/kettle/"+name("2026-06-01")), of(name("2026-06-01"))
	sum := func(text string) string { return archive.SHA256([]byte(text)) }
	return files{
		name(day):                       record,
		schema.RunLedgerPath(name(day)): strings.Replace(of(schema.RunLedgerPath(name("2026-06-01"))), sum(then), sum(record), 1),
	}
}

// A stale claim says since when it is, as the records of runs know, on its page and on that
// of its source.
func TestAStaleClaimSaysSinceWhen(t *testing.T) {
	first := generate(t, Options{}, both())
	packs := later(first, both(), "2026-05-01")
	packs["kettle"]["sources/spec.md"] = "# Spec\n\nCapacity: 2.0 litres\n"
	packs["kettle"]["documents/care.md"] += "\n## Rinsing\n\nTwice.\n"
	m := generate(t, Options{}, packs)
	const since = `<span class="badge stale">stale</span> <small class=since>since 2026-06-01</small>`
	m.has("packs/kettle/claims.html", since)
	m.has("packs/kettle/cited/spec.md.html", since)
	if strings.Contains(first.text("packs/kettle/claims.html"), "class=since") {
		t.Error("a claim that is not stale says since when it is")
	}
}

// A disputed claim names what says the same elsewhere and what else rests on its lines.
func TestADisputedClaimNamesWhatItIsDisputedWith(t *testing.T) {
	packs := both()
	kettle := packs["kettle"]
	kettle["sources/lid.md"] = "# Lid\n\nRed.\nBlue.\n"
	kettle["documents/lid.md"] = "# Lid\n\n## Colour\n\n- The lid is red. [source: sources/lid.md#L3] [status: disputed]\n- Another lid is blue. [source: sources/lid.md#L4]\n"
	kettle["documents/lids.md"] = "# Lids\n\nLids.\n\n- The lid is brown & round. [source: sources/lid.md#L3]\n- The lid is red. [source: sources/lid.md#L3]\n"
	m := generate(t, Options{}, packs)
	const page = "packs/kettle/claims.html"
	m.has(page, `<a href=documents/lid.html#colour>Lid</a> <small>Colour</small>`)
	m.has(page, `The lid is red. <span class="badge disputed">disputed</span><p class=against>Disputed with <a href=documents/lids.html#lids>Lids</a>, which says the same</p><p class=against>and with <a href=documents/lids.html#lids>Lids</a>: The lid is brown &amp; round.</p>`)
	if strings.Contains(m.text(page), ": Another lid is blue") {
		t.Error("a claim on other lines is one of those")
	}
}

// A run counts a claim as removed once, though later records repeat it because it was stale
// when it went.
func TestARemovedClaimIsCountedOnce(t *testing.T) {
	claim := func(text string) map[string]files {
		packs := both()
		packs["kettle"]["sources/lid.md"] = "# Lid\n\n" + text + "\n"
		packs["kettle"]["documents/lid.md"] = "# Lid\n\nThe lid.\n"
		return packs
	}
	stated := claim("Red.")
	stated["kettle"]["documents/lid.md"] += "\n- The lid is red. [source: sources/lid.md#L3]\n"
	first := generate(t, Options{}, stated)
	second := generate(t, Options{}, later(first, claim("Blue."), "2026-04-01")) // the claim is stale as it goes
	second.has("packs/kettle/history.html", ", 1 claim removed")
	packs := later(second, claim("Blue."), "2026-05-01")
	packs["kettle"]["documents/lid.md"] += "\nIt shuts.\n"
	third := generate(t, Options{}, packs)
	if n := strings.Count(third.text("packs/kettle/history.html"), "claim removed"); n != 1 {
		t.Errorf("%d runs removed the claim, want 1:\n%s", n, third.text("packs/kettle/history.html"))
	}
}
