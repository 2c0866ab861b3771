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

// A callout is a box that stands out from the text: a note, a warning. Several
// systems have a way to write one, and all become the same:
//
//	> [!NOTE]             GitHub, Obsidian (with a title and a fold mark)
//	:::note[Title]        Docusaurus, Starlight, VitePress, up to a closing :::
//	/// note | Title      extensions of MkDocs, up to a closing ///
//	!!! note "Title"      MkDocs, over the lines that are indented by four
//	??? note "Title"      the same, folded
//	=== "Title"           MkDocs: a tab
//	!> text, ?> text      Docsify, one paragraph

// Callout describes a callout. Its title, when it has one, is the first child of
// the node, a CalloutTitle.
type Callout struct {
	Kind  string // what it is called, in lower case: "note", "tip", "tab", …
	Fold  byte   // 0: not foldable; '+': open; '-': folded
	Title bool   // it has a title of its own, which may be empty: none is shown

	HeadRows int // of a table written as a list: how many rows are its head
}

// The node kinds of callouts.
var (
	kindCallout      = ast.NewNodeKind("Callout")
	kindCalloutTitle = ast.NewNodeKind("CalloutTitle")
)

// CalloutNode is a callout that is not a block quote.
type CalloutNode struct {
	ast.BaseBlock
	Callout
	fence   int      // colons, or slashes, of the line that opened it; 0: its lines are indented
	sign    byte     // of that line, ':' or '/'
	line    bool     // it has one line, and those that continue its paragraph
	closer  string   // the name of the tag that closes it, when one opened it
	dedent  int      // columns of indentation that its lines have beside their own
	head    int      // offset after the tag that opened it, which may have several lines
	options bool     // options of MyST may be next in its head
	closed  bool     // all of it is on the line that opened it
	items   [][2]int // where the titles of its tabs are, when it has them
}

// Kind returns kindCallout.
func (n *CalloutNode) Kind() ast.NodeKind { return kindCallout }

// Dump prints the node for debugging.
func (n *CalloutNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// CalloutTitle is the title of a callout.
type CalloutTitle struct{ ast.BaseBlock }

// Kind returns kindCalloutTitle.
func (n *CalloutTitle) Kind() ast.NodeKind { return kindCalloutTitle }

// Dump prints the node for debugging.
func (n *CalloutTitle) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// calloutAttribute is the attribute of a block quote that is a callout.
const calloutAttribute = "callout"

// CalloutOf returns what a node is as a callout; nil if it is not one.
func CalloutOf(n ast.Node) *Callout {
	switch n := n.(type) {
	case *CalloutNode:
		return &n.Callout
	case *ast.Blockquote:
		if n.Attributes() != nil {
			if v, ok := n.AttributeString(calloutAttribute); ok {
				c, _ := v.(*Callout)
				return c
			}
		}
	}
	return nil
}

// titleAt makes a title of a slice of the source.
func titleAt(start, stop int) *CalloutTitle {
	t := &CalloutTitle{}
	t.SetPos(start)
	if stop > start {
		t.Lines().Append(text.NewSegment(start, stop))
	}
	return t
}

// quoteCallout turns a block quote that starts with "[!NOTE]" into a callout.
type quoteCallout struct{}

// Transform implements parser.ParagraphTransformer.
func (quoteCallout) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	if node.Lines().Len() == 0 || node.Parent() == nil {
		return
	}
	first := node.Lines().At(0)
	line := first.Value(reader.Source())
	quote, ok := node.Parent().(*ast.Blockquote)
	if !ok || node.PreviousSibling() != nil {
		return
	}
	indent := len(line) - len(bytes.TrimLeft(line, " \t"))
	c, size := readCalloutHead(line[indent:])
	if size == 0 {
		return
	}
	quote.SetAttributeString(calloutAttribute, c)
	start := first.Start + indent + size - first.Padding
	stop := first.Stop
	source := reader.Source()
	for start < stop && (source[start] == ' ' || source[start] == '\t') {
		start++
	}
	for stop > start && util.IsSpace(source[stop-1]) {
		stop--
	}
	if c.Title = stop > start; c.Title {
		quote.InsertBefore(quote, node, titleAt(start, stop))
	}
	lines := text.NewSegments()
	for i := 1; i < node.Lines().Len(); i++ {
		lines.Append(node.Lines().At(i))
	}
	node.SetLines(lines)
	if lines.Len() == 0 {
		quote.RemoveChild(quote, node)
	}
}

