package markdown

import (
	"bytes"
	"slices"
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

// componentKinds are the kinds of callouts of components, by their names in lower case.
// Other names are those of templates.
var componentKinds = map[string]string{
	"callout": "", "aside": "", "admonition": "", "alert": "", "hint": "", "notice": "", "banner": "", // their type says it
	"check": "success", "tabitem": "tab", "tab": "tab", "tabs.tab": "tab",
	"accordion": "details", "expandable": "details", "details": "details", "collapse": "details", "collapsible": "details", "toggle": "details",
	"tabs": "container", "tabgroup": "container", "codegroup": "code-group", "codetabs": "code-group", "steps": "container",
	"cardgroup": "grid", "cardgrid": "grid", "cards": "grid", "columns": "grid", "accordiongroup": "container",
	"card": "card", "step": "container", "frame": "container", "filetree": "filetree",
}

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

// componentBlock reads a text between two tags of a component.
type componentBlock struct{ plainBlock }

// Trigger implements parser.BlockParser.
func (componentBlock) Trigger() []byte { return []byte{'<'} }

// Open implements parser.BlockParser.
func (b componentBlock) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	mdx := stateOf(pc).mdx
	if at < 0 || len(line) < at+3 || line[at+1] != '/' && (line[at+1] < 'A' || line[at+1] > 'Z') && !(mdx && util.IsAlphaNumeric(line[at+1])) {
		return nil, parser.NoChildren
	}
	start := segment.Start - segment.Padding + at
	source := reader.Source()
	c, ok := readComponent(source, start, pc)
	if !ok {
		return nil, parser.NoChildren
	}
	rest := source[c.end:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	inside := bytes.TrimSpace(rest)
	switch {
	case c.lower():
		if !c.code || len(inside) > 0 {
			return nil, parser.NoChildren
		}
		if c.name == "img" {
			return aloneTag(&c, start, reader)
		}
		return dropTag(c.end, reader)
	case c.close:
		if !mdx || len(inside) > 0 {
			return nil, parser.NoChildren
		}
		return dropTag(c.end, reader)
	case c.alone:
		if len(inside) > 0 {
			return nil, parser.NoChildren
		}
		return aloneTag(&c, start, reader)
	}
	t := templateTag{name: strings.ToLower(c.name), arguments: source[start+1+len(c.name) : c.end-1], closer: "</" + c.name + ">"}
	kind, known := t.componentKind()
	if len(inside) > 0 {
		if known {
			return onOneLine(&c, kind, t.closer, parent, reader, pc)
		}
		return nil, parser.NoChildren
	}
	if !stateOf(pc).closes(t.closer, c.end) || known && tooDeep(parent, reader, pc) {
		return nil, parser.NoChildren
	}
	indent, blank := indentAfter(source, min(len(source), c.end+len(rest)+1))
	n := &CalloutNode{closer: t.closer, dedent: max(0, indent-reader.LineOffset()), head: c.end}
	if !mdx && (len(c.attrs) == 0 || !known) && n.dedent == 0 && !blank {
		return nil, parser.NoChildren
	}
	if !known {
		// What is around a whole page leaves its sections what they are: only a text that
		// is indented is inside of something.
		if n.dedent == 0 || tooDeep(parent, reader, pc) {
			return b.around(&c, start, mdx, reader)
		}
		kind = "container"
	}
	n.Callout.Kind = kind
	n.items = quotedItems(source, c.items)
	n.titled(&c, parent)
	skipLine(reader)
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
		n.Title = true
		n.AppendChild(n, titleAt(from, to))
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

// dropTag reads a tag that is not shown.
func dropTag(end int, reader text.Reader) (ast.Node, parser.State) {
	skipLine(reader)
	return &tagBlock{end: end}, parser.NoChildren
}

// around reads the opening tag of a component that is not known: of what it says, only its
// title is shown.
func (componentBlock) around(c *component, start int, mdx bool, reader text.Reader) (ast.Node, parser.State) {
	title := c.text(reader.Source(), "title", "label", "heading")
	if !mdx {
		return nil, parser.NoChildren
	}
	if title == "" {
		return dropTag(c.end, reader)
	}
	n := c.tag(reader.Source(), start)
	n.Alone, n.Label = true, title
	return tagParagraph(n, c.end, reader)
}

// aloneTag reads a tag without content that is alone on its lines.
func aloneTag(c *component, start int, reader text.Reader) (ast.Node, parser.State) {
	n := c.tag(reader.Source(), start)
	if n.says() {
		return tagParagraph(n, c.end, reader)
	}
	if n.IsIcon() {
		return dropTag(c.end, reader)
	}
	line, segment := reader.PeekLine()
	code := ast.NewCodeBlock()
	code.Lines().Append(text.NewSegment(segment.Start, segment.Start+len(line)))
	skipLine(reader)
	code.SetAttributeString("end", c.end)
	return code, parser.NoChildren
}

// tagParagraph is a paragraph of one tag.
func tagParagraph(n *ComponentTag, end int, reader text.Reader) (ast.Node, parser.State) {
	p := &tagBlock{end: end}
	p.SetPos(n.Pos())
	p.AppendChild(p, n)
	skipLine(reader)
	return p, parser.NoChildren
}

// kindTagBlock is the kind of a tagBlock.
var kindTagBlock = ast.NewNodeKind("TagBlock")

// tagBlock is a tag on lines of its own: a paragraph when it says something.
type tagBlock struct {
	ast.BaseBlock
	end int // of the tag
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

// onOneLine reads a component whose text is on the line of its tag.
func onOneLine(c *component, kind, closer string, parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	_, segment := reader.PeekLine()
	source := reader.Source()
	if c.end > segment.Stop || tooDeep(parent, reader, pc) {
		return nil, parser.NoChildren
	}
	inside, after, ok := bytes.Cut(source[c.end:segment.Stop], []byte(closer))
	if !ok || len(bytes.TrimSpace(after)) > 0 {
		return nil, parser.NoChildren
	}
	n := &CalloutNode{closed: true}
	n.Callout.Kind = kind
	n.titled(c, parent)
	p := ast.NewParagraph()
	content := text.NewSegment(c.end, c.end+len(inside))
	p.Lines().Append(content.TrimLeftSpace(source))
	n.AppendChild(n, p)
	skipLine(reader)
	return n, parser.NoChildren
}

// componentKind is what kind of callout a component is; false when it is not one.
func (t *templateTag) componentKind() (string, bool) {
	kind, ok := componentKinds[t.name]
	note := ok && kind == "" || slices.Contains(templateNotes, t.name)
	if !note {
		return kind, ok
	}
	if _, _, typed := t.argument("type"); typed || ok {
		if named := t.kind(); isKind(named) && slices.Contains(templateNotes, named) {
			return named, true
		}
	}
	if ok {
		return "note", true
	}
	return t.name, true
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

// Continue implements parser.BlockParser.
func (componentBlock) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	line, segment := reader.PeekLine()
	switch n := node.(type) {
	case *tagBlock:
		if segment.Start >= n.end {
			return parser.Close
		}
		skipLine(reader)
		return parser.Continue | parser.NoChildren
	case *ast.CodeBlock:
		if end, _ := n.AttributeString("end"); segment.Start >= end.(int) {
			return parser.Close
		}
		n.Lines().Append(segment)
		skipLine(reader)
		return parser.Continue | parser.NoChildren
	case *CalloutNode:
		if n.closed {
			return parser.Close
		}
		if segment.Start < n.head {
			skipLine(reader)
			return parser.Continue | parser.HasChildren
		}
		state := templateBlock{}.Continue(node, reader, pc)
		if state != parser.Close && n.dedent > 0 && !util.IsBlank(line) {
			width, _ := util.IndentWidth(line, reader.LineOffset())
			pos, padding := util.IndentPosition(line, reader.LineOffset(), min(width, n.dedent))
			if pos >= 0 {
				reader.AdvanceAndSetPadding(pos, padding)
			}
		}
		return state
	}
	return parser.Close
}
