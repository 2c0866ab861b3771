package lint

import (
	"bytes"
	"net/url"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/prose"
)

// unescape decodes percent escapes; what is not a valid escape stays as written.
func unescape(s string) string {
	if decoded, err := url.PathUnescape(s); err == nil {
		return decoded
	}
	return s
}

// FoldText makes texts comparable: lower case, every run of other characters
// than letters and digits one space (agent-knowledge section 6.10,
// claim-conflict).
func FoldText(s string) string {
	var b strings.Builder
	gap := false
	for _, c := range s {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// exclude marks lines in which a mention needs no link.
func (p *page) exclude(lines []text.Segment) {
	for _, l := range lines {
		p.linked = append(p.linked, prose.Span{Start: l.Start, End: l.Stop})
	}
}

// excludeText marks the text below an inline node.
func (p *page) excludeText(n ast.Node) {
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := c.(*ast.Text); ok && entering {
			p.linked = append(p.linked, prose.Span{Start: t.Segment.Start, End: t.Segment.Stop})
		}
		return ast.WalkContinue, nil
	})
}

// term remembers a short text in bold, unless it is a label that introduces what
// follows ("**Note:** …") or opens its block.
func (p *page) term(doc *markdown.Document, n *ast.Emphasis) {
	first, ok := n.FirstChild().(*ast.Text)
	if !ok || n.PreviousSibling() == nil || len(p.terms) >= maxReferences {
		return
	}
	word := doc.PlainText(n)
	if len(word) > maxTermBytes || len(strings.Fields(word)) > maxTermWords || len([]rune(word)) < 4 || strings.ContainsAny(word, ":.!?,;") {
		return
	}
	r := reference{kind: boldTerm, written: word, target: markdown.Slug(word)}
	r.line, r.column = doc.Position(first.Segment.Start)
	p.terms = append(p.terms, r)
}

// wikiLinks takes the [[name]], [[name#section]] and [[name|text]] outside code.
func (p *page) wikiLinks(doc *markdown.Document) {
	if !bytes.Contains(doc.Text[doc.Body:], []byte("[[")) {
		return
	}
	about := prose.ReadQuoting(doc.Text)
	for at := doc.Body; len(p.links) < maxReferences; {
		i := bytes.Index(doc.Text[at:], []byte("[["))
		if i < 0 {
			break
		}
		start := at + i
		line, _, _ := bytes.Cut(doc.Text[start+2:], []byte("\n"))
		inner, _, closed := bytes.Cut(line[:min(len(line), maxBracket)], []byte("]]"))
		at = start + 2
		if !closed || about.Code.Holds(start, start+2) || about.Comments.Holds(start, start+2) || bytes.IndexByte(inner, '[') >= 0 {
			continue
		}
		name, _, _ := strings.Cut(string(inner), "|")
		name, fragment, _ := strings.Cut(name, "#")
		if name = strings.TrimSpace(name); name != "" {
			p.refer(doc, reference{kind: wikiLink, written: name, target: pageKey(name), fragment: strings.TrimSpace(fragment)}, start)
			p.linked = append(p.linked, prose.Span{Start: start, End: start + 2 + len(inner)})
		}
		at = start + 2 + len(inner)
	}
}

// pageKey is what names of pages are compared by: the id of their title.
func pageKey(name string) string { return markdown.Slug(strings.TrimSuffix(name, ".md")) }

// sortSpans puts spans in order and joins those that overlap.
func sortSpans(s prose.Spans) prose.Spans {
	sort.Slice(s, func(i, j int) bool { return s[i].Start < s[j].Start })
	var kept prose.Spans
	for _, next := range s {
		if n := len(kept); n > 0 && next.Start <= kept[n-1].End {
			kept[n-1].End = max(kept[n-1].End, next.End)
			continue
		}
		kept = append(kept, next)
	}
	return kept
}

// startsWord reports whether a word begins at an offset.
func startsWord(text []byte, i int) bool {
	c, _ := utf8.DecodeRune(text[i:])
	if !prose.IsWordRune(c) {
		return false
	}
	before, _ := utf8.DecodeLastRune(text[:i])
	return i == 0 || !prose.IsWordRune(before)
}

// wordRunEnd returns the end of the letters and digits from i on.
func wordRunEnd(text []byte, i int) int {
	for i < len(text) {
		c, size := utf8.DecodeRune(text[i:])
		if !prose.IsWordRune(c) {
			break
		}
		i += size
	}
	return i
}

// longestTitle returns the page whose title begins at an offset, the longest one
// that fits, and where it ends.
func longestTitle(text []byte, i int, root *titleNode) (to *page, end int) {
	start := i
	for node := root; ; {
		stop := wordRunEnd(text, i)
		node = node.next[strings.ToLower(string(text[i:stop]))]
		if node == nil {
			return to, end
		}
		if node.page != nil && !node.banned && (node.exact == "" || node.exact == string(text[start:stop]) && !startsSentence(text, start)) {
			to, end = node.page, stop
		}
		i = stop
		for i < len(text) && i-stop < 3 && (prose.IsBlank(text[i]) || text[i] == '-' || text[i] == '*') && !prose.EndsSentence(text, i) {
			i++
		}
		if i == stop || i == len(text) || !startsWord(text, i) {
			return to, end
		}
	}
}

// startsSentence reports whether nothing of the same sentence is before an
// offset, so that a capital letter there means nothing.
func startsSentence(text []byte, at int) bool {
	word, _ := prose.PreviousWord(text, at)
	return word == ""
}
