package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/packgen/packgen/compiler/htmltag"
)

// htmlBlock reads the links and ids of an HTML block.
func (w *walker) htmlBlock(n *ast.HTMLBlock) {
	lines := n.Lines()
	segments := make([]text.Segment, 0, lines.Len()+1)
	for i := range lines.Len() {
		segments = append(segments, lines.At(i))
	}
	if n.HasClosure() {
		segments = append(segments, n.ClosureLine)
	}
	if source, _ := joinSegments(w.d.Text, segments); MacroWord(source) != "" {
		w.d.Targets = append(w.d.Targets, "+"+MacroWord(source))
		return
	}
	w.html(segments)
}

// rawHTML reads the links and ids of a tag in a line.
func (w *walker) rawHTML(n *ast.RawHTML) {
	segments := make([]text.Segment, n.Segments.Len())
	for i := range segments {
		segments[i] = n.Segments.At(i)
	}
	w.html(segments)
}

// html reads the links and ids of HTML that is in segments of the text.
func (w *walker) html(segments []text.Segment) {
	source, offset := joinSegments(w.d.Text, segments)
	heading := -1 // where the text of an open heading starts
	for at := 0; at < len(source); {
		t := htmltag.Next(source, at)
		at = t.End
		if len(t.Name) == 2 && t.Name[0] == 'h' && '1' <= t.Name[1] && t.Name[1] <= '6' {
			switch {
			case t.Kind == htmltag.Open:
				heading = t.End
			case heading >= 0:
				w.htmlHeadings = append(w.htmlHeadings, htmlText(source[heading:t.Start]))
				heading = -1
			}
		}
		if t.Kind != htmltag.Open {
			continue
		}
		for _, a := range t.Attrs {
			value := strings.TrimSpace(plainDest([]byte(a.Value)))
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
	return string(collapse([]byte(plainDest(b))))
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
	for _, s := range segments {
		joined = append(joined, source[s.Start:s.Stop]...)
	}
	return joined, func(at int) int {
		for _, s := range segments {
			if size := s.Stop - s.Start; at >= size {
				at -= size
				continue
			}
			return s.Start + at
		}
		return segments[len(segments)-1].Stop
	}
}

// innerIDs gives ids to the headings that are in something: a quote, a list, HTML.
// They come after the ids of sections, which they never change.
func (d *Document) innerIDs(html []string) {
	ids := newIDs()
	for _, h := range d.Headings {
		ids.used[h.ID] = true
	}
	p := plain{source: d.Text}
	var visit func(n ast.Node)
	visit = func(n ast.Node) {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if h, ok := c.(*ast.Heading); ok {
				text, explicit := p.heading(h)
				if explicit != "" {
					text = explicit
				}
				d.inner(h, ids.Take(Slug(text)))
			} else if c.Type() == ast.TypeBlock && c.HasChildren() && c.FirstChild().Type() == ast.TypeBlock {
				visit(c)
			}
		}
	}
	for _, b := range d.Blocks {
		if b.Heading < 0 && b.Node.Type() == ast.TypeBlock {
			visit(b.Node)
		}
	}
	for _, text := range html {
		d.Targets = append(d.Targets, ids.Take(Slug(text)))
	}
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

// inner notes the id of a heading that is in something.
func (d *Document) inner(n *ast.Heading, id string) {
	if d.Inner == nil {
		d.Inner = map[ast.Node]string{}
	}
	d.Inner[n] = id
	d.Targets = append(d.Targets, id)
}
