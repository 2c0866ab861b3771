package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Footnote definitions are read by goldmark's own parser, but stay where they are:
// goldmark moves them to the end of the document, where neither their offsets nor
// their sections would be right.

// kindFootnoteRef is the kind of a FootnoteRef.
var kindFootnoteRef = ast.NewNodeKind("FootnoteRef")

// FootnoteRef is a reference [^label] to a footnote that is defined in the document.
type FootnoteRef struct {
	ast.BaseInline
	Note  *east.Footnote // its Index is the number of the footnote, in order of first reference
	Count int            // 1 for the first reference to the footnote
}

// Kind returns kindFootnoteRef.
func (n *FootnoteRef) Kind() ast.NodeKind { return kindFootnoteRef }

// Dump prints the node for debugging.
func (n *FootnoteRef) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// footnotes are the footnotes of a document while it is parsed.
type footnotes struct {
	notes   map[string]*east.Footnote
	refs    map[*east.Footnote]int
	indexed int
	open    *InlineNote // the one that is open; nil when none is
}

// footnoteDefinition reads "[^label]: text".
type footnoteDefinition struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (p footnoteDefinition) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if line, _ := reader.PeekLine(); !bytes.Contains(line, []byte("[^")) || tooDeep(parent, reader, pc) {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, reader, pc)
}

// Continue implements parser.BlockParser. On a page of MkDocs the text of a footnote may
// start on the line after its label, less indented.
func (p footnoteDefinition) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	if !node.HasChildren() {
		line, segment := reader.PeekLine()
		before := bytes.TrimRight(reader.Source()[:segment.Start], " \t")
		before = bytes.TrimRight(bytes.TrimSuffix(before, []byte("\n")), " \t")
		width, _ := util.IndentWidth(line, reader.LineOffset())
		if 0 < width && width < 4 && !util.IsBlank(line) && bytes.HasSuffix(before, []byte("]:")) && stateOf(pc).isMkDocs() {
			at, padding := util.IndentPosition(line, reader.LineOffset(), width)
			reader.AdvanceAndSetPadding(at, padding)
			return parser.Continue | parser.HasChildren
		}
	}
	return p.BlockParser.Continue(node, reader, pc)
}

// Close implements parser.BlockParser. Of two definitions of one label the first
// counts.
func (footnoteDefinition) Close(node ast.Node, _ text.Reader, pc parser.Context) {
	all := &stateOf(pc).footnotes
	note := node.(*east.Footnote)
	if label := util.ToLinkReference(note.Ref); all.notes[label] == nil {
		all.notes[label] = note
	}
}

// parseFootnoteRef reads "[^label]" where the label is defined.
func parseFootnoteRef(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	if len(line) < 4 || line[1] != '^' {
		return nil
	}
	end := bytes.IndexAny(line[2:], "[]")
	if end < 1 || line[2+end] != ']' {
		return nil
	}
	all := &stateOf(pc).footnotes
	note := all.notes[util.ToLinkReference(line[2:2+end])]
	if note == nil {
		return nil
	}
	if note.Index < 1 {
		all.indexed++
		note.Index = all.indexed
	}
	all.refs[note]++
	block.Advance(end + 3)
	return &FootnoteRef{Note: note, Count: all.refs[note]}
}

func newFootnoteDefinition() parser.BlockParser {
	return footnoteDefinition{extension.NewFootnoteBlockParser()}
}
