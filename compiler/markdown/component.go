package markdown

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/packgen/packgen/compiler/htmltag"
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
	_, segment := l.reader.PeekLine() // which may begin within a tab
	code := ast.NewCodeBlock()
	code.Lines().Append(text.NewSegment(segment.Start, segment.Stop))
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

// kindComponentTag is the kind of a ComponentTag.
var kindComponentTag = ast.NewNodeKind("ComponentTag")

// ComponentTag is a tag of a component in a line, or one that has no content, such as
// <Badge text="New" /> and <LinkCard title="Start" href="/start/" />.
type ComponentTag struct {
	ast.BaseInline
	Name    string // in lower case
	Link    string // where it leads to; "" when it does not
	Picture string // what it shows; "" when it is not a picture
	Label   string // its text, when it has no content
	About   string // what a link leads to
	Close   bool   // </Name>
	Alone   bool   // it has no content
	Written string // as written
}

// Kind returns kindComponentTag.
func (n *ComponentTag) Kind() ast.NodeKind { return kindComponentTag }

// IsRaw reports that there is nothing in it to parse.
func (n *ComponentTag) IsRaw() bool { return true }

// Dump prints the node for debugging.
func (n *ComponentTag) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// says reports whether a tag without content has something to say to a reader.
func (n *ComponentTag) says() bool { return n.Label != "" || n.Link != "" || n.Picture != "" }

// IsIcon reports a tag that draws a small picture from a set of its system.
func (n *ComponentTag) IsIcon() bool { return strings.HasSuffix(n.Name, "icon") }

// component is a tag of a component as it is read.
type component struct {
	name  string // as written
	attrs []componentAttr
	end   int  // offset after the ">"
	alone bool // it ends in "/>"
	close bool // </Name>

	items [2]int // where the list is that its attribute "items" is

	code    bool // it holds code of JavaScript
	unended bool // a quote or brace in it does not end
}

// componentAttr is an attribute whose value is a text: x="y", x='y', x={"y"}.
type componentAttr struct {
	name     string
	from, to int // of the value
}

// Limits of a tag; beyond them it is text.
const (
	maxComponent      = 32 << 10 // bytes
	maxComponentAttrs = 40
)

// readComponent reads the tag of a component, perhaps of several lines, that starts at an
// offset. A document with many tags that do not end has no more of them.
func readComponent(source []byte, at int, pc parser.Context) (c component, ok bool) {
	tags := &stateOf(pc).tags
	if tags.unended >= maxUnended {
		return c, false
	}
	if c, ok = scanComponent(source, at); !ok && c.unended {
		tags.unended++
	}
	return c, ok
}

// maxUnended is how many tags that do not end are looked through.
const maxUnended = 200

// scanComponent reads a tag from its bytes.
func scanComponent(source []byte, at int) (c component, ok bool) {
	line := source[at:min(len(source), at+maxComponent)]
	if bytes.HasPrefix(line, []byte("</")) {
		name, size := componentName(append([]byte("<"), line[2:min(len(line), 80)]...))
		if end := bytes.IndexByte(line, '>'); name != "" && end >= size+1 && len(bytes.TrimSpace(line[size+1:end])) == 0 {
			return component{name: name, close: true, end: at + end + 1}, true
		}
		return c, false
	}
	name, size := componentName(line)
	if name == "" {
		if name, size = elementName(line); name == "" {
			return c, false
		}
	}
	c.name = name
	for i := size; i < len(line); {
		switch b := line[i]; {
		case util.IsSpace(b):
			i++
		case b == '>':
			c.end = at + i + 1
			return c, true
		case b == '/' && i+1 < len(line) && line[i+1] == '>':
			c.end, c.alone = at+i+2, true
			return c, true
		case b == '{': // {...props}
			c.code = true
			if i = braceEnd(line, i); i < 0 {
				c.unended = true
				return c, false
			}
		default:
			if i = c.attribute(line, i, at); i < 0 || len(c.attrs) > maxComponentAttrs {
				return c, false
			}
		}
	}
	return c, false
}

