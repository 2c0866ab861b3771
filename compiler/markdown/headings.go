package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// Heading is a top-level heading with its section id (agent-knowledge section
// 6.3).
type Heading struct {
	Level    int    // 1 to 6
	ID       string // unique in the document, given to all headings in order
	Text     string // heading text: plain text without closing {#id}; may be ""
	Start    int    // offset of the start of its line
	End      int    // offset after its last line's line end
	Boundary bool   // is in the boundary class, itself or by a heading above (section 13.6)
}

// readHeadings fills Headings and the Heading of their blocks.
func readHeadings(d *Document) {
	ids := newIDs()
	p := plain{source: d.Text}
	var above outline
	for i := range d.Blocks {
		b := &d.Blocks[i]
		node, ok := b.Node.(*ast.Heading)
		if !ok {
			continue
		}
		text, explicit := p.heading(node)
		want := text
		if explicit != "" {
			want = explicit
		}
		b.Heading = len(d.Headings)
		d.Headings = append(d.Headings, Heading{
			Level: node.Level, ID: ids.Take(Slug(want)), Text: text,
			Start: b.Start, End: b.End,
			Boundary: above.enter(node.Level, ClassBoundary.Has(text)),
		})
	}
}

// giveSecondIDs gives headings the ids of {#id .class} at their end, and of a line
// {: #id .class } of Kramdown below them. They come beside the ids of sections, which
// they never change.
func giveSecondIDs(d *Document, ids *IDs) {
	p := plain{source: d.Text}
	for i := range d.Blocks {
		b := &d.Blocks[i]
		h, ok := b.Node.(*ast.Heading)
		if !ok {
			continue
		}
		id := ""
		if bytes.Contains(d.Text[b.Start:b.End], []byte("{#")) {
			if _, explicit := p.heading(h); explicit == "" {
				id = p.listedID()
			}
		}
		if id == "" && i+1 < len(d.Blocks) && d.Blocks[i+1].Start == b.End {
			id = idBelow(d, &d.Blocks[i+1])
		}
		if id != "" && !ids.used[id] {
			noteInner(d, h, ids.Take(id))
		}
	}
}

// listedID returns the id of a list of attributes that ends the text in the buffer; ""
// when none does.
func (p *plain) listedID() string {
	start := bytes.LastIndex(p.buf, []byte(" {#"))
	if start < 0 || start+1 < p.solid {
		return ""
	}
	a, _ := attributesAtEnd(p.buf[start+1:])
	return a.ID
}

// attributesAtEnd reads a text that is a list of attributes and nothing more.
func attributesAtEnd(text []byte) (a Attributes, ok bool) {
	inside, ok := bytes.CutSuffix(text, []byte("}"))
	if !ok || len(text) > maxAttributes || bytes.ContainsAny(inside[1:], "{}") {
		return Attributes{}, false
	}
	if !a.read(string(inside[1:])) {
		return Attributes{}, false
	}
	return a, true
}

// WithoutAttributes returns the text of a heading as it is shown: without {#id .class} at
// its end.
func WithoutAttributes(text string) string {
	text = strings.TrimRight(text, " \t")
	start := strings.LastIndex(text, " {#")
	if start < 0 {
		return text
	}
	if _, ok := attributesAtEnd([]byte(text[start+1:])); !ok {
		return text
	}
	return strings.TrimRight(text[:start], " \t")
}

// idBelow returns the id in a line {: #id .class } of Kramdown, which is about the heading
// in the line above; "" for other blocks.
func idBelow(d *Document, b *Block) string {
	if b.Node.Kind() != ast.KindParagraph || b.Node.ChildCount() != 1 || !bytes.HasPrefix(bytes.TrimLeft(d.Text[b.Start:b.End], " "), []byte("{:")) {
		return ""
	}
	if a, ok := b.Node.FirstChild().(*Attributes); ok {
		return a.ID
	}
	return ""
}

// outline knows, for each heading level, whether the nearest heading of that
// level above the current place is a boundary heading.
type outline [7]bool

// enter moves below a heading and reports whether what follows is under a
// boundary heading.
func (o *outline) enter(level int, boundary bool) bool {
	o[level] = boundary
	for l := level + 1; l < len(o); l++ {
		o[l] = false
	}
	for l := 1; l <= level; l++ {
		if o[l] {
			return true
		}
	}
	return false
}

// heading returns the text of a heading and its explicit id, "" when it has
// none.
func (p *plain) heading(n *ast.Heading) (text, explicit string) {
	p.reset()
	p.children(n)
	p.buf = bytes.TrimRightFunc(p.buf, unicode.IsSpace)
	if a, ok := n.LastChild().(*Attributes); ok {
		return string(collapse(p.buf)), a.ID
	}
	if start := p.explicitID(); start >= 0 {
		explicit = string(p.buf[start+2 : len(p.buf)-1])
		p.buf = p.buf[:start]
	}
	if text = string(collapse(p.buf)); text == "" && explicit == "" {
		text = p.macro(n)
	}
	return text, explicit
}

// macro returns what a heading that is only a comment is about.
func (p *plain) macro(n *ast.Heading) string {
	raw, ok := n.FirstChild().(*ast.RawHTML)
	if !ok {
		return ""
	}
	return MacroWord(raw.Segments.Value(p.source))
}

// MacroWord returns the last word of a comment such as <!-- md:setting config.lang -->,
// which another system puts in its place; "" if it is not one. Alone in a block it is a
// place with the id "+config.lang".
func MacroWord(comment []byte) string {
	inside, begins := bytes.CutPrefix(bytes.TrimSpace(comment), []byte("<!--"))
	inside, ends := bytes.CutSuffix(inside, []byte("-->"))
	words := strings.Fields(string(inside))
	if !begins || !ends || len(words) != 2 || !strings.Contains(words[0], ":") {
		return ""
	}
	return words[1]
}

// explicitID returns where a closing {#id} starts in the buffer, or -1. It must
// be written as literal text of the heading itself.
func (p *plain) explicitID() int {
	end := len(p.buf) - 1
	if end < 3 || p.buf[end] != '}' {
		return -1
	}
	start := bytes.LastIndexByte(p.buf[:end], '{')
	if start < p.solid || start < 0 || start+2 >= end || p.buf[start+1] != '#' {
		return -1
	}
	id := p.buf[start+2 : end]
	if bytes.ContainsAny(id, "{}") || bytes.IndexFunc(id, unicode.IsSpace) >= 0 {
		return -1
	}
	if start > 0 {
		if before, _ := utf8.DecodeLastRune(p.buf[:start]); !unicode.IsSpace(before) {
			return -1
		}
	}
	return start
}
