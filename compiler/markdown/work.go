package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A page has a budget of work. Most of what is read looks a few bytes ahead; what may
// look to the end of its paragraph, and back over all that is open, says how many bytes
// and marks it looked at. Once these are many times the size of the page, no links, code
// spans and emphasis are read any more: what follows is shown as text, with a warning.
const (
	workPerByte = 64      // steps that each byte of a page allows
	leastWork   = 1 << 20 // steps that every page may take
)

// work is what was done for a document, as far as it is counted.
type work struct {
	left int  // of its budget
	said bool // that nothing is left

	brackets   openBrackets
	marks      openMarks
	delimiters delimiterCount
	headings   int
	tooDeep    bool // that was reported
}

// spend takes steps from the budget of a document, and reports whether there is more.
func spend(steps int, block text.Reader, pc parser.Context) bool {
	w := &stateOf(pc).work
	if w.left -= steps; w.left >= 0 {
		return true
	}
	if !w.said {
		w.said = true
		_, at := block.Position()
		addLimit(pc, at.Start, "the page opens too much that it does not close; what follows is read as plain text", "put brackets, code spans and emphasis that have no end in code blocks")
	}
	return false
}

// boundedLinks reads links while the budget of the document lasts.
type boundedLinks struct{ parser.InlineParser }

// openBrackets are the brackets of a block that are not closed.
type openBrackets struct {
	block ast.Node
	list  []openBracket
}

// openBracket is one of them.
type openBracket struct {
	at   int               // its offset
	mark *parser.Delimiter // the last emphasis mark before it; nil when there is none
}

// bracketsOf returns the open brackets of a block.
func bracketsOf(block ast.Node, pc parser.Context) *openBrackets {
	open := &stateOf(pc).work.brackets
	if open.block != block {
		*open = openBrackets{block: block, list: open.list[:0]}
	}
	return open
}

// maxLabel is the longest label of a reference, in bytes.
const maxLabel = 999

// Parse implements parser.InlineParser.
func (p boundedLinks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if !spend(0, block, pc) {
		return nil // nothing is counted any more: that is work, too
	}
	line, segment := block.PeekLine()
	open := bracketsOf(parent, pc)
	steps := 0
	if last := len(open.list) - 1; line[0] == ']' && last >= 0 {
		bracket := open.list[last]
		if size := segment.Start - bracket.at; size > maxLabel {
			steps += size
		}
		open.list = open.list[:last]
		steps += sinceBracket(parent) + sinceMark(parent, bracket.mark, pc.LastDelimiter())
		steps += parent.Lines().Len() // the label is looked for line by line
		if len(line) > 1 && line[1] == '(' {
			steps += destinationSize(line[2:])
		}
	}
	if !spend(steps, block, pc) {
		return nil
	}
	mark := pc.LastDelimiter()
	n := p.InlineParser.Parse(parent, block, pc)
	if n != nil && line[0] != ']' {
		open.list = append(open.list, openBracket{segment.Start, mark})
	}
	return n
}

// CloseBlock implements parser.CloseBlocker.
func (p boundedLinks) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	p.InlineParser.(parser.CloseBlocker).CloseBlock(parent, block, pc)
}

// sinceBracket counts the nodes since the last open bracket, all of which are looked at for
// a link.
func sinceBracket(parent ast.Node) (n int) {
	for c := parent.LastChild(); c != nil && c.Kind().String() != "LinkLabelState"; c = c.PreviousSibling() {
		n++
	}
	return n
}

// sinceMark counts the nodes from the last emphasis mark back to the one before a bracket,
// all of which are looked at for emphasis in a link: all of the block, when there was none
// before the bracket, or it is gone.
func sinceMark(parent ast.Node, before, last *parser.Delimiter) (n int) {
	switch {
	case last == before:
		return 0
	case before == nil, before.Parent() != parent:
		return parent.ChildCount()
	}
	for c := ast.Node(last); c != nil && c != ast.Node(before); c = c.PreviousSibling() {
		n++
	}
	return n
}

// destinationSize returns how many bytes of a line are looked at for the destination of a
// link.
func destinationSize(line []byte) int {
	i := len(line) - len(bytes.TrimLeft(line, " \t"))
	if i < len(line) && line[i] == '<' {
		if end := bytes.IndexByte(line[i:], '>'); end >= 0 {
			return i + end
		}
		return len(line)
	}
	for depth := 0; i < len(line) && !util.IsSpace(line[i]) && depth >= 0; i++ {
		switch line[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	return i
}

// boundedCode reads code spans while the budget of the document lasts.
type boundedCode struct{ parser.InlineParser }

// Parse implements parser.InlineParser. A code span that does not end was looked for up to
// the end of its block.
func (p boundedCode) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if !spend(0, block, pc) {
		return nil
	}
	_, segment := block.PeekLine()
	n := p.InlineParser.Parse(parent, block, pc)
	if lines := parent.Lines(); n != nil && n.Kind() == ast.KindText && lines.Len() > 0 {
		spend(lines.At(lines.Len()-1).Stop-segment.Start, block, pc)
	}
	return n
}

// openMarks are the emphasis marks of a block that may still open something.
type openMarks struct {
	block ast.Node
	chars []byte
}

// marksOf returns the open marks of a block.
func marksOf(block ast.Node, pc parser.Context) *openMarks {
	open := &stateOf(pc).work.marks
	if open.block != block {
		*open = openMarks{block: block, chars: open.chars[:0]}
	}
	return open
}

// add notes a mark, and returns how many open ones are looked at for what it closes.
func (m *openMarks) add(d *parser.Delimiter) (steps int) {
	if d.CanClose {
		for i := len(m.chars) - 1; i >= 0; i-- {
			if steps++; m.chars[i] == d.Char {
				m.chars = m.chars[:i]
				return steps
			}
		}
	}
	if d.CanOpen {
		m.chars = append(m.chars, d.Char)
	}
	return steps
}