// readCalloutHead reads the "[!kind]" that starts a line, with its fold mark, and
// returns its length; 0 when there is none.
func readCalloutHead(line []byte) (*Callout, int) {
	if !bytes.HasPrefix(line, []byte("[!")) {
		return nil, 0
	}
	end := bytes.IndexByte(line, ']')
	if end < 0 || end > maxKind {
		return nil, 0
	}
	kind, _, _ := strings.Cut(string(line[2:end]), "|") // Obsidian: metadata
	kind = strings.ToLower(strings.TrimSpace(kind))
	if !isKind(kind) {
		return nil, 0
	}
	c := &Callout{Kind: kind}
	size := end + 1
	if size < len(line) && (line[size] == '+' || line[size] == '-') {
		c.Fold = line[size]
		size++
	}
	if size < len(line) && !util.IsSpace(line[size]) {
		return nil, 0
	}
	return c, size
}

// maxKind is the longest name of a kind of callouts, in bytes.
const maxKind = 64

// isKind reports whether a text may name a kind of callouts.
func isKind(s string) bool {
	return s != "" && len(s) <= maxKind && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ ") == ""
}

// colonCallout reads blocks between lines of colons.
type colonCallout struct{ plainBlock }

// Trigger implements parser.BlockParser.
func (colonCallout) Trigger() []byte { return []byte{':', '/'} }

// Open implements parser.BlockParser.
func (colonCallout) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if at >= 0 && bytes.HasPrefix(line[at:], []byte("///")) {
		return openSlashes(line, at, parent, reader, pc)
	}
	if at < 0 || !bytes.HasPrefix(line[at:], []byte(":::")) {
		return nil, parser.NoChildren
	}
	n := &CalloutNode{sign: ':'}
	n.fence = countByte(line[at:], ':')
	at += n.fence
	rest := bytes.TrimRight(line[at:], " \t\r\n")
	skip := len(rest) - len(bytes.TrimLeft(rest, " \t"))
	at, rest = at+skip, rest[skip:]
	kind := rest
	if i := bytes.IndexAny(rest, " \t[{"); i > 0 {
		kind = rest[:i]
	}
	braced := len(rest) > 0 && rest[0] == '{'
	if braced { // MyST, Pandoc: :::{note}
		kind, _, _ = bytes.Cut(rest[1:], []byte("}"))
		rest, at = rest[min(len(rest), len(kind)+2):], at+min(len(rest), len(kind)+2)
		kind, _, _ = bytes.Cut(bytes.TrimLeft(kind, " ."), []byte(" "))
	} else {
		rest, at = rest[len(kind):], at+len(kind)
	}
	if !isKind(string(kind)) || !stateOf(pc).closes(":", segment.Stop) || tooDeep(parent, reader, pc) {
		return nil, parser.NoChildren
	}
	n.Callout.Kind = strings.ToLower(string(kind))
	if known, ok := directiveKind(n.Callout.Kind); ok && braced {
		n.Callout.Kind = known
	}
	n.options = braced
	if from, to, ok := colonTitle(rest); ok && !(braced && slices.Contains(untitled, string(kind))) {
		n.Title = true
		at += segment.Start - segment.Padding
		n.AppendChild(n, titleAt(at+from, at+to))
	}
	skipLine(reader)
	return n, parser.HasChildren
}

// colonTitle finds the title in what follows the kind: "[Title]", {title="Title"}
// or the text before attributes.
func colonTitle(rest []byte) (from, to int, ok bool) {
	if len(rest) > 0 && rest[0] == '[' {
		if end := bytes.LastIndexByte(rest, ']'); end > 0 {
			return 1, end, true
		}
	}
	plain := rest
	if i := bytes.IndexByte(rest, '{'); i >= 0 {
		plain = rest[:i]
		if at := bytes.Index(rest[i:], []byte(`title="`)); at >= 0 {
			from = i + at + len(`title="`)
			if end := bytes.IndexByte(rest[from:], '"'); end >= 0 {
				return from, from + end, true
			}
		}
	}
	to = len(bytes.TrimRight(plain, " \t:"))
	for from < to && (rest[from] == ' ' || rest[from] == '\t') {
		from++
	}
	return from, to, to > from
}

