package strictyaml

import (
	"bytes"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// places turns places as YAML counts them (lines also end at CR, NEL, LS and
// PS; columns count characters) into places as editors count them (lines end at
// LF; columns count bytes).
type places struct {
	data   []byte // without the byte-order mark
	bom    int    // bytes of it
	plain  bool   // both count the same: ASCII without CR
	last   int    // line, as editors count
	starts []int  // byte offset of each line as YAML counts; made when first asked for
	lf     []int  // line feeds before each of these offsets
	// Nodes of one line come in order, so each line is walked once.
	cursor struct{ line, column, at int }
}

func newPlaces(data []byte) *places {
	t := &places{data: data}
	if rest, found := bytes.CutPrefix(data, []byte("\ufeff")); found {
		t.data, t.bom = rest, len("\ufeff")
	}
	t.last = 1 + bytes.Count(t.data, []byte("\n"))
	t.plain = t.bom == 0 && !bytes.ContainsFunc(data, func(r rune) bool { return r == '\r' || r >= utf8.RuneSelf })
	return t
}

// lines finds where the lines start.
func (t *places) lines() {
	t.starts, t.lf = []int{0}, []int{0}
	lf := 0
	for i := 0; i < len(t.data); {
		size := breakSize(t.data[i:])
		if size == 0 {
			i++
			continue
		}
		if t.data[i+size-1] == '\n' {
			lf++
		}
		i += size
		t.starts, t.lf = append(t.starts, i), append(t.lf, lf)
	}
}

// breakSize returns the bytes of the YAML line break that starts text, or 0.
func breakSize(text []byte) int {
	switch {
	case text[0] == '\r' && len(text) > 1 && text[1] == '\n':
		return 2
	case text[0] == '\n', text[0] == '\r':
		return 1
	case bytes.HasPrefix(text, []byte("\u0085")):
		return 2
	case bytes.HasPrefix(text, []byte("\u2028")), bytes.HasPrefix(text, []byte("\u2029")):
		return 3
	}
	return 0
}

// set converts the places of a node and of all below it.
func (t *places) set(n *yaml.Node) {
	// The library also reports places after the end.
	if !t.plain || n.Line > t.last {
		n.Line, n.Column = t.of(n.Line, max(n.Column, 1))
	}
	for _, child := range n.Content {
		t.set(child)
	}
}

// of converts a place; a column of 0 asks for the first character of the line
// that is not blank.
func (t *places) of(line, column int) (int, int) {
	if t.starts == nil {
		t.lines()
	}
	line = min(max(line, 1), len(t.starts))
	at := t.starts[line-1]
	switch {
	case column == 0:
		for at < len(t.data) && (t.data[at] == ' ' || t.data[at] == '\t') {
			at++
		}
	default:
		c := &t.cursor
		if c.line != line || c.column > column {
			c.line, c.column, c.at = line, 1, at
		}
		for ; c.column < column && c.at < len(t.data); c.column++ {
			_, size := utf8.DecodeRune(t.data[c.at:])
			c.at += size
		}
		at = c.at
	}
	// A line as editors count may hold several as YAML counts.
	start := bytes.LastIndexByte(t.data[:at], '\n') + 1
	column = at - start + 1
	if start == 0 {
		column += t.bom
	}
	return t.lf[line-1] + 1, column
}

// indentedByTab reports a line, as YAML counts, that has a tab before its first word.
func (t *places) indentedByTab(line int) bool {
	line, column := t.of(line, 0)
	rest := t.data
	for range line - 1 {
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	return bytes.IndexByte(rest[:min(column-1, len(rest))], '\t') >= 0
}
