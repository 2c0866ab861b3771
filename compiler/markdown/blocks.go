package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/packgen/packgen/compiler/htmltag"
)

// Block is a direct child of the document. Blocks do not overlap, and what is
// between them, before the first and after the last is blank lines only.
type Block struct {
	Start, End int  // offsets: start of its first line, end after its last line's line end
	Content    bool // a content block of agent-knowledge section 6.3 rule 4
	Heading    int  // index into Headings, or -1
	Node       ast.Node
}

// cutBlocks fills Blocks. Every line of the body that is not blank belongs to
// the block that starts last before it, so a block ends where the blank lines
// before the next one start.
func cutBlocks(d *Document) {
	from := d.Body
	for n := d.Root.FirstChild(); n != nil; n = n.NextSibling() {
		pos := max(blockPos(n), from)
		start := from + bytes.LastIndexByte(d.Text[from:pos], '\n') + 1
		d.Blocks = append(d.Blocks, Block{Start: start, Heading: -1, Node: n})
		from = start
	}
	for i := range d.Blocks {
		next := len(d.Text)
		if i+1 < len(d.Blocks) {
			next = d.Blocks[i+1].Start
		}
		b := &d.Blocks[i]
		b.End = dropBlankLines(d.Text, b.Start, next)
		b.Content = isContent(b.Node, d.Text[b.Start:b.End])
	}
}

// blockPos returns an offset on the first line of a block. Tables, definition
// lists and link definitions are cut from paragraphs and carry no position of their
// own.
func blockPos(n ast.Node) int {
	switch n.Kind() {
	case east.KindTable:
		if head := n.FirstChild(); head != nil {
			return head.Pos()
		}
	case east.KindDefinitionList:
		if term := n.FirstChild(); term != nil && term.Lines().Len() > 0 {
			return term.Lines().At(0).Start
		}
	case ast.KindLinkReferenceDefinition, ast.KindParagraph, ast.KindTextBlock:
		if n.Lines().Len() > 0 {
			return n.Lines().At(0).Start
		}
	}
	return n.Pos()
}

// dropBlankLines returns the end of the last line in text[start:end] that is
// not blank; blanks are spaces and tabs.
func dropBlankLines(text []byte, start, end int) int {
	for end > start {
		line := start + bytes.LastIndexByte(text[start:end-1], '\n') + 1
		if len(bytes.Trim(text[line:end], " \t\n")) > 0 {
			return end
		}
		end = line
	}
	return end
}

// isContent reports whether a block is a content block: anything but a heading,
// a thematic break, a link definition, an HTML block of comments only, and line breaks
// that only make room.
func isContent(n ast.Node, text []byte) bool {
	switch n.Kind() {
	case ast.KindHeading, ast.KindThematicBreak, ast.KindLinkReferenceDefinition, kindCommentBlock:
		return false
	case ast.KindHTMLBlock:
		return !OnlyComments(text) && !onlyBreaks(text)
	case ast.KindParagraph:
		return !onlyBreaks(text) && !hasOnlyComments(n)
	}
	return true
}

// hasOnlyComments reports a paragraph of which nothing is shown.
func hasOnlyComments(n ast.Node) bool {
	first, ok := n.FirstChild().(*Comment)
	return ok && first.end > 0 && first.NextSibling() == nil
}

// onlyBreaks reports whether a text is line breaks of HTML and white space.
func onlyBreaks(text []byte) bool {
	return holdsOnly(text, func(t *htmltag.Token) bool { return t.Name == "br" && len(t.Attrs) == 0 })
}

// OnlyComments reports whether a text is HTML comments and white space. An
// unclosed comment runs to the end.
func OnlyComments(text []byte) bool {
	return holdsOnly(text, func(t *htmltag.Token) bool { return bytes.HasPrefix(text[t.Start:], []byte("<!--")) })
}

// holdsOnly reports whether a text is tags of some kind and white space.
func holdsOnly(text []byte, is func(t *htmltag.Token) bool) bool {
	for at := 0; at < len(text); {
		t := htmltag.Next(text, at)
		at = t.End
		if blank := len(bytes.TrimSpace(text[t.Start:t.End])) == 0; !blank && (t.Kind == htmltag.Text || !is(&t)) {
			return false
		}
	}
	return true
}

// kindBlockID is the kind of a BlockID.
var kindBlockID = ast.NewNodeKind("BlockID")

// BlockID is ^name at the end of a paragraph or list item, which [[Page#^name]] leads
// to in Obsidian. It is not shown.
type BlockID struct {
	ast.BaseInline
	ID string // with its "^"
}

// Kind returns kindBlockID.
func (n *BlockID) Kind() ast.NodeKind { return kindBlockID }

// IsRaw reports that there is nothing in it to parse.
func (n *BlockID) IsRaw() bool { return true }

