package markdown

import (
	"bytes"
	"fmt"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/packgen/packgen/compiler/diag"
)

// Limits of what is read as Markdown. Beyond them text stays text and the
// document gets a warning "markdown-limit": the parser's work grows faster than
// the text for each of these, and no page written by people comes near.
const (
	// maxDepth is how many lists, block quotes, callouts, footnotes and definitions
	// may be in each other.
	maxDepth = 100
	// maxInline is the longest paragraph, heading line or table line, in bytes,
	// that is searched for links, emphasis and anchors.
	maxInline = 64 << 10
	// maxDelimiters is how many runs of "*", "_" and "~" are read as emphasis in one
	// paragraph, heading or table cell.
	maxDelimiters = 4096
	// maxCells is the largest table, in cells.
	maxCells = 1 << 18
	// maxHeadings is how many headings a page has: each becomes a section, with an id
	// and entries in every record of the pack.
	maxHeadings = 1 << 17
	// maxDefinitions is the longest run of link definitions without a blank
	// line between them, in lines.
	maxDefinitions = 8192
	// maxHTMLLine is the longest first line of an HTML block, in bytes.
	maxHTMLLine = 1 << 20
)

func addLimit(pc parser.Context, offset int, message, hint string) {
	addNote(pc, note{offset: offset, id: "markdown-limit", severity: diag.Warning, message: message, hint: hint})
}

// tooDeep reports whether a container may not open below parent. A line is
// reported once, at the first container that is refused.
func tooDeep(parent ast.Node, reader text.Reader, pc parser.Context) bool {
	depth := 0
	for n := parent; n != nil; n = n.Parent() {
		switch n.Kind() {
		case ast.KindList, ast.KindBlockquote, kindCallout, east.KindFootnote, east.KindDefinitionList:
			depth++
		}
	}
	if depth < maxDepth {
		return false
	}
	if w := &stateOf(pc).work; !w.tooDeep {
		w.tooDeep = true
		_, at := reader.Position()
		addLimit(pc, at.Start, fmt.Sprintf("lists and quotes nest deeper than %d levels; what is deeper is read as text", maxDepth), "write them with fewer levels")
	}
	return true
}

// shallowList opens lists down to MaxDepth.
type shallowList struct{ parser.BlockParser }

// Open implements parser.BlockParser. The list parser keeps state of its own
// and does not move the reader, so it is asked first.
func (p shallowList) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	node, state := p.BlockParser.Open(parent, reader, pc)
	if node != nil && tooDeep(parent, reader, pc) {
		return nil, parser.NoChildren
	}
	return node, state
}

// guarded opens the blocks that are not refused.
type guarded struct {
	parser.BlockParser
	refuses func(parent ast.Node, reader text.Reader, pc parser.Context) bool
}

// Open implements parser.BlockParser.
func (p guarded) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if p.refuses(parent, reader, pc) {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, reader, pc)
}

// longerThan refuses blocks whose first line has more bytes: a heading that is too long
// is a paragraph, which reports itself.
func longerThan(most int) func(ast.Node, text.Reader, parser.Context) bool {
	return func(_ ast.Node, reader text.Reader, _ parser.Context) bool {
		line, _ := reader.PeekLine()
		return len(line) > most
	}
}

// fewHeadings opens the first maxHeadings headings of a document; the rest are text.
type fewHeadings struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (p fewHeadings) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	opened := &stateOf(pc).work.headings
	if *opened > maxHeadings {
		return nil, parser.NoChildren
	}
	_, at := reader.Position()
	node, state := p.BlockParser.Open(parent, reader, pc)
	if node == nil {
		return nil, state
	}
	if *opened++; *opened > maxHeadings {
		addLimit(pc, at.Start, fmt.Sprintf("the page has more than %d headings; the rest are read as text", maxHeadings), "cut the page into several")
		return nil, parser.NoChildren
	}
	return node, state
}

// fewDelimiters reads the first maxDelimiters emphasis marks of a block; the
// rest are text.
type fewDelimiters struct{ parser.InlineParser }

// delimiterCount counts the emphasis marks of the block being read.
type delimiterCount struct {
	block ast.Node
	n     int
}

