package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/packgen/packgen/compiler/schema"
)

// UnitKind says what block a claim unit is.
type UnitKind uint8

// The kinds of claim units (agent-knowledge sections 8.2.2 and 7.2).
const (
	ListItem  UnitKind = iota // the first paragraph of a list item
	Paragraph                 // any other paragraph
	TableRow                  // a body row of a table
	Record                    // a YAML-like claim record (section 7.2)
)

// Unit is a block of running text that may be a claim.
type Unit struct {
	Kind      UnitKind
	Text      string        // plain text: the claim text; "" is not a claim
	Line      string        // the item's first paragraph as written on one line, for compiled/facts.md; list items and records only
	Start     int           // offset of the block's first byte
	End       int           // offset after the last non-blank character of the block's own text: where a marker is appended
	Anchors   []Anchor      // in order, unusable ones included
	Marker    schema.Status // first known claim status marker, "" when none; "confirmed" changes nothing
	Boundary  bool          // is under a boundary heading (section 13.6)
	Important bool          // an important claim by section 6.6, apart from anchor, marker, grounding and file: list item, not under a boundary heading, not quoted, not a task, not links only, not only introducing nested items, not nested under an anchored item
	Statement bool          // states something: no step of a procedure, order, question or command, and no line that only introduces what follows
}

// walker reads units, anchors and links from a tree in one pass.
type walker struct {
	d        *Document
	plain    plain
	link     plain           // a link's text, while plain holds its block's
	boundary bool            // the current block is under a boundary heading
	examples bool            // the current block is under a heading of examples
	shown    map[string]bool // the lines of the last code block of Markdown, which what follows may show
	reports  []placed

	open    HTMLHeading // of which the closing tag is not read yet
	openEnd int         // offset after its opening tag; 0: none is open
}

// scope is what a block inherits from the blocks it is in.
type scope struct {
	quoted  bool // in a block quote
	covered bool // nested under an item with an anchor
	steps   bool // in a numbered list of steps
	orders  bool // in a list of orders
	tree    bool // in a tree of files
	ends    bool // in a list that completes the line before it
}

// document walks all blocks.
func (w *walker) document() {
	w.plain.source, w.link.source = w.d.Text, w.d.Text
	for _, b := range w.d.Blocks {
		if b.Heading >= 0 {
			w.boundary, w.examples = w.d.Headings[b.Heading].Boundary, namesExamples(w.d.Headings[b.Heading].Text)
		}
		w.block(b.Node, scope{})
	}
}

func (w *walker) block(n ast.Node, s scope) {
	switch n.Kind() {
	case ast.KindHeading, east.KindTableHeader, east.KindDefinitionTerm, kindCalloutTitle:
		w.scan(n)
	case ast.KindParagraph, ast.KindTextBlock:
		w.unit(n, Paragraph)
	case ast.KindList:
		s.steps = s.steps || w.isProcedure(n.(*ast.List))
		s.ends, s.orders = w.isIntroduced(n), w.isOrders(n)
		s.tree = s.tree || w.isTree(n, 0)
		w.blocks(n, s)
	case ast.KindListItem:
		w.item(n, s)
	case east.KindTableRow:
		w.row(n)
	case ast.KindBlockquote:
		s.quoted = true
		w.blocks(n, s)
	case ast.KindHTMLBlock:
		w.htmlBlock(n.(*ast.HTMLBlock))
	case ast.KindFencedCodeBlock:
		if id := w.d.FenceID(n.(*ast.FencedCodeBlock)); id != "" {
			w.d.Targets = append(w.d.Targets, id)
		}
		w.shown = linesShown(n.(*ast.FencedCodeBlock), w.d.Text)
	case ast.KindCodeBlock, kindMathBlock, kindCommentBlock, kindTagBlock,
		ast.KindThematicBreak, ast.KindLinkReferenceDefinition:
	default:
		w.blocks(n, s)
	}
}

func (w *walker) blocks(n ast.Node, s scope) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.block(c, s)
	}
}

// item reads a list item: its first paragraph is the item's own unit, what
// follows is read as usual.
func (w *walker) item(n ast.Node, s scope) {
	first := true
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if kind := c.Kind(); first && (kind == ast.KindParagraph || kind == ast.KindTextBlock) {
			first = false
			s.covered = w.ownUnit(n, c, s) || s.covered
			continue
		}
		w.block(c, s)
	}
}