// attribute reads an attribute, and returns the offset after it; -1 for anything else.
func (c *component) attribute(line []byte, i, base int) int {
	start := i
	for i < len(line) && (util.IsAlphaNumeric(line[i]) || strings.IndexByte("_-:.@#", line[i]) >= 0) {
		i++
	}
	if i == start || i == len(line) {
		return -1
	}
	name := string(line[start:i])
	if line[i] != '=' {
		return i
	}
	if i++; i == len(line) {
		return -1
	}
	from, end := i+1, 0
	switch line[i] {
	case '"', '\'':
		size := bytes.IndexByte(line[from:], line[i])
		if c.unended = size < 0; c.unended {
			return -1
		}
		end = from + size + 1
	case '{':
		end = braceEnd(line, i)
		if c.unended = end < 0; c.unended {
			return -1
		}
		c.code = true
		if start, stop, ok := textOf(line[i+1 : end-1]); ok {
			c.attrs = append(c.attrs, componentAttr{strings.ToLower(name), base + i + 1 + start, base + i + 1 + stop})
		} else if name == "items" {
			c.items = [2]int{base + i + 1, base + end - 1}
		}
		return end
	default:
		return -1
	}
	c.attrs = append(c.attrs, componentAttr{strings.ToLower(name), base + from, base + end - 1})
	return end
}

// lower reports an element of HTML.
func (c *component) lower() bool { return c.name[0] >= 'a' }

func isCapital(b byte) bool { return 'A' <= b && b <= 'Z' }

// elementName returns the name of the element of HTML that a line opens, with its length
// after "<"; "" when it opens none.
func elementName(line []byte) (name string, size int) {
	if len(line) < 2 || line[0] != '<' || line[1] < 'a' || line[1] > 'z' {
		return "", 0
	}
	size = 1
	for size < len(line) && util.IsAlphaNumeric(line[size]) {
		size++
	}
	return string(line[1:size]), size
}

// textOf finds the text that an expression is: "x", or a call that makes an address of it,
// such as require("x").default.
func textOf(s []byte) (from, to int, ok bool) {
	if call := bytes.IndexByte(s, '('); call > 0 && bytes.IndexByte([]byte("\"'"), s[min(call+1, len(s)-1)]) >= 0 {
		switch string(bytes.TrimSpace(s[:call])) {
		case "require", "useBaseUrl", "withBase":
			end := bytes.IndexByte(s[call+2:], s[call+1])
			return call + 2, call + 2 + end, end > 0
		}
	}
	if len(s) < 2 || strings.IndexByte("\"'`", s[0]) < 0 || s[len(s)-1] != s[0] || bytes.Contains(s, []byte("${")) {
		return 0, 0, false
	}
	return 1, len(s) - 1, true
}

