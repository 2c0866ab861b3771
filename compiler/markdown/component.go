package markdown

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Pages of MDX hold components. Those that say how the text between two lines of tags is
// to look are read as callouts, whatever the indentation of that text:
//
//	<Note> … </Note>, <Aside type="tip" title="x"> … </Aside>
//	<Tabs> <TabItem label="x"> … </TabItem> </Tabs>
//
// A tag without content that has a link, a text or a picture is that; any other one is
// shown as code. On a page of MDX the tags of components that are not known are not shown,
// but what is between them is. On other pages a tag without attributes with text right
// below it is HTML, as CommonMark says.

// componentTitles are the attributes that name a component.
var componentTitles = []string{"title", "label", "summary", "name", "value"}

// componentName returns the name of the component that a line opens, with its length
// after "<"; "" when it opens none: components begin with a capital.
func componentName(line []byte) (name string, size int) {
	if len(line) < 2 || line[0] != '<' || line[1] < 'A' || line[1] > 'Z' {
		return "", 0
	}
	end := 1
	for end < len(line) && (util.IsAlphaNumeric(line[end]) || line[end] == '.' && end+1 < len(line) && util.IsAlphaNumeric(line[end+1])) {
		end++
	}
	if end < len(line) && strings.IndexByte(" \t\r\n/>", line[end]) < 0 {
		return "", 0
	}
	return string(line[1:end]), end
}

// isMDX refuses blocks that MDX has not: code by its indentation.
func isMDX(_ ast.Node, _ text.Reader, pc parser.Context) bool { return stateOf(pc).mdx }

// indentedParagraph reads what would be such code as a paragraph.
type indentedParagraph struct{ parser.BlockParser }

// CanAcceptIndentedLine implements parser.BlockParser.
func (indentedParagraph) CanAcceptIndentedLine() bool { return true }

// Open implements parser.BlockParser.
func (p indentedParagraph) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if !isMDX(parent, reader, pc) {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, reader, pc)
}

// openComponent opens what a tag at the start of a line begins.
func (l headLine) openComponent() (ast.Node, parser.State) {
	mdx, source := stateOf(l.pc).mdx, l.reader.Source()
	if !mayBeComponent(l.text, mdx) {
		return nil, parser.NoChildren
	}
	c, ok := readComponent(source, l.start, l.pc)
	if !ok {
		return nil, parser.NoChildren
	}
	rest, _, _ := bytes.Cut(source[c.end:], []byte("\n"))
	follows := !util.IsBlank(rest)
	switch {
	case c.lower() && !c.code, follows && (c.lower() || c.close || c.alone), c.close && !mdx:
		return nil, parser.NoChildren
	case c.name == "img", c.alone && !c.lower():
		return l.single(l.aloneTag(&c))
	case c.lower(), c.close:
		return l.single(&tagBlock{end: c.end})
	case follows:
		return l.oneLine(&c)
	}
	return l.around(&c, min(len(source), c.end+len(rest)+1))
}

// mayBeComponent reports a line that may start with the tag of a component.
func mayBeComponent(line []byte, mdx bool) bool {
	return len(line) > 2 && (line[1] == '/' || isCapital(line[1]) || mdx && util.IsAlphaNumeric(line[1]))
}

// around opens a component of several lines. What it is around of is a text that is indented,
// or a callout: what is around a whole page leaves its sections what they are.
func (l headLine) around(c *component, below int) (ast.Node, parser.State) {
	source, mdx := l.reader.Source(), stateOf(l.pc).mdx
	kind, known := c.kind(source, l.start)
	indent, blank := indentAfter(source, below)
	n := &CalloutNode{Callout: Callout{Kind: kind}, closer: c.closer(), dedent: max(0, indent-l.reader.LineOffset()), head: c.end}
	switch {
	case !stateOf(l.pc).closes(n.closer, c.end),
		!mdx && (len(c.attrs) == 0 || !known) && n.dedent == 0 && !blank:
		return nil, parser.NoChildren
	case !known && n.dedent == 0, tooDeep(l.parent, l.reader, l.pc):
		if known || !mdx {
			return nil, parser.NoChildren
		}
		return l.single(l.unknown(c))
	}
	n.items = quotedItems(source, c.items)
	n.titled(c, l.parent)
	skipLine(l.reader)
	return n, parser.HasChildren
}

// titled gives a component the title that one of its attributes is. Tabs of Nextra have
// theirs in the list around them.
func (n *CalloutNode) titled(c *component, parent ast.Node) {
	from, to, ok := c.get(componentTitles...)
	if around, is := parent.(*CalloutNode); !ok && is && n.Callout.Kind == "tab" {
		at := 0
		for s := around.FirstChild(); s != nil; s = s.NextSibling() {
			if tab, is := s.(*CalloutNode); is && tab.Callout.Kind == "tab" {
				at++
			}
		}
		if ok = at < len(around.items); ok {
			from, to = around.items[at][0], around.items[at][1]
		}
	}
	if ok {
		n.addTitle(from, to)
	}
}

