package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A callout is a part of a page that stands out from the text, or arranges it: a note, a tab,
// a card. Each system has a way to write them, and all become the same:
//
//	> [!NOTE]             GitHub, Obsidian (with a title and a fold mark)
//	:::note[Title]        Docusaurus, Starlight, VitePress, up to a closing :::
//	:::{note} Title       MyST, also between lines of backquotes
//	/// note | Title      extensions of MkDocs, up to a closing ///
//	!!! note "Title"      MkDocs, over the lines that are indented by four
//	??? note "Title"      the same, folded
//	=== "Title"           MkDocs: a tab
//	!> text, ?> text      Docsify, one paragraph
//	{% note %}            GitBook and others, up to {% endnote %}
//	{{< note >}}          Hugo, up to {{< /note >}}; also {{% note %}}
//	<Note title="x">      MDX, up to </Note>

// Callout describes a callout. Its title, when it has one, is the first child of
// the node, a CalloutTitle.
type Callout struct {
	Kind  string // what it is called, in lower case: "note", "tip", "tab", …
	Fold  byte   // 0: not foldable; '+': open; '-': folded
	Title bool   // it has a title of its own, which may be empty: none is shown

	HeadRows int // of a table written as a list: how many rows are its head
}

// Form is what a callout is on a page.
type Form uint8

// The forms of callouts.
const (
	Note      Form = iota // stands out from the text
	Box                   // only what is in it is shown
	Details               // folds away
	Tab                   // is shown alone of its group
	CodeTabs              // its blocks of code are tabs
	ListTable             // is a table, written as a list of lists
)

// looks are the kinds of callouts by their form and class. One that is not here looks like a note.
var looks = []struct {
	form         Form
	class, kinds string
}{
	{Note, "tip", "tip hint success check done question help faq"},
	{Note, "important", "important abstract summary tldr example"},
	{Note, "warning", "warning attention"},
	{Note, "caution", "caution danger error bug failure fail missing"},
	{Note, "quote", "quote cite"},
	{Box, "box", "card"},
	{Box, "grid", "cards cardgrid grid columns"},
	{Box, "files", "filetree"},
	{Box, "", "tabs tab-item tabitem steps container row col column center caption raw v-pre div figure"},
	{Details, "", "details"},
	{Tab, "", "tab"},
	{CodeTabs, "", "code-group"},
	{ListTable, "", "list-table"},
}

// Look returns what a callout is on a page, and its class there.
func (c *Callout) Look() (form Form, class string) {
	for _, look := range looks {
		if isIn(c.Kind, look.kinds) {
			return look.form, look.class
		}
	}
	return Note, "note"
}

// system is a way of writing callouts that has names of its own.
type system uint8

const (
	directives system = iota // of MyST
	slashes                  // of MkDocs
	templates                // of GitBook, Hugo and Jekyll
	components               // of MDX
)

// names are what the systems call their callouts, by the kinds that these are; of those
// without a kind an argument says it. Notes have their names in all of them.
var names = []struct {
	kind string
	of   [4]string // by system
}{
	{"details", [4]string{"dropdown", "details", "details expand", "accordion expandable details collapse collapsible toggle"}},
	{"tab", [4]string{"tab-item", "tab", "tab", "tabitem tab tabs.tab"}},
	{"container", [4]string{"tab-set grid-item glossary margin sidebar topic", "html define", "tabs tabpane code content-ref stepper step columns column steps cards", "tabs tabgroup steps accordiongroup step frame"}},
	{"grid", [4]string{directives: "grid", components: "cardgroup cardgrid cards columns"}},
	{"card", [4]string{directives: "grid-item-card card", components: "card"}},
	{"code-group", [4]string{components: "codegroup codetabs"}},
	{"filetree", [4]string{components: "filetree"}},
	{"list-table", [4]string{directives: "list-table"}},
	{"caption", [4]string{slashes: "caption figure-caption table-caption"}},
	{"quote", [4]string{directives: "epigraph", slashes: "quote"}},
	{"abstract", [4]string{slashes: "abstract"}},
	{"bug", [4]string{slashes: "bug"}},
	{"failure", [4]string{slashes: "failure"}},
	{"summary", [4]string{slashes: "summary"}},
	{"success", [4]string{components: "check"}},
	{"note", [4]string{directives: "admonition", slashes: "admonition"}},
	{"", [4]string{templates: "hint notice alert callout admonition admonish", components: "callout aside admonition alert hint notice banner"}},
}

