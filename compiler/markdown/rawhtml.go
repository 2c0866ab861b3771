package markdown

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/packgen/packgen/compiler/htmltag"
)

// HTMLHeading is a heading written in HTML, <h2>…</h2>. It has an id as on GitHub and is in
// lists of contents; a section starts at headings of Markdown alone.
type HTMLHeading struct {
	Level  int // 1 to 6
	ID     string
	Text   string
	Offset int // of its opening tag
}

// HTMLHeadingAt returns the heading whose opening tag is at an offset; nil when none is.
func (d *Document) HTMLHeadingAt(offset int) *HTMLHeading {
	i, ok := slices.BinarySearchFunc(d.HTMLHeadings, offset, func(h HTMLHeading, at int) int { return cmp.Compare(h.Offset, at) })
	if !ok {
		return nil
	}
	return &d.HTMLHeadings[i]
}

// AllHeadings returns the headings of sections with those written in HTML, in order.
func (d *Document) AllHeadings() []Heading {
	if len(d.HTMLHeadings) == 0 {
		return d.Headings
	}
	all := slices.Clone(d.Headings)
	for _, h := range d.HTMLHeadings {
		all = append(all, Heading{Level: h.Level, ID: h.ID, Text: h.Text, Start: h.Offset})
	}
	slices.SortStableFunc(all, func(a, b Heading) int { return cmp.Compare(a.Start, b.Start) })
	return all
}

// HTML returns the source of an HTML block, with white space in place of elements that are
// not shown, and where an offset into it is in the text.
func (d *Document) HTML(n *ast.HTMLBlock) (source []byte, offset func(int) int) {
	source, offset = htmlSource(d, n)
	return withoutElements(source), offset
}

// htmlSource returns the whole source of an HTML block, and where an offset into it is in the text.
func htmlSource(d *Document, n *ast.HTMLBlock) (source []byte, offset func(int) int) {
	segments := n.Lines().Sliced(0, n.Lines().Len())
	if n.HasClosure() {
		segments = append(slices.Clip(segments), n.ClosureLine)
	}
	return joinSegments(d.Text, segments)
}

// htmlBlock reads the links, ids and headings of an HTML block.
func (w *walker) htmlBlock(n *ast.HTMLBlock) {
	source, offset := w.d.HTML(n)
	if word := MacroWord(source); word != "" {
		w.d.Targets = append(w.d.Targets, "+"+word)
		return
	}
	w.html(source, offset)
}

// RawHTML returns the source of a tag in a line, and where an offset into it is in the text.
func (d *Document) RawHTML(n *ast.RawHTML) (source []byte, offset func(int) int) {
	return joinSegments(d.Text, n.Segments.Sliced(0, n.Segments.Len()))
}

// maxHTMLHeading is the longest text of such a heading, in bytes.
const maxHTMLHeading = 4 << 10

// heading reads a tag of a heading in HTML, of which the text of an open one starts at
// from, or before the HTML: what is between two blocks may be Markdown. It returns where the
// text of what is open then starts.
func (w *walker) heading(source []byte, t *htmltag.Token, from int, offset func(int) int) int {
	if len(t.Name) != 2 || t.Name[0] != 'h' || t.Name[1] < '1' || t.Name[1] > '6' {
		return from
	}
	level := int(t.Name[1] - '0')
	switch {
	case t.Kind == htmltag.Open:
		w.open, w.openEnd = HTMLHeading{Level: level, Offset: offset(t.Start)}, offset(t.End-1)+1
		return t.End
	case w.openEnd > 0 && level == w.open.Level:
		inside := w.d.Text[w.openEnd:max(w.openEnd, offset(t.Start))]
		if from > 0 {
			inside = source[from:t.Start]
		}
		if len(inside) <= maxHTMLHeading {
			w.open.Text = htmlText(inside)
			w.d.HTMLHeadings = append(w.d.HTMLHeadings, w.open)
		}
		w.openEnd = 0
	}
	return 0
}

// html reads the links, ids and headings of HTML.
func (w *walker) html(source []byte, offset func(int) int) {
	heading := 0
	for at := 0; at < len(source); {
		t := htmltag.Next(source, at)
		at = t.End
		heading = w.heading(source, &t, heading, offset)
		if t.Kind != htmltag.Open {
			continue
		}
		for _, a := range t.Attrs {
			value := strings.TrimSpace(Unescape([]byte(a.Value)))
			if value == "" {
				continue
			}
			switch {
			case a.Name == "id", a.Name == "name" && t.Name == "a":
				w.d.Targets = append(w.d.Targets, value)
			case a.Name == "href" && t.Name == "a", a.Name == "src" && t.Name == "img":
				w.d.Links = append(w.d.Links, Link{Dest: value, Offset: offset(a.At), Image: t.Name == "img"})
			}
		}
	}
}

