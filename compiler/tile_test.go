package compiler

import (
	"bytes"
	"math/rand/v2"
	"testing"

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
	for _, p := range cutDocument(doc, "d") {
		if p.start < at || p.end < p.start || p.first < p.start || p.last > p.end {
			t.Fatalf("section %s is [%d:%d], trimmed [%d:%d], after %d, in %q", p.id, p.start, p.end, p.first, p.last, at, text)
		}
		take(p.start)
		body = append(body, doc.Text[p.start:p.end]...)
		at = p.end
	}
	take(len(doc.Text))
	if !bytes.Equal(body, doc.Text[doc.Body:]) {
		t.Errorf("sections give %q of %q", body, text)
	}
}

func TestSectionsTileTheBody(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		checkTiles(t, randomDocument(r))
	}
}

func FuzzSectionsTileTheBody(f *testing.F) {
	f.Add("---\na: b\n---\n# T\n\n## A\n\n### B\n\ntext\n")
	f.Add("one\n\n# A\n# B\n---\nC\n===\n")
	f.Fuzz(func(t *testing.T, text string) { checkTiles(t, text) })
}