// Dump prints the node for debugging.
func (n *BlockID) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// maxBlockID is the longest name, in bytes. One character may be a power, x ^n, and so may two
// with a digit, but in a note of Obsidian.
const maxBlockID = 64

// parseBlockID reads a BlockID.
func parseBlockID(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	switch parent.Kind() {
	case ast.KindParagraph, ast.KindTextBlock:
	default:
		return nil
	}
	line, segment := block.PeekLine()
	name := bytes.TrimRight(line[1:], " \t\n")
	if !util.IsSpace(byte(min(block.PrecendingCharacter(), 0x7f))) || len(name) < 2 || len(name) > maxBlockID {
		return nil
	}
	if len(name) == 2 && len(bytes.Trim(name, "0123456789")) < 2 && !stateOf(pc).isVault() {
		return nil
	}
	for _, c := range name {
		if c != '-' && !util.IsAlphaNumeric(c) {
			return nil
		}
	}
	if last := parent.Lines().At(parent.Lines().Len() - 1); segment.Stop < last.Stop {
		return nil // more of the block follows
	}
	block.Advance(1 + len(name))
	return &BlockID{ID: "^" + string(name)}
}

// The attributes of the node of such a block: its fence, and its columns of indentation.
const (
	fenceAttribute  = "fence"
	indentAttribute = "indent"
)

// openIndentedFence reads a code block on a page of MDX whose fence is indented further than
// Markdown allows: there is no code by its indentation that it could be.
func openIndentedFence(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if at < 0 || pc.BlockIndent() < 4 || !isMDX(parent, reader, pc) {
		return nil, parser.NoChildren
	}
	size := countByte(line[at:], line[at])
	info := bytes.TrimSpace(line[at+size:])
	if size < 3 || line[at] == '`' && bytes.IndexByte(info, '`') >= 0 {
		return nil, parser.NoChildren
	}
	var word *ast.Text
	if len(info) > 0 {
		from := segment.Start - segment.Padding + at + size + bytes.Index(line[at+size:], info)
		word = ast.NewTextSegment(text.NewSegment(from, from+len(info)))
	}
	n := ast.NewFencedCodeBlock(word)
	n.SetAttributeString(fenceAttribute, line[at:at+size])
	n.SetAttributeString(indentAttribute, pc.BlockIndent())
	skipLine(reader)
	return n, parser.NoChildren
}

// continueIndentedFence reads the lines that follow.
func continueIndentedFence(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	line, segment := reader.PeekLine()
	fence, _ := node.AttributeString(fenceAttribute)
	indent, _ := node.AttributeString(indentAttribute)
	trimmed := bytes.TrimSpace(line)
	if mark := fence.([]byte); bytes.HasPrefix(trimmed, mark) && countByte(trimmed, mark[0]) == len(trimmed) {
		skipLine(reader)
		return parser.Close
	}
	width, _ := util.IndentWidth(line, reader.LineOffset())
	if pos, padding := util.IndentPosition(line, reader.LineOffset(), min(width, indent.(int))); pos >= 0 && !util.IsBlank(line) {
		segment = text.NewSegmentPadding(segment.Start+pos, segment.Stop, padding)
	}
	node.Lines().Append(segment)
	skipLine(reader)
	return parser.Continue | parser.NoChildren
}

// Definition says what a label in brackets refers to: [label]: address, or the
// footnote [^label]: text.
type Definition struct {
	Label      string // as LabelOf gives it
	Start, End int    // offsets of its first character and of what follows it, line ends at its end left out
}

// LabelOf returns a label as definitions have it: without regard to case and white
// space. That of a footnote begins with ^.
func LabelOf(written []byte) string { return util.ToLinkReference(written) }

// Definitions lists the definitions of a document in order, each label once: of two
// definitions of one label the first counts.
func (d *Document) Definitions() []Definition {
	var list []Definition
	seen := map[string]bool{}
	add := func(label string, start, end int) {
		for end > start && (d.Text[end-1] == '\n' || d.Text[end-1] == ' ' || d.Text[end-1] == '\t') {
			end--
		}
		if !seen[label] && start >= 0 && start < end {
			seen[label] = true
			list = append(list, Definition{label, start, end})
		}
	}
	_ = ast.Walk(d.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.LinkReferenceDefinition:
			if lines := n.Lines(); entering && lines.Len() > 0 {
				add(LabelOf(n.Label), lines.At(0).Start, lines.At(lines.Len()-1).Stop)
			}
		case *east.Footnote:
			if entering {
				add("^"+LabelOf(n.Ref), n.Pos(), nextPos(n, len(d.Text)))
			}
		}
		if n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return list
}

// nextPos returns the offset at which what follows a block begins; last, when nothing does.
func nextPos(n ast.Node, last int) int {
	for ; n != nil; n = n.Parent() {
		if next := n.NextSibling(); next != nil && next.Pos() >= 0 {
			return next.Pos()
		}
	}
	return last
}
