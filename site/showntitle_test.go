package site

import (
	"testing"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/site/model"
)

// A page without a heading of the first level is called as its front matter says, in the
// titles of its splits too, and an entity there is the character it is for.
func TestTitlesOfFrontMatterStandForTheNameOfTheFile(t *testing.T) {
	page := func(title, meta string) *model.Node {
		return &model.Node{Path: "wiki/how-to-log-in.md", Facts: &model.Facts{FrontTitle: meta}, Unit: &compiler.UnitInfo{Title: title}}
	}
	const meta = "Logging in & networks"
	for _, test := range []struct {
		name, split, want string
		page              *model.Node
	}{
		{"the page", "how-to-log-in", meta, page("how-to-log-in", meta)},
		{"a section", "how-to-log-in: Laptop: Keys", "Laptop: Keys", page("how-to-log-in", meta)},
		{"a section called as the file begins", "how-to-log-in-again", "how-to-log-in-again", page("how-to-log-in", meta)},
		{"no title in the front matter", "how-to-log-in: Keys", "how-to-log-in: Keys", page("how-to-log-in", "")},
		{"a heading", "how-to-log-in: Keys", "how-to-log-in: Keys", page("Log in", "")},
	} {
		if got := model.ShownTitle(test.page, &schema.Split{Title: test.split}); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	m := generate(t, Options{}, map[string]files{"kettle": {
		"KNOWLEDGE.md": entry("kettle", "document-first", ""), "documents/main.md": "---\ntitle: Logging in &amp; networks\n---\n\nText.\n\n## Keys\n\nMore.\n",
	}})
	m.has("packs/kettle/documents/main.html", "<h1>Logging in &amp; networks</h1>")
}
