package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// labelBlock reads (name)=, a line of MyST that names what is below it.
type labelBlock struct{ plainBlock }

// Trigger implements parser.BlockParser.
func (labelBlock) Trigger() []byte { return []byte{'('} }

// Open implements parser.BlockParser.
func (labelBlock) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if at < 0 {
		return nil, parser.NoChildren
	}
	name, ok := bytes.CutSuffix(bytes.TrimSpace(line[at:]), []byte(")="))
	if !ok || len(name) < 2 || len(name) > maxBlockID || bytes.ContainsAny(name[1:], " \t()<>\"'`&=") {
		return nil, parser.NoChildren
	}
	id := &BlockID{ID: string(name[1:])}
	id.SetPos(segment.Start - segment.Padding + at)
	n := &tagBlock{end: segment.Stop}
	n.SetPos(id.Pos())
	n.AppendChild(n, id)
	skipLine(reader)
	return n, parser.NoChildren
}

// Continue implements parser.BlockParser.
func (labelBlock) Continue(ast.Node, text.Reader, parser.Context) parser.State { return parser.Close }
