package markdown

import (
	"bytes"

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
