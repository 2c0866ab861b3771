package site

import (
	"strings"
	"testing"

	"github.com/packgen/packgen/site/model"
)

func TestLinksToFilesThatAreNotPublishedAreOneFinding(t *testing.T) {
	m := generate(t, Options{}, map[string]files{"p": {
		"KNOWLEDGE.md":     "---\nname: p\ndescription: D.\ntype: domain-reference\nstatus: ready\nprofile: document-first\ngrounding: none\nmetadata: {primaryDocument: documents/a.md}\n---\n# P\n",
		"documents/a.md":   "# A\n\n[one](run.js) [two](x.html), [song](s.mp3) and ![[board.canvas]] ![[deep.js]]\n",
		"documents/run.js": "1", "documents/x.html": "x", "documents/s.mp3": "s", "documents/board.canvas": "{}", "documents/deep.js": "2",
	}})
	var got []string
	for _, d := range m.out.Diagnostics {
		if d.ID == model.RuleUnpublished {
			got = append(got, d.Message)
		}
	}
	want := "a link leads to documents/run.js, which is in the archive and not on the site; 2 more links to such files"
	if strings.Join(got, "\n") != want {
		t.Errorf("%q, want %q", got, want)
	}
	for name, published := range map[string]bool{"documents/s.mp3": true, "documents/board.canvas": true, "documents/run.js": false, "documents/x.html": false} {
		if _, ok := m.files["packs/p/"+name]; ok != published {
			t.Errorf("%s is published: %t, want %t", name, ok, published)
		}
	}
}
