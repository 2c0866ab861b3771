package compiler

import (
	"testing"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/schema"
)

func TestDoubtfulClaimsAreMarkedWhereTheyAreShown(t *testing.T) {
	doubts := DoubtsOf(&schema.SourceMap{Claims: []schema.Claim{
		{Text: "It holds one.", Status: "stale", Document: "wiki/a.md"},
		{Text: "Red | Blue", Status: "disputed", Document: "wiki/a.md"},
		{Text: "It is old.", Status: "stale", Document: "wiki/a.md"},
		{Text: "Both.", Status: "stale", Document: "wiki/a.md"}, {Text: "both", Status: "disputed", Document: "wiki/a.md"},
		{Text: "It is new.", Status: "inferred", Document: "wiki/a.md"},
		{Text: "Elsewhere.", Status: "disputed", Document: "wiki/b.md"},
	}})
	const text = "# A\n\n- It *holds* one! [source: sources/s.md#L1]\n  - It is old. [source: sources/s.md] [status: stale]\n\nBoth. [source: sources/s.md]\n\n" +
		"| Colour | Other |\n| --- | --- |\n| Red | Blue [source: sources/s.md] |\n\n- It is new. [status: inferred]\n- Elsewhere. [source: sources/s.md]\n\n`It holds one.`\n"
	const want = "# A\n\n- It *holds* one! [source: sources/s.md#L1] [status: stale]\n  - It is old. [source: sources/s.md] [status: stale]\n\nBoth. [source: sources/s.md] [status: disputed]\n\n" +
		"| Colour | Other |\n| --- | --- |\n| Red | Blue [source: sources/s.md] [status: disputed] |\n\n- It is new. [status: inferred]\n- Elsewhere. [source: sources/s.md]\n\n`It holds one.`\n"
	mark := func(document, text string) string {
		return string(markdown.Parse("wiki/a.md", []byte(text)).Marked(func(u *markdown.Unit) schema.Status {
			if len(u.Anchors) == 0 {
				return ""
			}
			return doubts.Of(document, u.Text)
		}))
	}
	if got := mark("wiki/a.md", text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := mark("wiki/a.md", want); again != want {
		t.Errorf("marking twice gives\n%s", again)
	}
	if got := mark("wiki/c.md", text); got != text {
		t.Errorf("a file without doubts became\n%s", got)
	}
	if !doubts.Any("wiki/a.md") || doubts.Any("wiki/c.md") || !doubts.Any("") || (&Doubts{}).Of("wiki/a.md", "It holds one.") != "" {
		t.Error("doubts are attributed to the wrong files")
	}
}
