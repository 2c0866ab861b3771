package lint

import (
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/schema"
)

func TestConflicts(t *testing.T) {
	in := func(document, text, status string) schema.Claim {
		c := schema.Claim{Text: text, Status: schema.Status(status), Document: document, CompiledInto: []string{document + "#s"}}
		if document != "wiki/contradictions/open.md" && document != "wiki/contradictions/settled.md" && document != "wiki/sources/notes.md" {
			c.CompiledInto = append(c.CompiledInto, "compiled/splits/"+document)
		}
		return c
	}
	var got, hints []string
	found, disputed := Conflicts([]schema.Claim{
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
	}, func(page string) bool { return page == "wiki/contradictions/open.md" }, func(c *schema.Claim) (line, column int) {
		return len(c.Document), 3
	})
	for _, d := range found {
		got = append(got, d.Place()+" "+d.Message)
		hints = append(hints, d.Hint)
	}
	want := []string{
		`wiki/a.md:9:3 "Bands move." is disputed on wiki/contradictions/open.md`,
		`wiki/b.md:9:3 "Stars eat." is both confirmed and disputed`,
		`wiki/f.md:9:3 "Bands move" is disputed on wiki/contradictions/open.md`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for text, want := range map[string]bool{"Bands move!": true, "stars EAT": true, "Settled once.": false, "Alone.": false, "...": false} {
		if disputed(text) != want {
			t.Errorf("%q is in conflict: %v", text, !want)
		}
	}
	for i, there := range []string{"wiki/contradictions/open.md:27:3", "wiki/c.md:9:3", "wiki/contradictions/open.md:27:3"} {
		if len(hints) <= i || !strings.HasPrefix(hints[i], "compare with "+there+";") {
			t.Errorf("hints are %q", hints)
		}
	}
}
