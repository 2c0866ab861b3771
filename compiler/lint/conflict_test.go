package lint

import (
	"slices"
	"testing"

	"github.com/packgen/packgen/compiler/schema"
)

func TestConflicts(t *testing.T) {
	in := func(document, text, status string) schema.Claim {
		c := schema.Claim{Text: text, Status: status, Document: document, CompiledInto: []string{document + "#s"}}
		if document != "wiki/contradictions/open.md" && document != "wiki/contradictions/settled.md" && document != "wiki/sources/notes.md" {
			c.CompiledInto = append(c.CompiledInto, "compiled/splits/"+document)
		}
		return c
	}
	var got []string
	for _, d := range Conflicts([]schema.Claim{
		in("wiki/a.md", "Bands move.", "confirmed"),
		in("wiki/a.md", "bands -- MOVE", "confirmed"), // the same claim of the same file
		in("wiki/b.md", "Stars eat.", "confirmed"),
		in("wiki/c.md", "stars eat", "disputed"),
		in("wiki/d.md", "Settled once.", "confirmed"),
		in("wiki/e.md", "Alone.", "disputed"),
		in("wiki/sources/notes.md", "Bands move.", "confirmed"), // in no split
		in("wiki/f.md", "Bands move", "stale"),
		in("wiki/g.md", "...", "confirmed"),
		in("wiki/h.md", "!", "disputed"),
		in("wiki/contradictions/open.md", "Bands move", "disputed"),
		in("wiki/contradictions/settled.md", "Settled once", "confirmed"),
	}, func(page string) bool { return page == "wiki/contradictions/open.md" }) {
		got = append(got, d.Path+" "+d.Message)
	}
	want := []string{
		`wiki/a.md "Bands move." is disputed on wiki/contradictions/open.md.`,
		`wiki/b.md "Stars eat." is both confirmed and disputed.`,
		`wiki/f.md "Bands move" is disputed on wiki/contradictions/open.md.`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
