package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

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