// quotedItems finds the texts in a list ['a', "b"] at a place of the source.
func quotedItems(source []byte, list [2]int) (items [][2]int) {
	for at := list[0]; at < list[1] && len(items) < maxComponentAttrs; at++ {
		if source[at] != '\'' && source[at] != '"' {
			continue
		}
		end := bytes.IndexByte(source[at+1:list[1]], source[at])
		if end < 0 {
			break
		}
		items = append(items, [2]int{at + 1, at + 1 + end})
		at += end + 1
	}
	return items
}

// unknown is the opening tag of a component that is not known: of what it says, only its
// title is shown.
func (l headLine) unknown(c *component) ast.Node {
	title := c.text(l.reader.Source(), "title", "label", "heading")
	if title == "" {
		return &tagBlock{end: c.end}
	}
	n := c.tag(l.reader.Source(), l.start)
	n.Alone, n.Label = true, title
	return blockOf(n, l.start, c.end)
}

// aloneTag is a tag without content that is alone on its lines.
func (l headLine) aloneTag(c *component) ast.Node {
	n := c.tag(l.reader.Source(), l.start)
	if n.says() {
		return blockOf(n, l.start, c.end)
	}
	if n.IsIcon() {
		return &tagBlock{end: c.end}
	}
	line, segment := l.reader.PeekLine()
	code := ast.NewCodeBlock()
	code.Lines().Append(text.NewSegment(segment.Start, segment.Start+len(line)))
	code.SetAttributeString("end", c.end)
	return code
}

// kindTagBlock is the kind of a tagBlock.
var kindTagBlock = ast.NewNodeKind("TagBlock")

// tagBlock is lines that are not parsed, such as a tag: a paragraph when they say something.
type tagBlock struct {
	ast.BaseBlock
	end int // offset after them
}

// Kind returns that of a paragraph, unless it is empty.
func (n *tagBlock) Kind() ast.NodeKind {
	if n.HasChildren() {
		return ast.KindParagraph
	}
	return kindTagBlock
}

// IsRaw reports that the lines are not to be parsed.
func (n *tagBlock) IsRaw() bool { return true }

// Dump prints the node for debugging.
func (n *tagBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// blockOf is a block of one tag, or another mark, from an offset to the end of its last line.
func blockOf(n ast.Node, start, end int) *tagBlock {
	b := &tagBlock{end: end}
	b.SetPos(start)
	n.SetPos(start)
	b.AppendChild(b, n)
	return b
}

// oneLine reads a component that is known, whose text is on the line of its tag.
func (l headLine) oneLine(c *component) (ast.Node, parser.State) {
	_, segment := l.reader.PeekLine()
	source := l.reader.Source()
	kind, known := c.kind(source, l.start)
	if !known || c.end > segment.Stop || tooDeep(l.parent, l.reader, l.pc) {
		return nil, parser.NoChildren
	}
	inside, after, ok := bytes.Cut(source[c.end:segment.Stop], []byte(c.closer()))
	if !ok || !util.IsBlank(after) {
		return nil, parser.NoChildren
	}
	n := &CalloutNode{Callout: Callout{Kind: kind}, closed: true}
	n.titled(c, l.parent)
	p := ast.NewParagraph()
	content := text.NewSegment(c.end, c.end+len(inside))
	p.Lines().Append(content.TrimLeftSpace(source))
	n.AppendChild(n, p)
	return l.single(n)
}

// closer is the tag that ends the text of a component.
func (c *component) closer() string { return "</" + c.name + ">" }

// kind is what kind of callout a component is that starts at an offset; false when it is not
// one. One that is named by its type says it, and so may a note.
func (c *component) kind(source []byte, start int) (string, bool) {
	t := templateTag{name: strings.ToLower(c.name), arguments: source[start+1+len(c.name) : c.end-1]}
	kind, known := kindOf(components, t.name)
	_, _, typed := t.argument("type")
	if known && (kind == "" || typed && kind == t.name && isIn(kind, notes)) {
		if named := t.kind(); isIn(named, notes) {
			return named, true
		}
		kind = cmp.Or(kind, "note")
	}
	if !known {
		kind = "container"
	}
	return kind, known
}

// indentAfter is how far the first line after an offset that is not blank is indented, and
// whether one that is blank is before it.
func indentAfter(source []byte, at int) (width int, blank bool) {
	for at < len(source) {
		rest := source[at:]
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line = rest[:i+1]
		}
		if !util.IsBlank(line) {
			width, _ = util.IndentWidth(line, 0)
			return width, blank
		}
		blank = true
		at += len(line)
	}
	return 0, blank
}
