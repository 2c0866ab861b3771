package markdown

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markDelimiter pairs two "==", around text that stands out, as Obsidian and MkDocs write it,
// or two "^^", around text that was inserted.
type markDelimiter struct{ sign byte }

// IsDelimiter implements parser.DelimiterProcessor.
func (d markDelimiter) IsDelimiter(b byte) bool { return b == d.sign }

// CanOpenCloser implements parser.DelimiterProcessor.
func (markDelimiter) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

// OnMatch implements parser.DelimiterProcessor.
func (d markDelimiter) OnMatch(int) ast.Node {
	if d.sign == '^' {
		return &Styled{Element: "ins"}
	}
	return &Styled{Element: "mark"}
}

// parseMark reads "==" and "^^" at the start and the end of a word: between letters and
// digits it is an operator, as in a==b.
func parseMark(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	d := parser.ScanDelimiter(line, before, 2, markDelimiter{line[0]})
	if d == nil || d.OriginalLength != 2 || before == rune(line[0]) {
		return nil
	}
	d.CanOpen = d.CanOpen && !(before < 0x80 && util.IsAlphaNumeric(byte(before)))
	d.CanClose = d.CanClose && !(len(line) > 2 && util.IsAlphaNumeric(line[2]))
	if !d.CanOpen && !d.CanClose {
		return nil
	}
	d.Segment = segment.WithStop(segment.Start + 2)
	block.Advance(2)
	pc.PushDelimiter(d)
	return d
}
