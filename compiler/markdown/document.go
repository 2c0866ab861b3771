package markdown

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/schema"
)

// Document is one parsed Markdown file.
//
// Text is the file decoded: UTF-8, no byte-order mark, LF line ends; front
// matter included, so that offsets and lines hold for the whole file. All
// offsets in this package are byte offsets into Text.
type Document struct {
	Path         string              // pack-relative, for messages
	Text         []byte              // the file decoded, front matter included
	Body         int                 // offset where the body starts, after the front matter
	Meta         *yaml.Node          // the front matter's mapping; nil when there is none
	Status       schema.Status       // front matter status, when it is a known pack status
	MDX          bool                // it is a page of MDX: by its ending, or by what it imports
	Root         ast.Node            // goldmark tree over Text
	Blocks       []Block             // direct children of the document, in order
	Headings     []Heading           // headings that are direct children of the document, in order
	Units        []Unit              // claim units in reading order
	Anchors      []Anchor            // every anchor, usable or not, headings included, in order
	Links        []Link              // links, images and autolinks in order
	Targets      []string            // ids that links may point at beside those of Headings: of HTML, of headings in quotes and lists
	Inner        map[ast.Node]string // ids of headings that are in something, and of tabs; nil when there are none
	HTMLHeadings []HTMLHeading       // headings written in HTML, in order
	Diagnostics  []diag.Diagnostic   // front matter faults (metadata-invalid of KNOWLEDGE.md, metadata-foreign of pages), anchor grammar (path-escape, anchor-unresolved), limits (markdown-limit)

	lines     []int // offset of the start of each line, built by Position
	linesOnce sync.Once
}

// Link is a link, image or autolink of Markdown, a wiki link, or a link or image in
// HTML.
type Link struct {
	Dest     string // destination as parsed: escapes and entities decoded
	Fragment string // of a wiki link; that of other links is in Dest
	Label    string // of a wiki link, after "|"; "" when it has none, and of what is embedded
	Text     string // plain text; "" in HTML
	Offset   int    // of its first character
	Image    bool   // a picture, or what is embedded
	Wiki     bool   // [[…]]: Dest is the name of a page or file
}

// Parse reads one Markdown file from its decoded text (frontmatter.Decode). The
// text must not change while the document is in use. Parse is safe for
// concurrent use; faults of the file are in the document's Diagnostics.
func Parse(path string, text []byte) *Document {
	d := &Document{Path: path, Text: text}
	block, faults := frontmatter.Read(text, frontmatter.Options{Path: path})
	if block.End == 0 && path != guideName {
		block, faults = tomlBlock(text, path)
	}
	readMeta(d, block, faults)

	d.MDX = strings.HasSuffix(path, ".mdx.md") || importsComponents(text[block.End:])
	root, notes := parseTree(text, block, d.MDX)
	d.Root = root
	cutBlocks(d)
	readHeadings(d)
	w := walker{d: d}
	w.document()
	giveInnerIDs(d)
	for _, n := range notes {
		w.report(n.offset, n.id, n.severity, n.message, n.hint).Recorded = n.recorded
	}
	d.Diagnostics = append(d.Diagnostics, w.sorted()...)
	return d
}

// placed is a diagnostic with the offset it is about.
type placed struct {
	offset int
	diag.Diagnostic
}

// sorted returns the collected diagnostics in the order of their places.
func (w *walker) sorted() []diag.Diagnostic {
	slices.SortStableFunc(w.reports, func(a, b placed) int { return cmp.Compare(a.offset, b.offset) })
	list := make([]diag.Diagnostic, 0, len(w.reports))
	for _, r := range w.reports {
		r.Line, r.Column = w.d.Position(r.offset)
		list = append(list, r.Diagnostic)
	}
	return list
}

func (w *walker) report(offset int, id string, severity diag.Severity, message, hint string) *diag.Diagnostic {
	w.reports = append(w.reports, placed{offset, diag.Diagnostic{
		ID: id, Severity: severity, Path: w.d.Path, Message: message, Hint: hint,
	}})
	return &w.reports[len(w.reports)-1].Diagnostic
}

