package cut

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/packgen/packgen/compiler/cut/cuttest"
	"github.com/packgen/packgen/compiler/markdown"
)

// checkTiles checks that the sections of a document tile its body: put together,
// with what was left out between them because it says nothing, they give it back.
func checkTiles(t *testing.T, text string) {
	t.Helper()
	doc := markdown.Parse("documents/d.md", []byte(text))
	k := newCutter(doc)
	var body []byte
	at := doc.Body
	take := func(end int) {
		if k.hasContent(at, end) {
			t.Errorf("content between %d and %d is in no section of %q", at, end, text)
		}
		body = append(body, doc.Text[at:end]...)
	}
	for _, p := range Document(doc, "d") {
		if p.Start < at || p.End < p.Start || p.First < p.Start || p.Last > p.End {
			t.Fatalf("section %s is [%d:%d], trimmed [%d:%d], after %d, in %q", p.ID, p.Start, p.End, p.First, p.Last, at, text)
		}
		take(p.Start)
		body = append(body, doc.Text[p.Start:p.End]...)
		at = p.End
	}
	take(len(doc.Text))
	if !bytes.Equal(body, doc.Text[doc.Body:]) {
		t.Errorf("sections give %q of %q", body, text)
	}
}

func TestSectionsTileTheBody(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		checkTiles(t, cuttest.Document(r))
	}
}

func FuzzSectionsTileTheBody(f *testing.F) {
	f.Add("---\na: b\n---\n# T\n\n## A\n\n### B\n\ntext\n")
	f.Add("one\n\n# A\n# B\n---\nC\n===\n")
	f.Fuzz(func(t *testing.T, text string) { checkTiles(t, text) })
}
