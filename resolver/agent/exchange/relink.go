package exchange

import (
	"bytes"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/reference"
)

// edit replaces a part of a text.
type edit struct {
	start, end int
	text       string
}

// apply carries out edits that do not overlap; of two that do, the first counts.
func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, e := range edits {
		if e.start < at {
			continue
		}
		out = append(append(out, text[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, text[at:]...)
}

// outer reports a destination that leads out of any folder, or to a place on the page.
func outer(dest string) bool {
	scheme, _, ok := strings.Cut(dest, ":")
	return dest == "" || dest[0] == '#' || dest[0] == '?' || strings.HasPrefix(dest, "//") ||
		ok && !strings.ContainsAny(scheme, "/.#?%") || strings.Contains(dest, "{{") || strings.Contains(dest, "{%")
}

// linkEdits are the edits that give the links of a document new destinations. place
// returns the destination in place of a link; false leaves the link as it is.
func linkEdits(doc *markdown.Document, place func(l markdown.Link) (string, bool)) []edit {
	var edits []edit
	taken := map[int]bool{}
	for _, l := range doc.Links {
		if !l.Wiki && outer(l.Dest) {
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
		for _, at := range written(doc.Text, l) {
			if !taken[at] {
				taken[at] = true
				edits = append(edits, edit{at, at + len(l.Dest), dest})
			}
		}
	}
	return edits
}

// wikiEdit writes a wiki link as one of Markdown; "" for a destination leaves its text.
func wikiEdit(text []byte, l markdown.Link, dest string) (edit, bool) {
	start := l.Offset
	if l.Image && bytes.HasPrefix(text[start:], []byte("![[")) {
		start++
	}
	if !bytes.HasPrefix(text[start:], []byte("[[")) {
		return edit{}, false
	}
	n := bytes.Index(text[start:], []byte("]]"))
	if n < 0 {
		return edit{}, false
	}
	label := strings.NewReplacer("[", `\[`, "]", `\]`).Replace(oneLine(l.Text))
	if dest == "" {
		return edit{l.Offset, start + n + 2, label}, true
	}
	if l.Fragment != "" {
		dest += "#" + markdown.Slug(l.Fragment)
	}
	return edit{start, start + n + 2, "[" + label + "](" + dest + ")"}, true
}

// far is how far after its beginning the destination of a link is looked for, in bytes.
const far = 16 << 10

// written lists the offsets at which the destination of a link is written: in the link,
// or in the definitions that it refers to.
func written(text []byte, l markdown.Link) []int {
	span := text[l.Offset:min(len(text), l.Offset+far)]
	at := 0
	if bytes.HasPrefix(span, []byte("!")) {
		at = 1
	}
	if at < len(span) && span[at] == '<' {
		return inTag(span, l)
	}
	if at = closing(span, at); at > 0 && at < len(span) && span[at] == '(' {
		rest := bytes.TrimLeft(span[at+1:], " \t\n")
		rest = bytes.TrimPrefix(rest, []byte("<"))
		if bytes.HasPrefix(rest, []byte(l.Dest)) && ends(rest[len(l.Dest):]) {
			return []int{l.Offset + len(span) - len(rest)}
		}
	}
	definition, err := regexp.Compile(`(?m)^ {0,3}\[[^\]\n]+\]:[ \t]*<?(` + regexp.QuoteMeta(l.Dest) + `)(?:[> \t]|$)`)
	if err != nil {
		return nil
	}
	var list []int
	for _, m := range definition.FindAllSubmatchIndex(text, -1) {
		list = append(list, m[2])
	}
	return list
}

// inTag finds the destination in an HTML tag.
func inTag(span []byte, l markdown.Link) []int {
	end := bytes.IndexByte(span, '>')
	for at := 0; at < end; {
		i := bytes.Index(span[at:end], []byte(l.Dest))
		if i < 0 {
			return nil
		}
		i += at
		if before := bytes.TrimRight(span[:i], "\"'"); bytes.HasSuffix(before, []byte("=")) && ends(span[i+len(l.Dest):]) {
			return []int{l.Offset + i}
		}
		at = i + 1
	}
	return nil
}

// closing returns the offset after the bracket that closes the one at an offset; 0 when
// there is none.
func closing(text []byte, at int) int {
	depth := 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '`':
			run := len(text[i:]) - len(bytes.TrimLeft(text[i:], "`"))
			if n := bytes.Index(text[i+run:], text[i:i+run]); n >= 0 {
				i += run + n
			}
			i += run - 1
		case '[':
			depth++
		case ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
	}
	return 0
}

// ends reports whether a destination may end before a text.
func ends(after []byte) bool {
	return len(after) == 0 || strings.IndexByte(") \t\n>\"'", after[0]) >= 0
}

// pathOf returns the path that a destination names, without query and fragment.
func pathOf(dest string) string {
	if i := strings.IndexAny(dest, "?#"); i >= 0 {
		dest = dest[:i]
	}
	if plain, err := url.PathUnescape(dest); err == nil {
		return plain
	}
	return dest
}

// follow returns the file or folder of the pack that a link in one of its files leads
// to; "" when there is none.
func (s *source) follow(from string, l markdown.Link) string {
	if l.Wiki {
		found, _, _ := s.table.Labelled(s.names, from, l.Dest, l.Fragment, l.Label)
		return found.Path
	}
	return s.table.Resolve(from, reference.Join(from, pathOf(l.Dest))).Path
}

// carried reports whether an export may take a file that is not a page along: one that
// pages show, and no source, record or output.
func (s *source) carried(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	return (top == "assets" || top == "documents" || top == "wiki") && path.Ext(name) != ".md" && !s.left[name]
}

// elsewhere is the address of a text that an export has not.
func elsewhere(name, target string) string {
	u := url.URL{Scheme: "knowledge", Host: name, Path: "/" + strings.TrimLeft(target, "/")}
	return u.String()
}

// moved says where files of a pack are in an export, by their path in the pack.
type moved map[string]string

// relink returns the edits that make the links of a document right at another path of an
// export. Links to what the export has not become addresses of the pack, whose name is
// given.
func (s *source) relink(doc *markdown.Document, to string, at moved, name string) []edit {
	return linkEdits(doc, func(l markdown.Link) (string, bool) {
		target := s.follow(doc.Path, l)
		if place, ok := at[target]; ok && target != "" {
			if _, asset := s.used[target]; asset {
				s.used[target] = true
			}
			return reference.Rewrite(to, l.Dest, place), true
		}
		if l.Wiki {
			return "", true
		}
		if target == "" {
			target = reference.Join(doc.Path, pathOf(l.Dest))
		}
		if strings.HasPrefix(target, "..") {
			return "", false
		}
		return elsewhere(name, target), true
	})
}

// assets are the other files that pages lead to, in path order.
func (s *source) assets(pages []*page) []string {
	for _, p := range append([]*page{{path: s.guide.Path, doc: s.guide}}, pages...) {
		for _, l := range p.doc.Links {
			if !l.Wiki && outer(l.Dest) {
				continue
			}
			if target := s.follow(p.path, l); s.pack.Has(target) && s.carried(target) {
				s.used[target] = true
			}
		}
	}
	list := make([]string, 0, len(s.used))
	for name := range s.used {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// anchorEdits turn the anchors of a document into text: what they name stays behind, and
// a pack that is made of the export must not refer to files that it has not.
func anchorEdits(doc *markdown.Document, write func(parts []markdown.Anchor, inner string) string) []edit {
	var edits []edit
	for i := 0; i < len(doc.Anchors); {
		start := doc.Anchors[i].Offset
		j := i
		for j < len(doc.Anchors) && doc.Anchors[j].Offset == start {
			j++
		}
		if n := bytes.IndexByte(doc.Text[start:], ']'); n > 0 {
			inner := string(doc.Text[start+1 : start+n])
			edits = append(edits, edit{start, start + n + 1, write(doc.Anchors[i:j], inner)})
		}
		i = j
	}
	return edits
}

// inParentheses writes an anchor as text.
func inParentheses(_ []markdown.Anchor, inner string) string { return "(" + inner + ")" }
