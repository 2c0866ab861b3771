package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// kindStyled is the kind of a Styled.
var kindStyled = ast.NewNodeKind("Styled")

// Styled is text that an element shows. CriticMarkup writes changes and comments so,
//
//	{++added++} {--removed--} {~~old~>new~~} {==marked==} {>>a comment<<}
//
// and MkDocs and Pandoc scripts: H~2~O, x^2^.
type Styled struct {
	ast.BaseInline
	Element string // ins, del, mark, small, sub, sup
}

// Kind returns kindStyled.
func (n *Styled) Kind() ast.NodeKind { return kindStyled }

// Dump prints the node for debugging.
func (n *Styled) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// styled makes a Styled of the text between two offsets.
func styled(element string, from, to int) *Styled {
	n := &Styled{Element: element}
	n.SetPos(from)
	n.AppendChild(n, ast.NewTextSegment(text.NewSegment(from, to)))
	return n
}

// criticForms are the changes of CriticMarkup by what opens and closes them.
var criticForms = []struct{ open, close, element string }{
	{"{++", "++}", "ins"}, {"{--", "--}", "del"}, {"{==", "==}", "mark"}, {"{>>", "<<}", "small"}, {"{~~", "~~}", "del"},
}

// maxCritic is the longest change, in bytes; it is on one line.
const maxCritic = 2 << 10

// parseCritic reads the changes of CriticMarkup.
func parseCritic(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	for _, form := range criticForms {
		inside, ok := bytes.CutPrefix(line[:min(len(line), maxCritic)], []byte(form.open))
		if !ok {
			continue
		}
		end := bytes.Index(inside, []byte(form.close))
		if end < 1 {
			return nil
		}
		from := segment.Start + len(form.open)
		to := from + end
		n := styled(form.element, from, to)
		if form.open == "{~~" {
			arrow := bytes.Index(inside[:end], []byte("~>"))
			if arrow < 0 {
				return nil
			}
			parent.AppendChild(parent, styled("del", from, from+arrow))
			n = styled("ins", from+arrow+len("~>"), to)
		}
		block.Advance(end + 2*len(form.open))
		return n
	}
	return nil
}

// maxScript is the longest script, in bytes.
const maxScript = 80

// parseScript reads scripts, on pages of MkDocs alone: ~x~ is struck on GitHub.
func parseScript(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	sign := line[0]
	if len(line) < 3 || line[1] == sign || block.PrecendingCharacter() == rune(sign) {
		return nil
	}
	end := bytes.IndexByte(line[1:min(len(line), maxScript)], sign)
	if end < 1 || end+2 < len(line) && line[end+2] == sign || !stateOf(pc).isMkDocs() {
		return nil
	}
	for _, c := range line[1 : 1+end] {
		if util.IsSpace(c) || c == '`' || c == '[' {
			return nil
		}
	}
	element := "sup"
	if sign == '~' {
		element = "sub"
	}
	block.Advance(end + 2)
	return styled(element, segment.Start+1, segment.Start+1+end)
}

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

// IsOption reports a line that says how a directive of MyST looks: ":width: 50%".
func IsOption(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) < 3 || line[0] != ':' {
		return false
	}
	end := bytes.IndexByte(line[1:], ':')
	if end < 1 || end+2 < len(line) && !util.IsSpace(line[end+2]) {
		return false
	}
	for _, c := range line[1 : 1+end] {
		if !util.IsAlphaNumeric(c) && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// option takes an option off the head of a callout, and reports whether the line is one:
// ":class: tip" of MyST, or "    type: warning" between slashes, which may say what the
// callout is.
func (n *CalloutNode) option(line []byte) bool {
	if !n.options {
		return false
	}
	if n.closer == "/" {
		n.options = n.slashOption(line)
		return n.options
	}
	if n.options = IsOption(line); !n.options {
		return false
	}
	key, value, _ := strings.Cut(strings.TrimSpace(string(line))[1:], ":")
	if key == "header-rows" {
		n.Callout.HeadRows, _ = strconv.Atoi(strings.TrimSpace(value))
	}
	for _, class := range strings.Fields(value) {
		if key == "class" && n.Callout.Kind == "note" && isIn(class, notes) {
			n.Callout.Kind = class
		}
	}
	return true
}

// slashOption takes such an option of a block between slashes.
func (n *CalloutNode) slashOption(line []byte) bool {
	key, value, ok := strings.Cut(strings.TrimSpace(string(line)), ":")
	if !ok || !bytes.HasPrefix(line, []byte("    ")) || strings.ContainsAny(key, " *`[") {
		return false
	}
	value = strings.Trim(value, " '\"")
	switch {
	case key == "type" && n.Callout.Kind != "tab" && isKind(value):
		if n.Callout.Kind == "details" {
			n.Callout.Fold = '-'
		}
		n.Callout.Kind = strings.ToLower(value)
	case key == "open" && strings.EqualFold(value, "true"):
		n.Callout.Fold = '+'
	}
	return true
}