// ownUnit reads the first paragraph of an item and reports whether it has a
// usable anchor.
func (w *walker) ownUnit(item, paragraph ast.Node, s scope) (anchored bool) {
	inline, u := w.unit(paragraph, ListItem)
	w.record(paragraph, u)
	if u.Kind == ListItem {
		u.Line = oneLine(paragraph, w.d.Text)
	}
	for _, a := range u.Anchors {
		anchored = anchored || a.Usable
	}
	introduces := strings.HasSuffix(u.Text, ":") && hasList(item)
	u.Important = u.Text != "" && !u.Boundary && !s.quoted && !s.covered &&
		!inline.task && !inline.linksOnly() && !introduces
	u.Statement = u.Important && (u.Kind == Record || !w.examples && !w.shown[u.Line] && s.letsState(u))
	return anchored
}

// linesShown returns the lines of a code block of Markdown without their list marks, nil where
// it is of another language. A page on Markdown shows after it what it makes, which is an example.
func linesShown(code *ast.FencedCodeBlock, text []byte) map[string]bool {
	if !isIn(string(code.Language(text)), "md mdx markdown markdoc") {
		return nil
	}
	shown := map[string]bool{}
	lines := code.Lines()
	for i := range lines.Len() {
		at := lines.At(i)
		shown[strings.TrimRight(strings.TrimLeft(string(text[at.Start:at.Stop]), " \t-*+.)0123456789"), " \t\n")] = true
	}
	return shown
}

// letsState reports an item that states something in its list.
func (s scope) letsState(item *Unit) bool {
	return !s.steps && !(s.tree && isValue(item.Text)) && isStatement(item.Text, item.Line, s.ends, s.orders)
}

// longestLabel is how many words the label of nested items has at most, such as "Finishes:".
const longestLabel = 2

// isIntroduced reports a list after a paragraph that ends with a colon and is not an order.
func (w *walker) isIntroduced(list ast.Node) bool {
	before := list.PreviousSibling()
	if before == nil || before.Kind() != ast.KindParagraph && before.Kind() != ast.KindTextBlock {
		return false
	}
	text := w.plain.text(before)
	begun, ok := strings.CutSuffix(text, ":")
	if list.Parent().Kind() == ast.KindListItem {
		if isName := len(strings.Fields(begun)) <= longestLabel; isName {
			return ok && !isOrder(begun) && !isExample(text)
		}
	}
	return ok && isOpen(begun) && isStatement(begun, "", false, false)
}

func hasList(item ast.Node) bool {
	for c := item.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() == ast.KindList {
			return true
		}
	}
	return false
}

// unit adds the unit of a paragraph.
func (w *walker) unit(n ast.Node, kind UnitKind) (inline, *Unit) {
	in := w.scan(n)
	u := Unit{
		Kind: kind, Text: w.plain.text(n), Anchors: in.anchors, Marker: in.marker, Boundary: w.boundary,
	}
	u.Start, u.End = extent(n, w.d.Text)
	w.d.Units = append(w.d.Units, u)
	return in, &w.d.Units[len(w.d.Units)-1]
}

// row adds the unit of a table row: its cells joined with " | ", empty ones
// left out.
func (w *walker) row(n ast.Node) {
	u := Unit{Kind: TableRow, Boundary: w.boundary, Start: n.Pos(), End: n.Pos()}
	from := len(w.d.Anchors)
	var cells []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		in := w.scan(c)
		if u.Marker == "" {
			u.Marker = in.marker
		}
		if text := w.plain.text(c); text != "" {
			cells = append(cells, text)
		}
		if _, end := extent(c, w.d.Text); end > u.End {
			u.End = end
		}
	}
	u.Text = strings.Join(cells, " | ")
	u.Anchors = w.d.Anchors[from:len(w.d.Anchors):len(w.d.Anchors)]
	w.d.Units = append(w.d.Units, u)
}

// extent returns the offsets of a block's first byte and after the last
// character of its text that is not blank.
func extent(n ast.Node, text []byte) (start, end int) {
	lines := n.Lines()
	if lines == nil || lines.Len() == 0 {
		return 0, 0
	}
	start, end = lines.At(0).Start, lines.At(lines.Len()-1).Stop
	for end > start && (text[end-1] == ' ' || text[end-1] == '\t' || text[end-1] == '\n') {
		end--
	}
	return start, end
}

// oneLine returns a paragraph as written, its lines trimmed and joined with one
// space.
func oneLine(n ast.Node, text []byte) string {
	var b strings.Builder
	lines := n.Lines()
	for i := range lines.Len() {
		at := lines.At(i)
		line := bytes.Trim(text[at.Start:at.Stop], " \t\n")
		if b.Len() > 0 && len(line) > 0 {
			b.WriteByte(' ')
		}
		b.Write(line)
	}
	return b.String()
}

