package markdown

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/text/unicode/norm"

	"github.com/packgen/packgen/compiler/packpath"
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

const (
	// maxStem is the longest section id, in bytes, that is its own file stem.
	maxStem = 80
	// stemPrefix is how many bytes of a longer id its stem keeps at most.
	stemPrefix = 71
)

// Slug applies the id rule of agent-knowledge section 6.3 to a heading text or
// an explicit id: NFC, lower case character by character, white space as "-",
// and of the rest only letters, marks, numbers, "-" and "_". An empty result
// is "section".
func Slug(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range norm.NFC.String(text) {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte('-')
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsNumber(r):
			b.WriteRune(unicode.ToLower(r))
		case unicode.IsMark(r) && !unicode.Is(unicode.Variation_Selector, r):
			b.WriteRune(unicode.ToLower(r))
		}
	}
	if b.Len() == 0 {
		return "section"
	}
	return b.String()
}

// Stem returns the file stem of a section id (agent-knowledge section 6.3): the
// id itself, or when it is longer than 80 bytes its first characters, at most 71
// bytes, with "-" and 8 hex digits of its SHA-256.
func Stem(id string) string {
	if len(id) <= maxStem {
		return id
	}
	cut := stemPrefix
	for cut > 0 && !utf8.RuneStart(id[cut]) {
		cut--
	}
	sum := sha256.Sum256([]byte(id))
	return id[:cut] + "-" + hex.EncodeToString(sum[:4])
}

// IDs gives section ids, each once (agent-knowledge section 6.3). It is not
// safe for concurrent use.
type IDs struct {
	used map[string]bool
	next map[string]int // the first number that may be free, by id
}

// newIDs returns an allocator with no id in use.
func newIDs() *IDs { return &IDs{used: map[string]bool{}, next: map[string]int{}} }

// Take returns id, or the first free of id-1, id-2, … when it is in use, and
// marks what it returns as used.
func (s *IDs) Take(id string) string {
	if !s.used[id] {
		s.used[id] = true
		return id
	}
	for n := max(1, s.next[id]); ; n++ {
		if numbered := id + "-" + strconv.Itoa(n); !s.used[numbered] {
			s.used[numbered] = true
			s.next[id] = n + 1
			return numbered
		}
	}
}

// Has reports an id that is in use.
func (s *IDs) Has(id string) bool { return s.used[id] }

// IDs returns a new allocator in which every heading id of the document is in
// use, for the ids "overview" and "<section>--<sub>" that come after them.
func (d *Document) IDs() *IDs {
	ids := newIDs()
	for _, h := range d.Headings {
		ids.used[h.ID] = true
	}
	return ids
}

// SetsLimits reports whether the document has text under a heading that is about
// boundaries or taboos.
func (doc *Document) SetsLimits() bool {
	for i, h := range doc.Headings {
		if !h.Boundary && !ClassTaboos.Has(h.Text) && !ClassPersonaBoundaries.Has(h.Text) {
			continue
		}
		end := len(doc.Text)
		if i+1 < len(doc.Headings) {
			end = doc.Headings[i+1].Start
		}
		if len(bytes.TrimSpace(doc.Text[h.End:end])) > 0 {
			return true
		}
	}
	return false
}

// Lead returns the first line of the first top-level paragraph as written,
// without anchors and markers; "" when there is no paragraph (agent-knowledge
// section 6.4, the briefing).
func (d *Document) Lead() string {
	for _, b := range d.Blocks {
		if b.Node.Kind() == ast.KindParagraph && b.Node.Lines().Len() > 0 {
			line := b.Node.Lines().At(0)
			return withoutBrackets(d, b.Node, line.Start, line.Stop)
		}
	}
	return ""
}

// withoutBrackets returns text[start:stop] of a paragraph, trimmed, without its
// anchors and markers and the white space before them.
func withoutBrackets(d *Document, n ast.Node, start, stop int) string {
	var out []byte
	at := start
	cut := func(from, to int) {
		if from >= at && from < stop {
			out = append(out, d.Text[at:from]...)
			out = bytes.TrimRight(out, " \t")
			at = min(to, stop)
		}
	}
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch c := c.(type) {
			case *AnchorNode:
				cut(c.Start, c.Stop)
			case *MarkerNode:
				cut(c.Start, c.Stop)
			}
		}
		return ast.WalkContinue, nil
	})
	return string(bytes.Trim(append(out, d.Text[at:stop]...), " \t\n"))
}

// BoundaryItems returns the list items under a boundary heading in one-line
// form, without "- " (agent-knowledge section 6.4, the view boundaries).
func (d *Document) BoundaryItems() []string {
	var items []string
	for _, u := range d.Units {
		if u.Boundary && u.Line != "" {
			items = append(items, u.Line)
		}
	}
	return items
}

// MapEntry is one entry of a context map (agent-knowledge section 3.7).
type MapEntry struct {
	Label  string   // item text without its backtick spans
	Paths  []string // clean pack paths as written: may end in "/" or carry "#section"
	Offset int      // of the item's text
}

// ContextMap returns the entries of the context map: the list items with a
// path in backticks, in the sections headed "Context map" or "Documents".
func (d *Document) ContextMap() []MapEntry {
	var entries []MapEntry
	inside := 0 // level of the heading that opened the section; 0 outside
	for _, b := range d.Blocks {
		if b.Heading < 0 {
			if inside > 0 {
				entries = mapItems(d, b.Node, entries)
			}
			continue
		}
		h := d.Headings[b.Heading]
		title := strings.ToLower(h.Text)
		switch {
		case inside > 0 && h.Level > inside:
		case title == "context map" || title == "documents":
			inside = h.Level
		default:
			inside = 0
		}
	}
	return entries
}

// mapItems adds the entries of the list items in a block.
func mapItems(d *Document, n ast.Node, entries []MapEntry) []MapEntry {
	first := n.Kind() == ast.KindListItem
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c.Kind() {
		case ast.KindParagraph, ast.KindTextBlock:
			if first {
				first = false
				if e, ok := readMapEntry(d, c); ok {
					entries = append(entries, e)
				}
			}
		case ast.KindList, ast.KindListItem, ast.KindBlockquote:
			entries = mapItems(d, c, entries)
		}
	}
	return entries
}

// readMapEntry reads one item's paragraph; ok is false when it names no path.
func readMapEntry(d *Document, n ast.Node) (e MapEntry, ok bool) {
	label := plain{source: d.Text}
	var span plain
	span.source = d.Text
	var visit func(ast.Node)
	visit = func(c ast.Node) {
		switch {
		case c.Kind() == ast.KindCodeSpan:
			if path := span.text(c); isMapPath(path) {
				e.Paths = append(e.Paths, path)
			}
		case c.Type() == ast.TypeInline && c.HasChildren():
			for g := c.FirstChild(); g != nil; g = g.NextSibling() {
				visit(g)
			}
		default:
			label.node(c)
		}
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		visit(c)
	}
	e.Label = string(collapse(label.buf))
	e.Offset, _ = extent(n, d.Text)
	return e, len(e.Paths) > 0
}

// isMapPath reports whether a backtick span is a clean pack path, with or
// without a "/" at its end or a "#section".
func isMapPath(s string) bool {
	path, _, _ := strings.Cut(s, "#")
	return packpath.Check(strings.TrimSuffix(path, "/")) == nil
}
