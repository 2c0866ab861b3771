package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

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