// record turns the unit of a list item into a claim record when its text
// starts with the key "claim" (agent-knowledge section 7.2): text from claim,
// anchors from source, marker from status. Lines without a known key continue
// the value before them.
func (w *walker) record(n ast.Node, u *Unit) {
	if !strings.HasPrefix(u.Text, "claim:") {
		return
	}
	values := map[string]string{}
	key := ""
	for _, line := range w.textLines(n) {
		if name, value, ok := recordKey(line); ok {
			key = name
			values[key] = value
			continue
		}
		values[key] = strings.TrimSpace(values[key] + " " + line)
	}
	u.Kind, u.Text = Record, unquote(values["claim"])

	from := len(w.d.Anchors) - len(u.Anchors)
	for _, a := range parseAnchors(unquote(values["source"]), w.keyOffset(n, "source:")) {
		w.reportAnchor(a)
		w.d.Anchors = append(w.d.Anchors, a)
	}
	u.Anchors = w.d.Anchors[from:len(w.d.Anchors):len(w.d.Anchors)]
	slices.SortStableFunc(u.Anchors, func(a, b Anchor) int { return cmp.Compare(a.Offset, b.Offset) })

	if value := unquote(values["status"]); value != "" && u.Marker == "" {
		if u.Marker = claimStatus(value); u.Marker == "" {
			n := unknownStatus(w.keyOffset(n, "status:"), value)
			w.report(n.offset, n.id, n.severity, n.message, n.hint).Recorded = n.recorded
		}
	}
	u.Line = recordLine(u)
}

// textLines returns the plain text of each line of a paragraph. Markup that
// runs over a line end keeps its lines together.
func (w *walker) textLines(n ast.Node) []string {
	var lines []string
	w.plain.reset()
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.plain.node(c)
		if t, ok := c.(*ast.Text); ok && (t.SoftLineBreak() || t.HardLineBreak()) || c.NextSibling() == nil {
			lines = append(lines, string(collapse(w.plain.buf)))
			w.plain.reset()
		}
	}
	return lines
}

// keyOffset returns the offset of the last line of a paragraph that starts with
// a key, or of the paragraph.
func (w *walker) keyOffset(n ast.Node, key string) int {
	lines := n.Lines()
	for i := lines.Len() - 1; i >= 0; i-- {
		if line := lines.At(i); bytes.HasPrefix(line.Value(w.d.Text), []byte(key)) {
			return line.Start
		}
	}
	return lines.At(0).Start
}

// recordKey splits "key: value" for the keys of a record.
func recordKey(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, ":")
	if !ok || (value != "" && value[0] != ' ') {
		return "", "", false
	}
	switch key {
	case "claim", "status", "source", "updated":
		return key, strings.TrimSpace(value), true
	}
	return "", "", false
}

// unquote removes one pair of outer quotes.
func unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

// recordLine writes a record as text and anchor, as compiled/facts.md holds it.
func recordLine(u *Unit) string {
	var usable []string
	for _, a := range u.Anchors {
		if a.Usable {
			usable = append(usable, a.String())
		}
	}
	if len(usable) == 0 {
		return u.Text
	}
	return u.Text + " [source: " + strings.Join(usable, "; ") + "]"
}

// state is what is known of a document while it is parsed.
type state struct {
	source  []byte
	mdx     bool // it is a page of MDX
	fronted bool // it has front matter: Jekyll and its kin read tags on such pages alone
	notes   []note

	// Some forms mean one thing in one system and another, or nothing, on GitHub: ~x~ is
	// struck there and a subscript in MkDocs. A page has such a meaning where other marks of
	// that system, which GitHub does not have, are on it.
	isVault, isMyST, isMkDocs func() bool

	comments  comments
	closers   map[string]int // the last of each text that closes a container; -1 when there is none
	tags      tags
	footnotes footnotes
	work      work
}

// tags are what is known of the tags of a document.
type tags struct {
	unended  int            // how many do not end
	last     string         // the name of the one that was opened last
	markdown map[string]int // how many elements are open that ask for Markdown, by name
	comment  int            // the end of the comment in an HTML block that a blank line was found in
}

var stateKey = parser.NewContextKey()

// stateOf returns the state of the document that is parsed.
func stateOf(pc parser.Context) *state { return pc.Get(stateKey).(*state) }

