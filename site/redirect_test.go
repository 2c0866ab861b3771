package site

import "testing"

func TestFormerPathsLeadToThePage(t *testing.T) {
	m := generate(t, Options{}, map[string]files{"kettle": {
		"KNOWLEDGE.md":       entry("kettle", "document-first", "metadata:\n  primaryDocument: documents/main.md\n"),
		"documents/main.md":  "---\nredirect_from: [/old/place, /old/html/, /other, /MAIN, /x/../../../y]\nsidebar_label: Short\n---\n# Main :tada:\n",
		"documents/other.md": "---\nslug: /old/place\n---\n# Other\n",
	}})
	m.has("packs/kettle/documents/old/place.html", `<meta http-equiv=refresh content="0; url=../main.html">`)
	m.has("packs/kettle/documents/old/html/index.html", `<a href=../../main.html>`)
	m.has("packs/kettle/documents/y.html", `<a href=main.html>Main 🎉</a>`)
	m.has("packs/kettle/documents/other.html", "Other</h1>")
	m.has("packs/kettle/documents/main.html", "<h1 id=main-tada>Main 🎉</h1>")
	m.has("packs/kettle/documents/other.html", "<a href=main.html>Short</a>")
	if _, ok := m.files["packs/kettle/documents/MAIN.html"]; ok {
		t.Error("a redirect is written beside a page of the same name in another case")
	}
}

func TestAPageKeepsItsAddressWhenItMovesToAnotherFolder(t *testing.T) {
	m := generate(t, Options{}, map[string]files{"kettle": {
		"KNOWLEDGE.md":      entry("kettle", "hybrid", "metadata:\n  primaryDocument: documents/main.md\n"),
		"documents/main.md": "---\nredirect_from: [wiki/old.md, documents/older.md]\n---\n# Main\n",
		"wiki/new.md":       "# New\n\nText.\n",
	}})
	m.has("packs/kettle/wiki/old.html", `<meta http-equiv=refresh content="0; url=../documents/main.html">`)
	m.has("packs/kettle/documents/older.html", `<meta http-equiv=refresh content="0; url=main.html">`)
}