// Parse implements parser.InlineParser.
func (p fewDelimiters) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	count := &stateOf(pc).work.delimiters
	if count.block != parent {
		*count = delimiterCount{block: parent}
	}
	if count.n++; count.n > maxDelimiters {
		if count.n == maxDelimiters+1 {
			_, at := block.Position()
			addLimit(pc, at.Start, fmt.Sprintf("the paragraph has more than %d emphasis marks; the rest are read as text", maxDelimiters), "break it up with blank lines")
		}
		return nil
	}
	if !spend(0, block, pc) {
		return nil
	}
	n := p.InlineParser.Parse(parent, block, pc)
	if d, ok := n.(*parser.Delimiter); ok {
		spend(marksOf(parent, pc).add(d), block, pc)
	}
	return n
}

// fewDefinitions reads link definitions from paragraphs of at most
// maxDefinitions lines.
type fewDefinitions struct{ parser.ParagraphTransformer }

// Transform implements parser.ParagraphTransformer.
func (t fewDefinitions) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	if lines.Len() > maxDefinitions {
		first := lines.At(0)
		if bytes.HasPrefix(bytes.TrimLeft(first.Value(reader.Source()), " "), []byte("[")) {
			addLimit(pc, first.Start, fmt.Sprintf("the paragraph has more than %d lines; link definitions in it are not read", maxDefinitions), "put blank lines between groups of definitions")
		}
		return
	}
	t.ParagraphTransformer.Transform(node, reader, pc)
}

// smallTable reads tables of at most maxCells cells.
type smallTable struct{ parser.ParagraphTransformer }

// Transform implements parser.ParagraphTransformer.
func (t smallTable) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	columns, longest, bars := 0, 0, false
	for i := range lines.Len() {
		line := lines.At(i)
		longest = max(longest, line.Len())
		bars = bars || bytes.IndexByte(line.Value(reader.Source()), '|') >= 0
		if columns < maxCells && isDelimiterRow(line.Value(reader.Source())) {
			columns = max(columns, bytes.Count(line.Value(reader.Source()), []byte("|"))+1)
		}
	}
	if columns == 0 || !bars || longest > maxInline {
		return
	}
	if columns*lines.Len() > maxCells {
		addLimit(pc, lines.At(0).Start, fmt.Sprintf("the table has more than %d cells; it is read as text", maxCells), "split the table")
		return
	}
	t.ParagraphTransformer.Transform(node, reader, pc)
	closeLead(node, reader, pc)
}

// closeLead replaces the lines before a table, which the table transformer
// leaves in the open paragraph, by a paragraph of their own. Were it left open,
// a line "---" after the table would make a heading of it, after the table.
func closeLead(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	parent := node.Parent()
	if parent == nil || node.NextSibling() == nil || node.NextSibling().Kind() != east.KindTable {
		return
	}
	lead := ast.NewParagraph()
	lead.SetBlankPreviousLines(node.HasBlankPreviousLines())
	lead.SetLines(node.Lines())
	parent.ReplaceChild(parent, node, lead)
	parser.NewParagraphParser().Close(lead, reader, pc)
	if lead.Parent() != nil {
		longText{}.Transform(lead, reader, pc)
	}
}

// isDelimiterRow reports whether a line could be the row of dashes of a table.
func isDelimiterRow(line []byte) bool {
	dashes := false
	for _, c := range line {
		switch c {
		case '-':
			dashes = true
		case '|', ':', ' ', '\t', '\n', '\v', '\f', '\r':
		default:
			return false
		}
	}
	return dashes
}

// longText turns paragraphs longer than maxInline into plain text.
type longText struct{}

// Transform implements parser.ParagraphTransformer.
func (longText) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	n := lines.Len()
	if n == 0 || lines.At(n-1).Stop-lines.At(0).Start <= maxInline {
		return
	}
	addLimit(pc, lines.At(0).Start, fmt.Sprintf("the paragraph is longer than %d KiB; it is read as plain text", maxInline>>10), "break it up with blank lines, or put it in a code block")
	long := &tagBlock{end: lines.At(n - 1).Stop}
	long.SetLines(lines)
	long.SetPos(lines.At(0).Start)
	long.SetBlankPreviousLines(node.HasBlankPreviousLines())
	for i := range n {
		line := lines.At(i)
		line = line.TrimLeftSpace(reader.Source())
		piece := ast.NewRawTextSegment(line.TrimRightSpace(reader.Source()))
		piece.SetSoftLineBreak(i+1 < n)
		long.AppendChild(long, piece)
	}
	node.Parent().ReplaceChild(node.Parent(), node, long)
}