// inline is what one scan of a block's inline nodes found.
type inline struct {
	anchors []Anchor
	marker  schema.Status
	links   int
	other   bool // text outside links
	task    bool
}

func (in *inline) linksOnly() bool { return in.links > 0 && !in.other }

// scan reads the inline nodes of a block and adds its anchors and links to the
// document.
func (w *walker) scan(n ast.Node) inline {
	var in inline
	from := len(w.d.Anchors)
	w.scanChildren(n, &in, false)
	if to := len(w.d.Anchors); to > from {
		in.anchors = w.d.Anchors[from:to:to]
	}
	return in
}

func (w *walker) scanChildren(n ast.Node, in *inline, linked bool) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.scanNode(c, in, linked)
	}
}

func (w *walker) scanNode(n ast.Node, in *inline, linked bool) {
	switch n := n.(type) {
	case *ast.Text:
		if !linked && !in.other && len(bytes.TrimSpace(n.Segment.Value(w.d.Text))) > 0 {
			in.other = true
		}
	case *AnchorNode:
		for _, a := range n.Parts {
			w.d.Anchors = append(w.d.Anchors, a)
			w.reportAnchor(a)
		}
	case *MarkerNode:
		if in.marker == "" {
			in.marker = n.Value
		}
	case *ast.Link:
		in.links++
		w.addLink(n, n.Destination, n.Pos(), false)
		w.scanChildren(n, in, true)
	case *ast.Image:
		in.other = in.other || !linked
		w.addLink(n, n.Destination, n.Pos(), true)
		w.scanChildren(n, in, true)
	case *ast.AutoLink:
		in.links++
		dest := string(n.URL(w.d.Text))
		if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(dest), "mailto:") {
			dest = "mailto:" + dest
		}
		w.d.Links = append(w.d.Links, Link{Dest: dest, Text: string(n.Label(w.d.Text)), Offset: n.Pos()})
	case *WikiLink:
		in.links++
		if !n.IsContents() {
			if address, text := n.Outside(); address != "" {
				w.d.Links = append(w.d.Links, Link{Dest: address, Text: text, Offset: n.Pos(), Image: n.Embed})
				break
			}
			l := Link{Dest: n.Target, Fragment: n.Fragment, Text: n.Shown(), Offset: n.Pos(), Wiki: true, Image: n.Embed}
			if !n.Embed {
				l.Label = n.Label
			}
			w.d.Links = append(w.d.Links, l)
		}
	case *east.TaskCheckBox:
		in.task = true
	case *ast.RawHTML:
		w.html(w.d.RawHTML(n))
	case *ComponentTag:
		w.component(n, in)
	case *BlockID:
		w.d.Targets = append(w.d.Targets, n.ID)
	case *FootnoteRef, *Attributes, *Comment:
	case *Math, *Keys:
		in.other = true
	default:
		w.scanChildren(n, in, linked)
	}
}

// component reads the link of a component.
func (w *walker) component(n *ComponentTag, in *inline) {
	for _, l := range []Link{{Dest: n.Link, Text: n.Label}, {Dest: n.Picture, Text: n.Label, Image: true}} {
		if l.Dest != "" && !n.Close {
			in.links++
			l.Offset = n.Pos()
			w.d.Links = append(w.d.Links, l)
		}
	}
}

func (w *walker) addLink(n ast.Node, dest []byte, offset int, image bool) {
	w.d.Links = append(w.d.Links, Link{
		Dest: Unescape(dest), Text: w.link.inside(n), Offset: offset, Image: image,
	})
}

// inside returns the plain text of a node's children.
func (p *plain) inside(n ast.Node) string {
	p.reset()
	p.children(n)
	return string(collapse(p.buf))
}

// Marked returns the text with markers after the claims that are not what
// they seem: status says for each claim unit "stale" or "disputed", or "" for one that
// stays as it is. A claim that says so itself gets no second marker. It is for text
// that is shown: files on disk stay as they are.
func (doc *Document) Marked(status func(u *Unit) schema.Status) []byte {
	var out []byte
	at := 0
	for i := range doc.Units {
		u := &doc.Units[i]
		if u.Text == "" || u.End < at {
			continue
		}
		if word := status(u); word != "" && word != u.Marker {
			out = append(append(out, doc.Text[at:u.End]...), " [status: "+string(word)+"]"...)
			at = u.End
		}
	}
	if out == nil {
		return doc.Text
	}
	return append(out, doc.Text[at:]...)
}