// Continue implements parser.BlockParser. A closing line closes the innermost block
// that it is long enough for.
func (colonCallout) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	line, _ := reader.PeekLine()
	trimmed := bytes.TrimSpace(line)
	n := node.(*CalloutNode)
	size := countByte(trimmed, n.sign)
	if n.option(line) {
		skipLine(reader)
		return parser.Continue | parser.HasChildren
	}
	if size < n.fence || size != len(trimmed) {
		return parser.Continue | parser.HasChildren
	}
	inner := false // inside of this block
	for _, b := range pc.OpenedBlocks() {
		if c, ok := b.Node.(*CalloutNode); ok && inner && c.sign == n.sign && c.fence <= size {
			return parser.Continue | parser.HasChildren
		}
		if inner && b.Node.Kind() == ast.KindFencedCodeBlock {
			return parser.Continue | parser.HasChildren
		}
		inner = inner || b.Node == node
	}
	skipLine(reader)
	return parser.Close
}

// indentCallout reads blocks of a head and indented lines.
type indentCallout struct{ plainBlock }

// Trigger implements parser.BlockParser.
func (indentCallout) Trigger() []byte { return []byte{'!', '?', '='} }

// Open implements parser.BlockParser.
func (indentCallout) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if at < 0 || len(line) < at+4 {
		return nil, parser.NoChildren
	}
	n := &CalloutNode{}
	head := line[at:]
	size := 3
	switch {
	case (bytes.HasPrefix(head, []byte("!> ")) || bytes.HasPrefix(head, []byte("?> "))) && !util.IsBlank(head[3:]) && !tooDeep(parent, reader, pc):
		n.Callout.Kind, n.line = "tip", true
		reader.Advance(at + len("!> "))
		return n, parser.HasChildren
	case bytes.HasPrefix(head, []byte("!!!")):
	case bytes.HasPrefix(head, []byte("???")):
		n.Fold = '-'
		if len(head) > 3 && head[3] == '+' {
			n.Fold, size = '+', 4
		}
	case bytes.HasPrefix(head, []byte("===")):
		n.Callout.Kind = "tab"
		if len(head) > 3 && (head[3] == '!' || head[3] == '+') {
			size = 4
		}
	default:
		return nil, parser.NoChildren
	}
	rest := bytes.TrimRight(head[size:], " \t\r\n")
	if len(rest) == 0 || rest[0] != ' ' && rest[0] != '\t' {
		return nil, parser.NoChildren
	}
	from := bytes.IndexByte(rest, '"')
	if from >= 0 {
		if from == len(rest)-1 || rest[len(rest)-1] != '"' {
			return nil, parser.NoChildren
		}
		n.Title = true
		start := segment.Start - segment.Padding + at + size
		n.AppendChild(n, titleAt(start+from+1, start+len(rest)-1))
		rest = rest[:from]
	}
	words := strings.ToLower(strings.TrimSpace(string(rest)))
	kind, _, _ := strings.Cut(words, " ")
	switch {
	case n.Callout.Kind == "tab":
		if kind != "" || !n.Title {
			return nil, parser.NoChildren
		}
	case !isKind(words):
		return nil, parser.NoChildren
	default:
		n.Callout.Kind = kind
	}
	if tooDeep(parent, reader, pc) {
		return nil, parser.NoChildren
	}
	skipLine(reader)
	return n, parser.HasChildren
}

// Continue implements parser.BlockParser.
func (indentCallout) Continue(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	if node.(*CalloutNode).line {
		return parser.Close
	}
	line, _ := reader.PeekLine()
	if util.IsBlank(line) {
		return parser.Continue | parser.HasChildren
	}
	at, padding := util.IndentPosition(line, reader.LineOffset(), 4)
	if at < 0 {
		return parser.Close
	}
	reader.AdvanceAndSetPadding(at, padding)
	return parser.Continue | parser.HasChildren
}

// skipLine moves a reader to the line end of its line, which a parser of blocks
// leaves to its caller.
func skipLine(reader text.Reader) {
	line, segment := reader.PeekLine()
	size := segment.Len()
	if len(line) > 0 && line[len(line)-1] == '\n' {
		size--
	}
	reader.Advance(size)
}

// countByte returns how many bytes c start a line.
func countByte(line []byte, c byte) int {
	n := 0
	for n < len(line) && line[n] == c {
		n++
	}
	return n
}