// htmlText is the text of HTML without its tags.
func htmlText(source []byte) string {
	var b []byte
	for at := 0; at < len(source); {
		t := htmltag.Next(source, at)
		if t.Kind == htmltag.Text {
			b = append(b, source[t.Start:t.End]...)
		}
		at = t.End
	}
	return string(collapse([]byte(Unescape(b))))
}

// joinSegments returns the text of segments, and where an offset into it is in
// the source.
func joinSegments(source []byte, segments []text.Segment) (joined []byte, offset func(int) int) {
	if len(segments) == 0 {
		return nil, nil
	}
	whole := true
	for i := 1; i < len(segments); i++ {
		whole = whole && segments[i].Start == segments[i-1].Stop
	}
	if first := segments[0].Start; whole {
		return source[first:segments[len(segments)-1].Stop], func(at int) int { return first + at }
	}
	starts := make([]int, len(segments)) // in the joined text
	for i, s := range segments {
		starts[i] = len(joined)
		joined = append(joined, source[s.Start:s.Stop]...)
	}
	return joined, func(at int) int {
		if at >= len(joined) {
			return segments[len(segments)-1].Stop
		}
		i := sort.SearchInts(starts, at+1) - 1 // the last that starts there or before, which is not empty
		return segments[i].Start + at - starts[i]
	}
}

// giveInnerIDs gives ids to the headings that are in something: a quote, a list, HTML; and to
// tabs, those that MkDocs gives them: of the heading above and their title. They come after
// the ids of sections, which they never change.
func giveInnerIDs(d *Document) {
	ids := d.IDs()
	giveSecondIDs(d, ids)
	above := ""
	for _, b := range d.Blocks {
		if b.Heading >= 0 {
			above = d.Headings[b.Heading].ID
		} else if b.Node.Type() == ast.TypeBlock {
			giveIDsIn(d, b.Node, above, ids)
		}
	}
	giveHTMLIDs(d, ids)
}

// giveIDsIn gives ids to a block, when it is a tab, and to the headings in it.
func giveIDsIn(d *Document, n ast.Node, above string, ids *IDs) {
	if c := CalloutOf(n); c != nil && c.Kind == "tab" && c.Title && above != "" {
		p := plain{source: d.Text}
		words := slices.DeleteFunc(strings.Fields(p.inside(n.FirstChild())), isIcon)
		if id := above + "-" + Slug(strings.Join(words, " ")); !ids.used[id] {
			noteInner(d, n, ids.Take(id))
		}
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if h, ok := c.(*ast.Heading); ok {
			p := plain{source: d.Text}
			text, explicit := p.heading(h)
			noteInner(d, h, ids.Take(Slug(cmp.Or(explicit, text))))
		} else if c.Type() == ast.TypeBlock && c.HasChildren() && c.FirstChild().Type() == ast.TypeBlock {
			giveIDsIn(d, c, above, ids)
		}
	}
}

// giveHTMLIDs gives ids to the headings written in HTML.
func giveHTMLIDs(d *Document, ids *IDs) {
	slices.SortStableFunc(d.HTMLHeadings, func(a, b HTMLHeading) int { return cmp.Compare(a.Offset, b.Offset) })
	for i := range d.HTMLHeadings {
		h := &d.HTMLHeadings[i]
		h.ID = ids.Take(Slug(h.Text))
		d.Targets = append(d.Targets, h.ID)
	}
}

// isIcon reports the name of a picture in a text, such as ":octicons-image-16:".
func isIcon(word string) bool {
	return len(word) > 2 && strings.HasPrefix(word, ":") && strings.HasSuffix(word, ":")
}

// fenceID is the id in the attributes of a code fence, as MkDocs writes it:
// { .sh #example }.
func fenceID(info []byte) string {
	_, attributes, ok := bytes.Cut(info, []byte("{"))
	if !ok {
		return ""
	}
	attributes, _, ok = bytes.Cut(attributes, []byte("}"))
	for word := range bytes.FieldsSeq(attributes) {
		if id, is := bytes.CutPrefix(word, []byte("#")); ok && is && len(id) > 0 {
			return string(id)
		}
	}
	return ""
}

// FenceID returns the id that a code fence declares; "" when it declares none.
func (d *Document) FenceID(n *ast.FencedCodeBlock) string {
	if n.Info == nil {
		return ""
	}
	return fenceID(n.Info.Segment.Value(d.Text))
}

// noteInner notes the id of a heading that is in something, or of a tab.
func noteInner(d *Document, n ast.Node, id string) {
	if d.Inner == nil {
		d.Inner = map[ast.Node]string{}
	}
	d.Inner[n] = id
	d.Targets = append(d.Targets, id)
}