// newState returns the state of a document that nothing is read of.
func newState(source []byte, mdx, fronted bool) *state {
	hasMark := func(marks ...string) func() bool {
		return sync.OnceValue(func() bool { return hasAny(source, marks) })
	}
	return &state{
		source: source, mdx: mdx, fronted: fronted,
		isVault: hasMark("[["),
		isMyST: hasMark(")=\n", "\n```{note}", "\n```{warning}", "\n```{tip}", "\n```{code-block}", "\n```{admonition}", "\n```{figure}",
			"\n```{image}", "\n```{toctree}", "\n```{include}", "\n:::{", "{ref}`", "{doc}`", "{term}`", "{eq}`", "{numref}`", "{cite:"),
		isMkDocs: hasMark("\n!!! ", "\n??? ", "\n=== \"", "\n/// ", "--8<--", "{ .", "{ #", "{: ",
			":material-", ":octicons-", ":fontawesome-", ":simple-", "++ctrl", "{++", "{--", "{~~", "{>>", "^^", "<!-- md:", "\n::: {"),
		comments:  comments{source: source, ends: map[string]int{}, from: map[string]int{}, open: map[string]int{}},
		closers:   map[string]int{},
		tags:      tags{markdown: map[string]int{}},
		footnotes: footnotes{notes: map[string]*east.Footnote{}, refs: map[*east.Footnote]int{}},
		work:      work{left: leastWork + workPerByte*len(source)},
	}
}

// hasAny reports whether one of some marks is in a text.
func hasAny(text []byte, marks []string) bool {
	for _, mark := range marks {
		if bytes.Contains(text, []byte(mark)) {
			return true
		}
	}
	return false
}

// note is something the parser saw that is worth a diagnostic.
type note struct {
	offset        int
	id            string
	severity      diag.Severity
	message, hint string
	recorded      string // what run records say instead; "" for the message
}

func addNote(pc parser.Context, n note) {
	s := stateOf(pc)
	s.notes = append(s.notes, n)
}

// maxClosers is how many different closers of a document are looked for.
const maxClosers = 64

// closes reports whether what closes a container may be after an offset: a tag, or, for a
// sign, a line of at least three of it. Only the last one of each is looked for, so that a
// document of tags is read once.
func (s *state) closes(closer string, from int) bool {
	last, ok := s.closers[closer]
	switch {
	case ok:
	case len(s.closers) >= maxClosers:
		return false
	case len(closer) == 1:
		last = lastLineOf(s.source, closer[0])
	default:
		last = bytes.LastIndex(s.source, []byte(closer))
	}
	s.closers[closer] = last
	return last >= from
}

// lastLineOf returns where the last line starts that is at least three of a sign and nothing
// else, in a quote or not; -1 when none is.
func lastLineOf(source []byte, sign byte) int {
	for end := len(source); end > 0; {
		start := bytes.LastIndexByte(source[:end-1], '\n') + 1
		if line := bytes.Trim(source[start:end], " \t\r\n>"); len(line) >= 3 && countByte(line, sign) == len(line) {
			return start
		}
		end = start
	}
	return -1
}

// A page has a budget of work. Most of what is read looks a few bytes ahead; what may
// look to the end of its paragraph, and back over all that is open, says how many bytes
// and marks it looked at. Once these are many times the size of the page, no links, code
// spans and emphasis are read any more: what follows is shown as text, with a warning.
const (
	workPerByte = 64      // steps that each byte of a page allows
	leastWork   = 1 << 20 // steps that every page may take
)

// work is what was done for a document, as far as it is counted.
type work struct {
	left int  // of its budget
	said bool // that nothing is left

	brackets   openBrackets
	marks      openMarks
	delimiters delimiterCount
	headings   int
	tooDeep    bool // that was reported
}

// spend takes steps from the budget of a document, and reports whether there is more.
func spend(steps int, block text.Reader, pc parser.Context) bool {
	w := &stateOf(pc).work
	if w.left -= steps; w.left >= 0 {
		return true
	}
	if !w.said {
		w.said = true
		_, at := block.Position()
		addLimit(pc, at.Start, "the page opens too much that it does not close; what follows is read as plain text", "put brackets, code spans and emphasis that have no end in code blocks")
	}
	return false
}

// boundedLinks reads links while the budget of the document lasts.
type boundedLinks struct{ parser.InlineParser }

// openBrackets are the brackets of a block that are not closed.
type openBrackets struct {
	block ast.Node
	list  []openBracket
}

// openBracket is one of them.
type openBracket struct {
	at   int               // its offset
	mark *parser.Delimiter // the last emphasis mark before it; nil when there is none
}

