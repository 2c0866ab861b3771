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
// A tag of several lines is a block of code. All others are text. On a page that is not
// MDX, a tag without attributes with text right below it is HTML, as CommonMark says.

// componentKinds are the kinds of callouts of components, by their names in lower case.
// Other names are those of templates.
var componentKinds = map[string]string{
	"callout": "", "aside": "", "admonition": "", "alert": "", "hint": "", "notice": "", "banner": "", // their type says it
	"check": "success", "tabitem": "tab", "tab": "tab", "tabs.tab": "tab",
	"accordion": "details", "expandable": "details", "details": "details", "collapse": "details", "collapsible": "details", "toggle": "details",
	"tabs": "container", "tabgroup": "container", "codegroup": "container", "codetabs": "container", "steps": "container",
	"cardgroup": "container", "cardgrid": "container", "cards": "container", "columns": "container", "accordiongroup": "container",
	"card": "container", "step": "container", "frame": "container", "filetree": "container",
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

// tagEnd returns the offset of the ">" that ends a tag, outside of quotes and braces; -1
// when the line does not end it.
func tagEnd(line []byte) int {
	depth, quote := 0, byte(0)
	for i, c := range line {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == '>' && depth <= 0:
			return i
		}
	}
	return -1
}

// componentsKey is where a document says that it is a page of MDX.
var componentsKey = parser.NewContextKey()

// componentBlock reads a text between two tags of a component.
type componentBlock struct{ plainBlock }

// Trigger implements parser.BlockParser.
func (componentBlock) Trigger() []byte { return []byte{'<'} }

// Open implements parser.BlockParser.
func (b componentBlock) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if at < 0 || len(line) > maxTag && !bytes.Contains(line[:maxTag], []byte(">")) {
		return nil, parser.NoChildren
	}
	name, size := componentName(line[at:])
	if name == "" {
		return oneTag(line[at:], segment, reader, pc)
	}
	end := tagEnd(line[at:])
	if end < 0 {
		return b.openTag(line, segment, reader, pc)
	}
	if line[at+end-1] == '/' || len(bytes.TrimSpace(line[at+end+1:])) > 0 {
		return nil, parser.NoChildren
	}
	t := templateTag{name: strings.ToLower(name), arguments: line[at+size : at+end], closer: "</" + name + ">"}
	kind, ok := t.componentKind()
	if !ok {
		return oneTag(line[at:], segment, reader, pc)
	}
	if !tagCloses(reader.Source(), t.closer, segment.Stop, pc) || tooDeep(parent, reader, pc) {
		return nil, parser.NoChildren
	}
	indent, blank := indentAfter(reader.Source(), segment.Stop)
	n := &CalloutNode{closer: t.closer, dedent: max(0, indent-reader.LineOffset())}
	if pc.Get(componentsKey) == nil && len(bytes.TrimSpace(t.arguments)) == 0 && n.dedent == 0 && !blank {
		return nil, parser.NoChildren
	}
	n.Callout.Kind = kind
	start := segment.Start - segment.Padding + at + size
	for _, title := range componentTitles {
		if from, to, ok := t.argument(title); ok {
			n.Title = true
			n.AppendChild(n, titleAt(start+from, start+to))
			break
		}
	}
	skipLine(reader)
	return n, parser.HasChildren
}

// oneTag reads the line of a tag that is shown as text, on a page of MDX, where the line
// below it is Markdown again.
func oneTag(line []byte, segment text.Segment, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	name, size := componentName(append([]byte("<"), bytes.TrimLeft(line, "</")...))
	if pc.Get(componentsKey) == nil || name == "" || size == 0 || !bytes.HasSuffix(bytes.TrimSpace(line), []byte(">")) {
		return nil, parser.NoChildren
	}
	n := ast.NewHTMLBlock(ast.HTMLBlockType7)
	n.Lines().Append(segment)
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

// openTag reads a tag of several lines, which ends in a line that is "/>" or ">" alone, or
// ends in "/>".
func (componentBlock) openTag(line []byte, segment text.Segment, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if !tagCloses(reader.Source(), "/>", segment.Stop, pc) && !tagCloses(reader.Source(), "\n>", segment.Stop-1, pc) {
		return nil, parser.NoChildren
	}
	n := ast.NewFencedCodeBlock(nil)
	n.Lines().Append(segment)
	skipLine(reader)
	return n, parser.NoChildren
}

// Continue implements parser.BlockParser.
func (componentBlock) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	line, segment := reader.PeekLine()
	if node.Kind() == ast.KindHTMLBlock {
		return parser.Close
	}
	if code, ok := node.(*ast.FencedCodeBlock); ok {
		code.Lines().Append(segment)
		trimmed := bytes.TrimSpace(line)
		if bytes.HasSuffix(trimmed, []byte("/>")) || string(trimmed) == ">" {
			skipLine(reader)
			return parser.Close
		}
		return parser.Continue | parser.NoChildren
	}
	state := templateBlock{}.Continue(node, reader, pc)
	if n := node.(*CalloutNode); state != parser.Close && n.dedent > 0 && !util.IsBlank(line) {
		width, _ := util.IndentWidth(line, reader.LineOffset())
		pos, padding := util.IndentPosition(line, reader.LineOffset(), min(width, n.dedent))
		if pos >= 0 {
			reader.AdvanceAndSetPadding(pos, padding)
		}
	}
	return state
}
