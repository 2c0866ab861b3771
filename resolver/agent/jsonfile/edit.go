package jsonfile

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// Remove takes the last node of a chain out of its container, and each container
// above that it would leave empty.
func Remove(text []byte, chain []*Node) []byte {
	i := len(chain) - 1
	for i > 1 && len(chain[i-1].Items) == 1 {
		i--
	}
	container, gone := chain[i-1], chain[i]
	at := slices.Index(container.Items, gone)
	start, end := gone.from, gone.end
	switch {
	case len(container.Items) == 1:
		start, end = container.start+1, container.end-1
	case at == 0:
		end = container.Items[1].from
	default:
		start = container.Items[at-1].end
		// In a container written on one line, the line that was added for it goes too.
		oneLine := !bytes.Contains(text[container.start:container.Items[0].from], []byte("\n"))
		if at == len(container.Items)-1 && oneLine {
			end = container.end - 1
		}
		if between := text[start:gone.from]; !bytes.Equal(between, withoutComments(between)) {
			start, end = gone.from, gone.end // other comments stay
		}
	}
	return slices.Concat(text[:start], text[end:])
}

// Field is a member to write; one without a key is an element of a list.
type Field struct {
	Key   string
	Value any // string, int, []any, or Object
}

// Object is an object to write.
type Object []Field

// editor writes into a settings file in the file's own style.
type editor struct {
	text    []byte
	indent  string // one level
	newline string
}

func newEditor(text []byte) *editor {
	e := &editor{text: text, indent: "  ", newline: "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		e.newline = "\r\n"
	}
	// The first indented line is a member of the root.
	for line := range bytes.Lines(text) {
		rest := bytes.TrimLeft(line, " \t")
		if n := len(line) - len(rest); n > 0 && len(bytes.TrimSpace(rest)) > 0 {
			e.indent = string(line[:n])
			break
		}
	}
	return e
}

// Insert adds a field at the end of a container of a text.
func Insert(text []byte, container *Node, f Field) []byte {
	e := newEditor(text)
	depth := container.depth + 1
	var b strings.Builder
	at, end := container.start+1, container.end-1
	if n := len(container.Items); n > 0 {
		at = container.Items[n-1].end
		plain := withoutComments(e.text)[at:end]
		if comma := bytes.IndexByte(plain, ','); comma >= 0 {
			at += comma + 1 // there is one already
		} else {
			b.WriteByte(',')
		}
	}
	b.WriteString(e.newline + strings.Repeat(e.indent, depth))
	e.field(&b, f, depth)
	tail := e.text[at:end]
	blank := len(bytes.TrimSpace(tail)) == 0
	if bytes.Contains(tail, []byte("\n")) && (len(container.Items) > 0 || !blank) {
		return slices.Concat(e.text[:at], []byte(b.String()), e.text[at:])
	}
	b.WriteString(e.newline + strings.Repeat(e.indent, depth-1))
	if blank {
		return slices.Concat(e.text[:at], []byte(b.String()), e.text[end:])
	}
	return slices.Concat(e.text[:end], []byte(b.String()), e.text[end:])
}

func (e *editor) field(b *strings.Builder, f Field, depth int) {
	if f.Key != "" {
		b.Write(loadout.AppendString(nil, f.Key))
		b.WriteString(": ")
	}
	e.value(b, f.Value, depth)
}

func (e *editor) value(b *strings.Builder, v any, depth int) {
	switch v := v.(type) {
	case string:
		b.Write(loadout.AppendString(nil, v))
	case int:
		b.WriteString(strconv.Itoa(v))
	case Object:
		e.container(b, '{', '}', v, depth)
	case []any:
		list := make([]Field, len(v))
		for i := range v {
			list[i].Value = v[i]
		}
		e.container(b, '[', ']', list, depth)
	}
}

func (e *editor) container(b *strings.Builder, open, end byte, fields []Field, depth int) {
	b.WriteByte(open)
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(e.newline + strings.Repeat(e.indent, depth+1))
		e.field(b, f, depth+1)
	}
	b.WriteString(e.newline + strings.Repeat(e.indent, depth))
	b.WriteByte(end)
}

// Parse checks a JSON text and finds where each value is. It returns an
// *indexjson.SyntaxError for what is not JSON, comments included.
func Parse(text []byte) (*Node, error) {
	if _, err := indexjson.Parse(text); err != nil {
		return nil, err
	}
	s := &scanner{text: text}
	return s.value(0), nil
}

// ParseLoose is Parse for the files that an editor reads: comments, and a comma before
// a closing bracket, are allowed.
func ParseLoose(text []byte) (*Node, error) {
	plain := withoutComments(text)
	return Parse(withoutCommas(plain, plain))
}

// Plain returns a text without white space and without commas before a closing
// bracket, strings and comments apart: texts with the same form say the same.
func Plain(text []byte) []byte {
	plain := withoutComments(text)
	loose := withoutCommas(plain, bytes.Clone(text))
	var out []byte
	for i := 0; i < len(loose); i++ {
		start := i
		switch c := loose[i]; {
		case c == '"':
			i = closingQuote(loose, i)
		case plain[i] != text[i]: // in a comment
		case c == ' ', c == '\t', c == '\r', c == '\n':
			continue
		}
		out = append(out, loose[start:min(i+1, len(loose))]...)
	}
	return out
}

// withoutComments puts blanks in the place of comments.
func withoutComments(text []byte) []byte {
	out := bytes.Clone(text)
	for i := 0; i < len(out); i++ {
		switch {
		case out[i] == '"':
			i = closingQuote(out, i)
		case bytes.HasPrefix(out[i:], []byte("//")):
			for ; i < len(out) && out[i] != '\n' && out[i] != '\r'; i++ {
				out[i] = ' '
			}
		case bytes.HasPrefix(out[i:], []byte("/*")):
			end := bytes.Index(out[i+2:], []byte("*/"))
			if end < 0 {
				return out
			}
			for last := i + 2 + end + 2; i < last; i++ {
				if out[i] != '\n' && out[i] != '\r' {
					out[i] = ' '
				}
			}
			i--
		}
	}
	return out
}

// withoutCommas puts blanks into out in the place of commas between a value and a closing
// bracket. The text is that of out without comments.
func withoutCommas(text, out []byte) []byte {
	comma, value := -1, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\r', '\n':
			continue
		case ',':
			comma = -1
			if value {
				comma = i
			}
			value = false
			continue
		case '{', '[':
			comma, value = -1, false
			continue
		case '}', ']':
			if comma >= 0 {
				out[comma] = ' '
			}
		case '"':
			i = closingQuote(text, i)
		}
		comma, value = -1, true
	}
	return out
}

// Replace puts another value into the place of one.
func Replace(text []byte, at *Node, value any) []byte {
	var b strings.Builder
	newEditor(text).value(&b, value, at.depth)
	return slices.Concat(text[:at.start], []byte(b.String()), text[at.end:])
}