// bracketsOf returns the open brackets of a block.
func bracketsOf(block ast.Node, pc parser.Context) *openBrackets {
	open := &stateOf(pc).work.brackets
	if open.block != block {
		*open = openBrackets{block: block, list: open.list[:0]}
	}
	return open
}

// maxLabel is the longest label of a reference, in bytes.
const maxLabel = 999

// Parse implements parser.InlineParser.
func (p boundedLinks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if !spend(0, block, pc) {
		return nil // nothing is counted any more: that is work, too
	}
	line, segment := block.PeekLine()
	open := bracketsOf(parent, pc)
	steps := 0
	if last := len(open.list) - 1; line[0] == ']' && last >= 0 {
		bracket := open.list[last]
		if size := segment.Start - bracket.at; size > maxLabel {
			steps += size
		}
		open.list = open.list[:last]
		steps += sinceBracket(parent) + sinceMark(parent, bracket.mark, pc.LastDelimiter())
		steps += parent.Lines().Len() // the label is looked for line by line
		if len(line) > 1 && line[1] == '(' {
			steps += destinationSize(line[2:])
		}
	}
	if !spend(steps, block, pc) {
		return nil
	}
	mark := pc.LastDelimiter()
	n := p.InlineParser.Parse(parent, block, pc)
	if n != nil && line[0] != ']' {
		open.list = append(open.list, openBracket{segment.Start, mark})
	}
	return n
}

// CloseBlock implements parser.CloseBlocker.
func (p boundedLinks) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	p.InlineParser.(parser.CloseBlocker).CloseBlock(parent, block, pc)
}

// sinceBracket counts the nodes since the last open bracket, all of which are looked at for
// a link.
func sinceBracket(parent ast.Node) (n int) {
	for c := parent.LastChild(); c != nil && c.Kind().String() != "LinkLabelState"; c = c.PreviousSibling() {
		n++
	}
	return n
}

// sinceMark counts the nodes from the last emphasis mark back to the one before a bracket,
// all of which are looked at for emphasis in a link: all of the block, when there was none
// before the bracket, or it is gone.
func sinceMark(parent ast.Node, before, last *parser.Delimiter) (n int) {
	switch {
	case last == before:
		return 0
	case before == nil, before.Parent() != parent:
		return parent.ChildCount()
	}
	for c := ast.Node(last); c != nil && c != ast.Node(before); c = c.PreviousSibling() {
		n++
	}
	return n
}

// destinationSize returns how many bytes of a line are looked at for the destination of a
// link.
func destinationSize(line []byte) int {
	i := len(line) - len(bytes.TrimLeft(line, " \t"))
	if i < len(line) && line[i] == '<' {
		if end := bytes.IndexByte(line[i:], '>'); end >= 0 {
			return i + end
		}
		return len(line)
	}
	for depth := 0; i < len(line) && !util.IsSpace(line[i]) && depth >= 0; i++ {
		switch line[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	return i
}

// boundedCode reads code spans while the budget of the document lasts.
type boundedCode struct{ parser.InlineParser }

// Parse implements parser.InlineParser. A code span that does not end was looked for up to
// the end of its block.
func (p boundedCode) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if !spend(0, block, pc) {
		return nil
	}
	_, segment := block.PeekLine()
	n := p.InlineParser.Parse(parent, block, pc)
	if lines := parent.Lines(); n != nil && n.Kind() == ast.KindText && lines.Len() > 0 {
		spend(lines.At(lines.Len()-1).Stop-segment.Start, block, pc)
	}
	return n
}

// openMarks are the emphasis marks of a block that may still open something.
type openMarks struct {
	block ast.Node
	chars []byte
}

// marksOf returns the open marks of a block.
func marksOf(block ast.Node, pc parser.Context) *openMarks {
	open := &stateOf(pc).work.marks
	if open.block != block {
		*open = openMarks{block: block, chars: open.chars[:0]}
	}
	return open
}

// add notes a mark, and returns how many open ones are looked at for what it closes.
func (m *openMarks) add(d *parser.Delimiter) (steps int) {
	if d.CanClose {
		for i := len(m.chars) - 1; i >= 0; i-- {
			if steps++; m.chars[i] == d.Char {
				m.chars = m.chars[:i]
				return steps
			}
		}
	}
	if d.CanOpen {
		m.chars = append(m.chars, d.Char)
	}
	return steps
}
