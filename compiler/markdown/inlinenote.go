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

// inlineNoteParser reads an InlineNote: "^[" opens it, and the "]" that belongs to it takes
// what is between.
type inlineNoteParser struct{}

// Trigger implements parser.InlineParser.
func (inlineNoteParser) Trigger() []byte { return []byte{'^', ']'} }

// Parse implements parser.InlineParser.
func (p inlineNoteParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	all := &stateOf(pc).footnotes
	open := all.open
	if line[0] == ']' {
		if open == nil || segment.Start != open.end || open.Parent() != parent {
			return nil
		}
		all.open = nil
		parser.ProcessDelimiters(open.bottom, pc)
		for c := open.NextSibling(); c != nil; {
			next := c.NextSibling()
			parent.RemoveChild(parent, c)
			open.AppendChild(open, c)
			c = next
		}
		all.indexed++
		open.Index = all.indexed
		block.Advance(1)
		return &Comment{}
	}
	before := block.PrecendingCharacter()
	if len(line) < 4 || line[1] != '[' || before == '\n' || before < 0x80 && util.IsSpace(byte(before)) || open != nil && segment.Start < open.end {
		return nil
	}
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
	n := &InlineNote{end: segment.Start + 2 + size}
	n.SetPos(segment.Start)
	if last := pc.LastDelimiter(); last != nil {
		n.bottom = last
	}
	all.open = n
	block.Advance(2)
	return n
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
