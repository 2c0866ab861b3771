package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// kindMath is the kind of a Math, and kindMathBlock that of a MathBlock.
var (
	kindMath      = ast.NewNodeKind("Math")
	kindMathBlock = ast.NewNodeKind("MathBlock")
)

// Math is a formula in a line: $…$, $`…`$ or $$…$$, or \\(…\\) or \\[…\\] as mdBook
// writes it.
type Math struct {
	ast.BaseInline
	Display     bool // $$…$$
	bare        bool // it has no dollars
	Start, Stop int  // offsets of the formula without its dollars
}

// Kind returns kindMath.
func (n *Math) Kind() ast.NodeKind { return kindMath }

// Dump prints the node for debugging.
func (n *Math) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// maxMath is the longest formula in a line, in bytes.
const maxMath = 1 << 10

// parseMath reads formulas in a line. Where a dollar is money the text stays what
// it is: the first dollar touches what follows it, the last what is before it,
// and neither a letter nor a digit follows the last.
func parseMath(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	if line[0] == '\\' {
		return slashMath(line, segment, block)
	}
	marks := countByte(line[:min(len(line), 3)], '$')
	if marks > 2 || len(line) <= marks || util.IsSpace(line[marks]) && marks == 1 {
		return nil
	}
	if marks == 1 && line[1] == '`' { // $`…`$, as GitHub writes it where dollars are in the way
		head := line[2:min(len(line), maxMath)]
		if end := bytes.Index(head, []byte("`$")); end > 0 {
			block.Advance(2 + end + 2)
			return &Math{Start: segment.Start + 2 - segment.Padding, Stop: segment.Start + 2 + end - segment.Padding}
		}
	}
	if before := block.PrecendingCharacter(); marks == 1 && before < 0x80 && util.IsAlphaNumeric(byte(before)) {
		return nil
	}
	end := closingDollar(line[:min(len(line), maxMath)], marks)
	if end < 0 {
		return nil
	}
	block.Advance(end + marks)
	return &Math{Display: marks == 2, Start: segment.Start + marks - segment.Padding, Stop: segment.Start + end - segment.Padding}
}

// slashMath reads a formula between two backslashes and a bracket.
func slashMath(line []byte, segment text.Segment, block text.Reader) ast.Node {
	for open, closing := range map[string]string{`\\(`: `\\)`, `\\[`: `\\]`} {
		if !bytes.HasPrefix(line, []byte(open)) {
			continue
		}
		size := bytes.Index(line[3:min(len(line), maxMath)], []byte(closing))
		if size < 1 {
			return nil
		}
		block.Advance(3 + size + 3)
		start := segment.Start + 3 - segment.Padding
		return &Math{Display: open[2] == '[', bare: true, Start: start, Stop: start + size}
	}
	return nil
}

// closingDollar returns where in a line the dollars that close a formula are; -1
// when there are none.
func closingDollar(line []byte, marks int) int {
	for at := marks; at < len(line); at++ {
		switch line[at] {
		case '\\', '`':
			if line[at] == '`' && marks == 1 && at > 1 {
				return -1 // a code span between two dollars
			}
			at++
		case '$':
			found := countByte(line[at:], '$')
			after := at + found
			follows := after < len(line) && util.IsAlphaNumeric(line[after])
			if found == marks && at > marks && (marks == 2 || !util.IsSpace(line[at-1]) && !follows) {
				return at
			}
			if marks == 1 {
				return -1
			}
			at = after - 1
		}
	}
	return -1
}

// MathBlock is a formula between two lines "$$".
type MathBlock struct{ ast.BaseBlock }

// Kind returns kindMathBlock.
func (n *MathBlock) Kind() ast.NodeKind { return kindMathBlock }

// IsRaw reports that the lines are not to be parsed.
func (n *MathBlock) IsRaw() bool { return true }

// Dump prints the node for debugging.
func (n *MathBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// openMathBlock reads a MathBlock. One that is not closed before a blank line is text.
func openMathBlock(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	if at := pc.BlockOffset(); at < 0 || string(bytes.TrimSpace(line[at:])) != "$$" || !mathCloses(reader.Source()[segment.Stop:]) {
		return nil, parser.NoChildren
	}
	return &MathBlock{}, parser.NoChildren
}

// maxMathBlock is the longest MathBlock, in bytes.
const maxMathBlock = 16 << 10

// mathCloses reports whether a line "$$" ends the block before a blank line does.
func mathCloses(rest []byte) bool {
	rest = rest[:min(len(rest), maxMathBlock)]
	for len(rest) > 0 {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		line = bytes.Trim(line, " \t\r>")
		if len(line) == 0 {
			return false
		}
		if string(line) == "$$" {
			return true
		}
		rest = after
	}
	return false
}

// continueMathBlock reads the lines that follow.
func continueMathBlock(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	line, segment := reader.PeekLine()
	if string(bytes.TrimSpace(line)) == "$$" {
		skipLine(reader)
		return parser.Close
	}
	node.Lines().Append(segment)
	return parser.Continue | parser.NoChildren
}