// braceEnd returns the offset after the "}" that closes the "{" at an offset; -1 when
// none does.
func braceEnd(line []byte, i int) int {
	depth, quote := 0, byte(0)
	for ; i < len(line); i++ {
		switch b := line[i]; {
		case quote != 0:
			if b == '\\' {
				i++
			} else if b == quote || b == '\n' && quote != '`' {
				quote = 0
			}
		case b == '"' || b == '\'' || b == '`':
			quote = b
		case b == '{':
			depth++
		case b == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// get returns where the value of the first of several attributes is; false when the tag
// has none of them.
func (c *component) get(names ...string) (from, to int, ok bool) {
	for _, name := range names {
		for _, a := range c.attrs {
			if a.name == name && a.to > a.from {
				return a.from, a.to, true
			}
		}
	}
	return 0, 0, false
}

// text is the value of the first of several attributes on one line.
func (c *component) text(source []byte, names ...string) string {
	from, to, _ := c.get(names...)
	return string(collapse([]byte(Unescape(source[from:to]))))
}

// pictures are components that show a picture.
var pictures = map[string]bool{"image": true, "img": true, "picture": true, "zoomimage": true, "themedimage": true, "figure": true}

// tag is the node of a tag that starts at an offset.
func (c *component) tag(source []byte, at int) *ComponentTag {
	n := &ComponentTag{Name: strings.ToLower(c.name), Close: c.close, Alone: c.alone, Written: string(source[at:c.end])}
	n.SetPos(at)
	if pictures[n.Name] {
		n.Picture, n.Label = c.text(source, "src"), c.text(source, "alt", "title", "caption")
		return n
	}
	if c.lower() && c.name != "a" { // an element that code says something about
		return n
	}
	n.Link = c.text(source, "href", "to", "link", "url")
	n.Label = c.text(source, "title", "text", "label", "name")
	if n.IsIcon() {
		n.Label = c.text(source, "label", "title")
	}
	if n.Link != "" {
		n.About = c.text(source, "description")
		if n.Label == "" {
			n.Label, n.About = n.About, ""
		}
	}
	return n
}

// parseComponentTag reads a ComponentTag: on a page of MDX every tag of a component, on
// others those that have attributes or no content, since "a <T> b" is no tag.
func parseComponentTag(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	mdx, tags := stateOf(pc).mdx, &stateOf(pc).tags
	if len(line) < 4 || !mdx && !isCapital(bytes.TrimPrefix(line[1:], []byte("/"))[0]) {
		return nil
	}
	c, ok := readComponent(line, 0, pc)
	if !ok || c.lower() && !c.code {
		return nil
	}
	if sure := mdx || c.alone || len(c.attrs) > 0 || c.close && tags.last == c.name; !sure {
		return nil
	}
	if !c.alone && !c.close {
		tags.last = c.name
	}
	n := c.tag(line, 0)
	n.SetPos(segment.Start)
	block.Advance(c.end)
	return n
}

// MkDocs and Kramdown read Markdown in elements that ask for it:
//
//	<div class="grid" markdown>
//	  ![Picture](a.png)
//	</div>
//
// Such a tag alone on its line, and the one that closes it, are blocks of their own, so that
// what is between them is Markdown. One with text after it starts a paragraph.

// openMarkdownTag reads the lines of such tags.
func openMarkdownTag(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	open := stateOf(pc).tags.markdown
	if len(open) == 0 && !bytes.Contains(line[:min(len(line), maxTag)], []byte("markdown")) {
		return nil, parser.NoChildren
	}
	t, ok := lineTag(line, pc)
	if !ok || !util.IsBlank(line[t.End:]) {
		return nil, parser.NoChildren
	}
	switch {
	case t.Kind == htmltag.Open && asksForMarkdown(&t):
		open[t.Name]++
	case t.Kind == htmltag.Close && open[t.Name] > 0:
		open[t.Name]--
	default:
		return nil, parser.NoChildren
	}
	n := ast.NewHTMLBlock(ast.HTMLBlockType6)
	n.Lines().Append(segment)
	skipLine(reader)
	return n, parser.NoChildren
}

// lineTag reads the tag that a line starts with.
func lineTag(line []byte, pc parser.Context) (t htmltag.Token, ok bool) {
	at := pc.BlockOffset()
	if at < 0 || len(line) < at+3 || line[at] != '<' {
		return t, false
	}
	t = htmltag.Next(line, at)
	return t, t.Kind == htmltag.Open || t.Kind == htmltag.Close
}

// asksForMarkdown reports a tag with the attribute "markdown".
func asksForMarkdown(t *htmltag.Token) bool {
	value, ok := t.Get("markdown")
	return ok && value != "0"
}

// isMarkdownLine reports an HTML block that is to be a paragraph: its element asks for
// Markdown, and text follows the tag.
func isMarkdownLine(_ ast.Node, reader text.Reader, pc parser.Context) bool {
	line, _ := reader.PeekLine()
	if !bytes.Contains(line[:min(len(line), maxTag)], []byte("markdown")) {
		return false
	}
	t, ok := lineTag(line, pc)
	return ok && t.Kind == htmltag.Open && asksForMarkdown(&t)
}

// htmlBlock reads HTML blocks, which end before the tag that closes an element with
// Markdown around them, and do not end at a blank line in a comment. It hides the rest of an
// element that is not shown, after its block.
type htmlBlock struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (p htmlBlock) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	n, state := p.BlockParser.Open(parent, reader, pc)
	if n != nil {
		stateOf(pc).comments.hideFrom(line, segment)
	}
	return n, state
}

// Continue implements parser.BlockParser.
func (p htmlBlock) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	line, segment := reader.PeekLine()
	if open := stateOf(pc).tags.markdown; len(open) > 0 {
		trimmed := bytes.TrimSpace(line)
		if len(trimmed) > 3 && trimmed[1] == '/' {
			t := htmltag.Next(trimmed, 0)
			if t.Kind == htmltag.Close && t.End == len(trimmed) && open[t.Name] > 0 && !opens(node, reader.Source(), t.Name) {
				return parser.Close
			}
		}
	}
	if segment.Start < commentEnd(node, reader, pc) {
		node.Lines().Append(segment)
		skipLine(reader)
		return parser.Continue | parser.NoChildren
	}
	state := p.BlockParser.Continue(node, reader, pc)
	if state&parser.Continue != 0 {
		stateOf(pc).comments.hideFrom(line, segment)
	}
	return state
}

// noComment stands for no comment that ends in the rest of the document.
const noComment = -1

// commentEnd is the end of the comment that an HTML block is in at a blank line, which
// would end the block; 0 when it is in none, or the comment has no end.
func commentEnd(node ast.Node, reader text.Reader, pc parser.Context) int {
	line, segment := reader.PeekLine()
	tags := &stateOf(pc).tags
	end := tags.comment
	block, ok := node.(*ast.HTMLBlock)
	if segment.Start < end || end == noComment || !ok || block.HTMLBlockType < ast.HTMLBlockType6 || !util.IsBlank(line) || node.Lines().Len() == 0 {
		return end
	}
	source := reader.Source()
	before := source[node.Lines().At(0).Start:segment.Start]
	open := bytes.LastIndex(before, []byte("<!--"))
	if open < 0 || bytes.Contains(before[open:], []byte("-->")) {
		return 0
	}
	i := bytes.Index(source[segment.Start:], []byte("-->"))
	if i < 0 {
		tags.comment = noComment
		return 0
	}
	tags.comment = segment.Start + i
	return tags.comment
}

// opens reports whether an HTML block opens more elements of a name than it closes. Of a
// long block only the first lines are read.
func opens(node ast.Node, source []byte, name string) bool {
	depth := 0
	for i := range min(node.Lines().Len(), 200) {
		segment := node.Lines().At(i)
		line := bytes.ToLower(segment.Value(source))
		depth += bytes.Count(line, []byte("<"+name)) - bytes.Count(line, []byte("</"+name))
	}
	return depth > 0
}

// maxPreamble is how many lines of a page are looked at for what it imports.
const maxPreamble = 60

// importsComponents reports a page that imports components at its beginning, as those of
// Docusaurus do, which are MDX whatever their ending.
func importsComponents(body []byte) bool {
	fence, n := false, 0
	for line := range bytes.Lines(body) {
		if n++; n > maxPreamble {
			break
		}
		if bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~")) {
			fence = !fence
		}
		if fence || !bytes.HasPrefix(line, []byte("import ")) {
			continue
		}
		name, from, ok := bytes.Cut(line[len("import "):], []byte(" from "))
		from = bytes.TrimRight(bytes.TrimSpace(from), ";")
		name = bytes.TrimSpace(name)
		if ok && len(from) > 2 && (from[0] == '"' || from[0] == '\'') && from[len(from)-1] == from[0] &&
			len(name) > 0 && (name[0] == '{' || name[0] == '*' || bytes.IndexByte(name, ' ') < 0) {
			return true
		}
	}
	return false
}

