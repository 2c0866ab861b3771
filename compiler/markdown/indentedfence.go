package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

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
