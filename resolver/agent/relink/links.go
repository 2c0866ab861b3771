package relink

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/markdown"
)

// Edit replaces a part of a text.
type Edit struct {
	Start, End int // byte offsets
	Text       string
}

// Apply carries out edits that do not overlap; of two that do, the first counts.
func Apply(text []byte, edits []Edit) []byte {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Start - b.Start })
	var out []byte
	at := 0
	for _, e := range edits {
		if e.Start < at {
			continue
		}
		out = append(append(out, text[at:e.Start]...), e.Text...)
		at = e.End
	}
	return append(out, text[at:]...)
}

// Outer reports a destination that leads out of any folder, or to a place on the page.
func Outer(dest string) bool {
	scheme, _, ok := strings.Cut(dest, ":")
	return dest == "" || dest[0] == '#' || dest[0] == '?' || strings.HasPrefix(dest, "//") ||
		ok && !strings.ContainsAny(scheme, "/.#?%") || strings.Contains(dest, "{{") || strings.Contains(dest, "{%")
}

// PathOf returns the path that a destination names, without query and fragment.
func PathOf(dest string) string {
	if i := strings.IndexAny(dest, "?#"); i >= 0 {
		dest = dest[:i]
	}
	if plain, err := url.PathUnescape(dest); err == nil {
		return plain
	}
	return dest
}

// Links are the edits that give the links of a document new destinations. place returns
// the destination in place of a link; false leaves the link as it is.
func Links(doc *markdown.Document, place func(l markdown.Link) (string, bool)) []Edit {
	var edits []Edit
	taken := map[int]bool{}
	written := Places(doc)
	for _, l := range doc.Links {
		if !l.Wiki && Outer(l.Dest) {
			continue
		}
		dest, ok := place(l)
		if !ok {
			continue
		}
		if l.Wiki {
			if e, ok := wikiEdit(doc.Text, l, dest); ok {
				edits = append(edits, e)
			}
			continue
		}
		if from, to := written(l); to > from && !taken[from] {
			taken[from] = true
			edits = append(edits, Edit{from, to, dest})
		}
	}
	return edits
}

// wikiEdit writes a wiki link as one of Markdown; "" for a destination leaves its text.
func wikiEdit(text []byte, l markdown.Link, dest string) (Edit, bool) {
	start := l.Offset
	if l.Image && bytes.HasPrefix(text[start:], []byte("![[")) {
		start++
	}
	if !bytes.HasPrefix(text[start:], []byte("[[")) {
		return Edit{}, false
	}
	n := bytes.Index(text[start:], []byte("]]"))
	if n < 0 {
		return Edit{}, false
	}
	label := strings.NewReplacer("[", `\[`, "]", `\]`, "<", "(", ">", ")").Replace(strings.Join(strings.Fields(invisible.Line(l.Text)), " "))
	if dest == "" {
		return Edit{l.Offset, start + n + 2, label}, true
	}
	if l.Fragment != "" {
		dest += "#" + markdown.Slug(l.Fragment)
	}
	return Edit{start, start + n + 2, "[" + label + "](" + dest + ")"}, true
}