// moduleWords begin such lines.
var moduleWords = [][]byte{
	[]byte("export const "), []byte("export let "), []byte("export default "), []byte("export function "), []byte("export async "), []byte("export {"), []byte("export * "),
}

// openModule reads the lines of a page of MDX that import or export: they are for the
// program that makes a site of it, and not shown.
func openModule(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	if !stateOf(pc).mdx || parent.Kind() != ast.KindDocument || pc.BlockIndent() > 0 {
		return nil, parser.NoChildren
	}
	known := bytes.HasPrefix(line, []byte("import ")) && isImport(line)
	for _, word := range moduleWords {
		known = known || bytes.HasPrefix(line, word)
	}
	if !known {
		return nil, parser.NoChildren
	}
	skipLine(reader)
	return &tagBlock{end: moduleEnd(reader.Source(), segment.Start)}, parser.NoChildren
}

// isImport reports a line that imports, or begins to.
func isImport(line []byte) bool {
	rest := bytes.TrimSpace(line[len("import "):])
	return bytes.HasSuffix(rest, []byte("{")) || bytes.ContainsAny(rest, "\"'") && !bytes.HasSuffix(rest, []byte("."))
}

// moduleEnd returns where the code that starts at an offset ends: at the first blank line
// outside of its brackets.
func moduleEnd(source []byte, at int) int {
	depth := 0
	limit := min(len(source), at+maxComponent)
	for from := at; from < limit; {
		end := limit
		if i := bytes.IndexByte(source[from:limit], '\n'); i >= 0 {
			end = from + i + 1
		}
		line := source[from:end]
		if depth <= 0 && util.IsBlank(line) {
			return from
		}
		quote := byte(0)
		for i := 0; i < len(line); i++ {
			switch c := line[i]; {
			case c == '\\':
				i++
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '`':
				quote = c
			case c == '(' || c == '[' || c == '{':
				depth++
			case c == ')' || c == ']' || c == '}':
				depth--
			}
		}
		from = end
	}
	if depth > 0 { // it does not end: the paragraph alone
		if i := bytes.Index(source[at:limit], []byte("\n\n")); i >= 0 {
			return at + i + 1
		}
	}
	return limit
}
