package markdown

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/frontmatter"
)

// checkDocument holds what is true of every document: offsets are in range and
// ascending, blocks do not overlap and leave out blank lines only, ids are
// unique and stay ids.
func checkDocument(t *testing.T, d *Document) {
	t.Helper()
	size := len(d.Text)
	if d.Body < 0 || d.Body > size {
		t.Fatalf("body at %d of %d", d.Body, size)
	}
	at := d.Body
	blank := func(end int) {
		if gap := d.Text[at:end]; len(bytes.Trim(gap, " \t\n")) > 0 {
			t.Fatalf("text %q stands in no block", gap)
		}
	}
	for i, b := range d.Blocks {
		if b.Start < at || b.End <= b.Start || b.End > size {
			t.Fatalf("block %d is %d-%d after %d of %d", i, b.Start, b.End, at, size)
		}
		if b.Start > d.Body && d.Text[b.Start-1] != '\n' || b.End < size && d.Text[b.End-1] != '\n' {
			t.Fatalf("block %d, %q, is not whole lines", i, d.Text[b.Start:b.End])
		}
		blank(b.Start)
		at = b.End
		if b.Heading >= 0 {
			if h := d.Headings[b.Heading]; h.Start != b.Start || h.End != b.End {
				t.Fatalf("heading %+v has another place than its block %+v", h, b)
			}
		}
	}
	blank(size)

	seen := map[string]bool{}
	for _, h := range d.Headings {
		if seen[h.ID] || h.ID == "" {
			t.Fatalf("id %q is empty or given twice", h.ID)
		}
		seen[h.ID] = true
		if len(Stem(h.ID)) > maxStem {
			t.Fatalf("stem %q is too long", Stem(h.ID))
		}
	}
	last := d.Body
	for _, u := range d.Units {
		if u.Start < last || u.End < u.Start || u.End > size {
			t.Fatalf("unit %q at %d-%d after %d of %d", u.Text, u.Start, u.End, last, size)
		}
		last = u.Start
		if u.Text != strings.Join(strings.Fields(u.Text), " ") {
			t.Fatalf("text %q is not collapsed", u.Text)
		}
	}
	last = d.Body
	for _, a := range d.Anchors {
		if a.Offset < last || a.Offset >= size {
			t.Fatalf("anchor %q at %d after %d", a.Written, a.Offset, last)
		}
		last = a.Offset
	}
	last = d.Body
	for _, l := range d.Links {
		if l.Offset < last || l.Offset >= size {
			t.Fatalf("link %q at %d after %d", l.Dest, l.Offset, last)
		}
		last = l.Offset
	}
}

// joinedAt cuts the body at the chosen headings and joins the pieces again.
func joinedAt(d *Document, cut func(i int) bool) []byte {
	var out []byte
	from := d.Body
	for i, h := range d.Headings {
		if cut(i) {
			out = append(out, d.Text[from:h.Start]...)
			from = h.Start
		}
	}
	return append(out, d.Text[from:]...)
}

func TestPiecesCutAtHeadingsTileTheBody(t *testing.T) {
	d := Parse("d.md", realisticPage())
	checkDocument(t, d)
	if len(d.Headings) != 7 {
		t.Fatalf("the page has %d headings, want 7", len(d.Headings))
	}
	for set := range 1 << len(d.Headings) {
		if got := joinedAt(d, func(i int) bool { return set>>i&1 == 1 }); !bytes.Equal(got, d.Text[d.Body:]) {
			t.Fatalf("cut at set %b: the pieces are not the body", set)
		}
	}
}

// markdownPieces are what random documents are made of.
var markdownPieces = []string{
	"# A\n", "## A {#x}\n", "A\n===\n", "b\n---\n", "---\n", "- a\n", "  - b\n", "1. c\n", "> q\n", "> - r\n", "\n", "\n\n",
	"text ", "*em", "*", "_", "`c`", "```\n", "    code\n", "\t", "<!-- c -->", "<div>\n", "</div>\n", "[x](u)", "[x]", "(u)", "[r]: u\n", "[^x]", "[^x]: n\n", ":::note\n", ":::\n", "!!! note\n", "    ", ": d\n", "$$\n", "$x$", "[[p]]", "> [!tip] t\n", "{: .a }", "~~", "!> h ", "<a id=b>", "<h2>",
	"|a|b|\n", "|-|-|\n", "[source: sources/a]", "[source: ../b; c]", "[status: stale]", "[status: odd]", "- claim: a\n", "  source: wiki/b\n",
	"é", "\u3000", "&amp;", "\\", "\\\n", "  \n", "!", "<http://e>", "- [ ] t\n", "...", "\f", "\v", "::", "status: x\n",
}

func TestRandomDocumentsHoldTheLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(14) {
			b.WriteString(markdownPieces[r.IntN(len(markdownPieces))])
		}
		text := b.String()
		ok := t.Run("", func(t *testing.T) { checkDocument(t, Parse("d.md", []byte(text))) })
		if !ok {
			t.Fatalf("document %q", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(realisticPage())
	f.Add([]byte("---\nstatus: x\n---\n# A\n\n- [source: a\n"))
	f.Add([]byte("-\n"))
	f.Add([]byte("a\n|-|\n|b|\n"))
	f.Add([]byte("[a]: b\n[c]: d\ne\n-\n"))
	f.Add([]byte("- claim: a\n  status: b\n"))
	for _, piece := range markdownPieces {
		f.Add([]byte(piece + piece))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		text, ok := frontmatter.Decode(file)
		if !ok {
			return
		}
		d := Parse("d.md", text)
		checkDocument(t, d)
		d.ContextMap()
		d.Lead()
		d.BoundaryItems()
		for _, x := range d.Diagnostics {
			if x.Line < 1 || x.Message == "" {
				t.Fatalf("diagnostic without place or message: %+v", x)
			}
		}
	})
}

func FuzzParseAnchor(f *testing.F) {
	for _, s := range []string{"sources/a#L1", "../x", "", "#", "wiki/a;b", "a\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := parseAnchor(s)
		if a.Usable != (err == nil) || a.Usable == (a.Path == "") {
			t.Fatalf("ParseAnchor(%q) = %+v, %v", s, a, err)
		}
		if !a.Usable {
			return
		}
		again, err := parseAnchor(a.String())
		if err != nil || again.String() != a.String() {
			t.Fatalf("ParseAnchor(%q) = %q, read again %q, %v", s, a.String(), again.String(), err)
		}
	})
}

func FuzzSlugIsStable(f *testing.F) {
	for _, s := range []string{"A b", "", "é e\u0301", "🚀", "İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id := Slug(s)
		if id == "" || !utf8.ValidString(id) || strings.ContainsAny(id, " /\\.\x00#") {
			t.Fatalf("Slug(%q) = %q", s, id)
		}
	})
}