// notes are the kinds of notes of all systems, and untitled the directives whose argument is
// not a title.
const (
	notes    = "note tip warning caution info important danger success attention seealso hint error example question"
	untitled = "tab-set grid grid-item"
)

// kindOf returns what kind of callout a system calls by a name, "" when an argument says it;
// false when it calls none so.
func kindOf(s system, name string) (kind string, ok bool) {
	for _, row := range names {
		if isIn(name, row.of[s]) {
			return row.kind, true
		}
	}
	return name, isIn(name, notes)
}

// maxKind is the longest name of a kind of callouts, in bytes.
const maxKind = 64

// isKind reports whether a text may name a kind of callouts.
func isKind(s string) bool {
	return s != "" && len(s) <= maxKind && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ ") == ""
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
	closer  string   // the tag or the line that closes it, of a fence its sign; "": its lines are indented
	fence   int      // how many signs its fence has
	dedent  int      // columns of indentation that its lines have beside their own
	head    int      // offset after the tag that opened it, which may have several lines
	options bool     // options may be next in its head
	closed  bool     // all of it is on the line that opened it, or in the paragraph that this line begins
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

// addTitle gives a callout the title that is a slice of the source.
func (n *CalloutNode) addTitle(start, stop int) {
	n.Title = true
	n.AppendChild(n, titleAt(start, stop))
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

// openCallout reads callouts that are not block quotes, and the other lines that systems add
// to Markdown: tags, what they put into a page, labels.
func openCallout(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if at < 0 {
		return nil, parser.NoChildren
	}
	l := headLine{line[at:], segment.Start - segment.Padding + at, parent, reader, pc}
	if n := include(l.text, l.start, reader.Source(), segment.Stop); n != nil {
		return l.single(n)
	}
	switch l.text[0] {
	case ':':
		return l.open(readColons(l.text))
	case '/':
		return l.open(readSlashes(l.text))
	case '`':
		return l.open(readDirective(l.text, reader.Source()[segment.Stop:]))
	case '{':
		return l.openTag()
	case '<':
		return l.openComponent()
	case '(':
		return l.single(l.label())
	case '-':
		return nil, parser.NoChildren
	}
	if (bytes.HasPrefix(l.text, []byte("!> ")) || bytes.HasPrefix(l.text, []byte("?> "))) && !util.IsBlank(l.text[3:]) && !tooDeep(parent, reader, pc) {
		reader.Advance(at + len("!> "))
		return &CalloutNode{Callout: Callout{Kind: "tip"}, closed: true}, parser.HasChildren
	}
	return l.open(readIndented(l.text))
}

// headLine is a line that may open a callout.
type headLine struct {
	text   []byte // from its mark on
	start  int    // offset of the mark
	parent ast.Node
	reader text.Reader
	pc     parser.Context
}

// open opens a callout whose title is between two places of the line, unless nothing closes it
// or it would be too deep.
func (l headLine) open(n *CalloutNode, from, to int) (ast.Node, parser.State) {
	_, segment := l.reader.PeekLine()
	if n == nil || n.closer != "" && !stateOf(l.pc).closes(n.closer, segment.Stop) || tooDeep(l.parent, l.reader, l.pc) {
		return nil, parser.NoChildren
	}
	if n.Title {
		n.addTitle(l.start+from, l.start+to)
	}
	skipLine(l.reader)
	return n, parser.HasChildren
}

// single reads the line as a block of its own; nil: as something else.
func (l headLine) single(n ast.Node) (ast.Node, parser.State) {
	if n == nil {
		return nil, parser.NoChildren
	}
	skipLine(l.reader)
	return n, parser.NoChildren
}

// readColons reads ":::note[Title]" and ":::{note} Title".
func readColons(line []byte) (n *CalloutNode, from, to int) {
	n = &CalloutNode{closer: ":", fence: countByte(line, ':')}
	rest := bytes.TrimLeft(bytes.TrimRight(line[n.fence:], " \t\r\n"), " \t")
	if n.fence < 3 || len(rest) == 0 {
		return nil, 0, 0
	}
	kind := rest
	if i := bytes.IndexAny(rest, " \t[{"); i > 0 {
		kind = rest[:i]
	}
	size := len(kind)
	if n.options = rest[0] == '{'; n.options { // MyST, Pandoc
		kind, _, _ = bytes.Cut(rest[1:], []byte("}"))
		size = min(len(rest), len(kind)+2)
		kind, _, _ = bytes.Cut(bytes.TrimLeft(kind, " ."), []byte(" "))
	}
	if !isKind(string(kind)) {
		return nil, 0, 0
	}
	n.Callout.Kind = strings.ToLower(string(kind))
	if known, ok := kindOf(directives, n.Callout.Kind); ok && n.options {
		n.Callout.Kind = known
	}
	from, to, n.Title = colonTitle(rest[size:])
	n.Title = n.Title && !(n.options && isIn(string(kind), untitled))
	before := bytes.Index(line[n.fence:], rest) + n.fence + size
	return n, before + from, before + to
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

// readSlashes reads "/// note | Title", whose options are indented below it.
func readSlashes(line []byte) (n *CalloutNode, from, to int) {
	n = &CalloutNode{closer: "/", fence: countByte(line, '/'), options: true}
	head := line[n.fence:]
	if n.fence < 3 || len(head) == 0 || head[0] != ' ' {
		return nil, 0, 0
	}
	name, title, titled := bytes.Cut(head, []byte("|"))
	kind, known := kindOf(slashes, strings.ToLower(string(bytes.TrimSpace(name))))
	if !known {
		return nil, 0, 0
	}
	n.Callout.Kind, n.Title = kind, titled && kind != "container" && kind != "caption"
	from = len(line) - len(bytes.TrimLeft(title, " \t\r\n"))
	return n, from, from + len(bytes.TrimSpace(title))
}

// readDirective reads "```{note} Title", which MyST writes before the lines that follow.
func readDirective(line, below []byte) (n *CalloutNode, from, to int) {
	n = &CalloutNode{closer: string(line[:countByte(line, '`')]), options: true}
	head := bytes.TrimRight(line[len(n.closer):], " \t\r\n")
	end := bytes.IndexByte(head, '}')
	if len(n.closer) < 3 || end < 2 || head[0] != '{' {
		return nil, 0, 0
	}
	name := string(head[1:end])
	kind, known := kindOf(directives, name)
	if !known || name == "glossary" && !defines(below, n.closer) { // its definitions are the lines that are indented
		return nil, 0, 0
	}
	title := bytes.TrimSpace(head[end+1:])
	n.Callout.Kind, n.Title = kind, len(title) > 0 && !isIn(name, untitled)
	from = bytes.LastIndex(line, title)
	return n, from, from + len(title)
}

// maxGlossary is how much of a glossary is looked through, in bytes.
const maxGlossary = 64 << 10

// defines reports whether a definition list is before a closer.
func defines(source []byte, closer string) bool {
	source = source[:min(len(source), maxGlossary)]
	inside, _, _ := bytes.Cut(source, []byte("\n"+closer))
	return bytes.Contains(inside, []byte("\n: "))
}

// readIndented reads `!!! note "Title"`, `??? note "Title"` and `=== "Tab"`.
func readIndented(line []byte) (n *CalloutNode, from, to int) {
	n = &CalloutNode{}
	mark, head := cutMark(line)
	if mark == "" || len(head) == 0 || head[0] != ' ' && head[0] != '\t' {
		return nil, 0, 0
	}
	before, title, titled := bytes.Cut(head, []byte(`"`))
	if titled && !bytes.HasSuffix(title, []byte(`"`)) {
		return nil, 0, 0
	}
	n.Title, from, to = titled, len(mark)+len(before)+1, len(mark)+len(head)-1
	words := strings.ToLower(strings.TrimSpace(string(before)))
	if mark[0] == '=' {
		n.Callout.Kind = "tab"
		if words != "" || !titled {
			return nil, 0, 0
		}
		return n, from, to
	}
	if !isKind(words) {
		return nil, 0, 0
	}
	n.Callout.Kind, _, _ = strings.Cut(words, " ")
	switch mark {
	case "???":
		n.Fold = '-'
	case "???+":
		n.Fold = '+'
	}
	return n, from, to
}

// cutMark cuts a line after the mark that it starts with, one of those of MkDocs; "" when it has
// none.
func cutMark(line []byte) (mark string, rest []byte) {
	for _, mark := range []string{"!!!", "???+", "???", "===!", "===+", "==="} {
		if rest, ok := bytes.CutPrefix(line, []byte(mark)); ok {
			return mark, bytes.TrimRight(rest, " \t\r\n")
		}
	}
	return "", nil
}

// label reads (name)=, a line of MyST that names what is below it; nil for others.
func (l headLine) label() ast.Node {
	name, ok := bytes.CutSuffix(bytes.TrimSpace(l.text), []byte(")="))
	if !ok || len(name) < 2 || len(name) > maxBlockID || bytes.ContainsAny(name[1:], " \t()<>\"'`&=") {
		return nil
	}
	_, segment := l.reader.PeekLine()
	return blockOf(&BlockID{ID: string(name[1:])}, l.start, segment.Stop)
}

// continueCallout reads the lines that follow.
func continueCallout(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
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
	case *ast.FencedCodeBlock:
		if closer, _ := n.AttributeString("closer"); closesTag(line, closer.(string)) {
			skipLine(reader)
			return parser.Close
		}
	case *CalloutNode:
		return n.read(line, segment, reader, pc)
	}
	node.Lines().Append(segment)
	skipLine(reader)
	return parser.Continue | parser.NoChildren
}

// read reads a line of a callout.
func (n *CalloutNode) read(line []byte, segment text.Segment, reader text.Reader, pc parser.Context) parser.State {
	switch {
	case n.closed:
		return parser.Close
	case segment.Start < n.head, n.option(line):
		skipLine(reader)
	case n.closer == "":
		if !util.IsBlank(line) && !skipIndent(line, 4, reader) {
			return parser.Close
		}
	case n.closesAt(line) && !n.isAround(line, pc):
		skipLine(reader)
		return parser.Close
	case n.dedent > 0 && !util.IsBlank(line):
		width, _ := util.IndentWidth(line, reader.LineOffset())
		skipIndent(line, min(width, n.dedent), reader)
	}
	return parser.Continue | parser.HasChildren
}

// skipIndent moves a reader over columns of indentation; false when its line has fewer.
func skipIndent(line []byte, columns int, reader text.Reader) bool {
	at, padding := util.IndentPosition(line, reader.LineOffset(), columns)
	if at >= 0 {
		reader.AdvanceAndSetPadding(at, padding)
	}
	return at >= 0
}

// closesAt reports whether a line closes a callout.
func (n *CalloutNode) closesAt(line []byte) bool {
	if n.fence > 0 {
		line = bytes.TrimSpace(line)
		size := countByte(line, n.closer[0])
		return size >= n.fence && size == len(line)
	}
	return n.closer != "" && closesTag(line, n.closer)
}

// isAround reports a block that is open in a callout, and that takes the line that would close
// the callout: another one that it closes, or code.
func (n *CalloutNode) isAround(line []byte, pc parser.Context) bool {
	inner := false
	for _, b := range pc.OpenedBlocks() {
		if c, ok := b.Node.(*CalloutNode); ok && inner && c.closesAt(line) {
			return true
		}
		if inner && b.Node.Kind() == ast.KindFencedCodeBlock && n.closer[0] != '`' {
			return true
		}
		inner = inner || b.Node == ast.Node(n)
	}
	return false
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
