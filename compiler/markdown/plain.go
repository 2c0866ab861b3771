package markdown

import (
	"bytes"
	"sort"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// PlainText returns the plain text of a node (agent-knowledge section 6.3):
// markup, link targets, HTML, anchors and status markers dropped, escapes and
// entities decoded, white space collapsed. The texts of blocks in a block are
// joined with a space.
func (d *Document) PlainText(n ast.Node) string {
	p := plain{source: d.Text}
	return p.text(n)
}

// plain collects plain text. It can be used again after reset.
type plain struct {
	source []byte
	buf    []byte
	solid  int // from here on the buffer is literal text of the block itself
	depth  int // how many inline nodes the current one is in
}

func (p *plain) reset() { p.buf, p.solid, p.depth = p.buf[:0], 0, 0 }

// text returns the plain text of a node.
func (p *plain) text(n ast.Node) string {
	p.reset()
	if n.Type() == ast.TypeInline {
		p.node(n)
	} else {
		p.children(n)
	}
	return string(collapse(p.buf))
}

func (p *plain) children(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		p.node(c)
	}
}

// node appends the text of one node.
func (p *plain) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		p.segment(n)
	case *ast.String:
		p.firm(n.Value)
	case *ast.AutoLink:
		p.firm(n.Label(p.source))
	case *ast.RawHTML:
		p.firm(nil)
	case *AnchorNode, *MarkerNode, *BlockID:
		p.buf = bytes.TrimRightFunc(p.buf, unicode.IsSpace)
		p.solid = min(p.solid, len(p.buf))
	case *WikiLink:
		p.firm([]byte(n.Shown()))
	case *ComponentTag:
		if n.Alone {
			p.firm([]byte(n.Label))
		} else {
			p.firm(nil)
		}
	case *Keys:
		p.firm([]byte(n.String()))
	case *Math:
		p.firm(p.source[n.Start-dollars(n) : n.Stop+dollars(n)])
	case *east.TaskCheckBox, *FootnoteRef, *Attributes, *Comment:
	default:
		if n.Type() != ast.TypeInline {
			p.children(n)
			p.buf = append(p.buf, ' ')
			return
		}
		p.depth++
		p.children(n)
		p.depth--
		p.firm(nil)
	}
}

// firm appends text that is not literal text of the block.
func (p *plain) firm(text []byte) {
	p.buf = append(p.buf, text...)
	p.solid = len(p.buf)
}

// segment appends a text node; the end of its line is a space.
func (p *plain) segment(n *ast.Text) {
	value := n.Segment.Value(p.source)
	switch {
	case n.IsRaw():
		p.firm(value)
	case bytes.IndexByte(value, '\\') < 0 && bytes.IndexByte(value, '&') < 0:
		p.buf = append(p.buf, value...)
	default:
		p.unescape(value)
	}
	if n.SoftLineBreak() || n.HardLineBreak() {
		p.buf = append(p.buf, ' ')
	}
}

// unescape appends text with backslash escapes and character references
// decoded.
func (p *plain) unescape(text []byte) {
	for i := 0; i < len(text); {
		c := text[i]
		if c == '\\' && i+1 < len(text) && util.IsPunct(text[i+1]) {
			p.firm(text[i+1 : i+2])
			i += 2
			continue
		}
		if c == '&' {
			if decoded, size := reference(text[i:]); size > 0 {
				p.firm(decoded)
				i += size
				continue
			}
		}
		p.buf = append(p.buf, c)
		i++
	}
}

// maxReference is the longest character reference that is looked for, in
// bytes; the longest named one has 33.
const maxReference = 40

// reference decodes the character reference that starts text. size is 0 when
// there is none.
func reference(text []byte) (decoded []byte, size int) {
	end := bytes.IndexByte(text[:min(len(text), maxReference)], ';')
	if end < 2 {
		return nil, 0
	}
	name := text[1:end]
	if name[0] != '#' {
		entity, ok := util.LookUpHTML5EntityByName(string(name))
		if !ok {
			return nil, 0
		}
		return entity.Characters, end + 1
	}
	digits, base, most := string(name[1:]), 10, 7
	if len(digits) > 0 && (digits[0] == 'x' || digits[0] == 'X') {
		digits, base, most = digits[1:], 16, 6
	}
	if len(digits) > most || len(digits) == 0 || digits[0] == '+' || digits[0] == '-' {
		return nil, 0
	}
	code, err := strconv.ParseUint(digits, base, 32)
	if err != nil {
		return nil, 0
	}
	r := rune(code)
	if code == 0 || !utf8.ValidRune(r) {
		r = utf8.RuneError
	}
	return utf8.AppendRune(nil, r), end + 1
}

// collapse turns every run of white space into one space, in place, and trims
// both ends.
func collapse(text []byte) []byte {
	if isCollapsed(text) {
		return bytes.TrimRight(text, " ")
	}
	out := text[:0]
	pending := false
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		if unicode.IsSpace(r) {
			pending = len(out) > 0
		} else {
			if pending {
				out = append(out, ' ')
				pending = false
			}
			out = append(out, text[i:i+size]...)
		}
		i += size
	}
	return out
}

// isCollapsed reports a text of plain ASCII that has single spaces alone; one may be at
// its end. Most texts are.
func isCollapsed(text []byte) bool {
	previous := byte(' ')
	for _, c := range text {
		if c < ' ' || c >= utf8.RuneSelf || c == ' ' && previous == ' ' {
			return false
		}
		previous = c
	}
	return true
}

// Unescape returns a link destination with escapes and references decoded.
func Unescape(dest []byte) string {
	if bytes.IndexByte(dest, '\\') < 0 && bytes.IndexByte(dest, '&') < 0 {
		return string(dest)
	}
	var p plain
	p.unescape(dest)
	return string(p.buf)
}

// dollars is how many of them are on each side of a formula.
func dollars(n *Math) int {
	if n.bare {
		return 0
	}
	if n.Display {
		return 2
	}
	return 1
}

// Position returns the 1-based line and column, in bytes, of an offset into
// Text. An offset outside the text is moved to its nearest end. It is safe for
// concurrent use.
func (d *Document) Position(offset int) (line, column int) {
	d.linesOnce.Do(func() {
		d.lines = make([]int, 1, 1+bytes.Count(d.Text, []byte("\n")))
		for i, c := range d.Text {
			if c == '\n' {
				d.lines = append(d.lines, i+1)
			}
		}
	})
	offset = max(0, min(offset, len(d.Text)))
	line = sort.Search(len(d.lines), func(i int) bool { return d.lines[i] > offset })
	return line, offset - d.lines[line-1] + 1
}
