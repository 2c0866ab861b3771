package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// kindInlineNote is the kind of an InlineNote.
var kindInlineNote = ast.NewNodeKind("InlineNote")

// InlineNote is a footnote where it is referred to, text^[the note], as Obsidian and Pandoc
// write it. Until its end is read it is empty.
type InlineNote struct {
	ast.BaseInline
	Index  int      // its number among the footnotes of the document; 0: it does not end
	end    int      // offset of its "]"
	bottom ast.Node // the last delimiter before it; nil when there is none
}

// Kind returns kindInlineNote.
func (n *InlineNote) Kind() ast.NodeKind { return kindInlineNote }

// Dump prints the node for debugging.
func (n *InlineNote) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// maxInlineNote is the longest such note, in bytes; it is on one line.
const maxInlineNote = 4 << 10

// parseInlineNote reads an InlineNote: "^[" opens it, and the "]" that belongs to it takes
// what is between.
func parseInlineNote(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	all := &stateOf(pc).footnotes
	line, segment := block.PeekLine()
	if line[0] == ']' {
		if open := all.open; open != nil && segment.Start == open.end && open.Parent() == parent {
			block.Advance(1)
			all.close(parent, pc)
			return &Comment{}
		}
		return nil
	}
	before := block.PrecendingCharacter()
	if len(line) < 4 || line[1] != '[' || before == '\n' || before < 0x80 && util.IsSpace(byte(before)) || all.open != nil && segment.Start < all.open.end {
		return nil
	}
	inside := noteAt(line, block, pc)
	if inside == nil {
		return nil
	}
	all.open = &InlineNote{end: segment.Start + 2 + len(inside)}
	all.open.SetPos(segment.Start)
	if last := pc.LastDelimiter(); last != nil {
		all.open.bottom = last
	}
	block.Advance(2)
	return all.open
}

// close ends the note that is open.
func (all *footnotes) close(parent ast.Node, pc parser.Context) {
	parser.ProcessDelimiters(all.open.bottom, pc)
	for c := all.open.NextSibling(); c != nil; {
		next := c.NextSibling()
		parent.RemoveChild(parent, c)
		all.open.AppendChild(all.open, c)
		c = next
	}
	all.indexed++
	all.open.Index, all.open = all.indexed, nil
}

// noteAt is the text of the note that a line starts with; nil when it starts with something else.
func noteAt(line []byte, block text.Reader, pc parser.Context) []byte {
	if !spend(0, block, pc) {
		return nil
	}
	head := line[2:min(len(line), maxInlineNote)]
	size := noteSize(head)
	if size < 0 {
		spend(len(head), block, pc)
		return nil
	}
	spend(size, block, pc)
	if size < 1 || 3+size < len(line) && bytes.IndexByte([]byte("([{*+?$"), line[3+size]) >= 0 {
		return nil
	}
	inside := line[2 : 2+size]
	if _, ok := pc.Reference(util.ToLinkReference(inside)); ok {
		return nil
	}
	if bytes.IndexByte(inside, ' ') < 0 && !stateOf(pc).isVault() && !stateOf(pc).isMkDocs() {
		return nil
	}
	return inside
}

// noteSize is the length of a note up to the "]" that closes it; -1 when none does.
func noteSize(inside []byte) int {
	depth, code := 0, false
	for i := 0; i < len(inside); i++ {
		switch c := inside[i]; {
		case c == '\\':
			i++
		case c == '`':
			code = !code
		case code:
		case c == '[':
			depth++
		case c == ']' && depth == 0:
			return i
		case c == ']':
			depth--
		}
	}
	return -1
}
