package relink

import (
	"bytes"
	"strings"

	"github.com/packgen/packgen/compiler/markdown"
)

// far is how far after its beginning the destination of a link is looked for, in bytes.
const far = 16 << 10

// definitionsOf are the definitions of a document by their labels.
func definitionsOf(doc *markdown.Document) map[string]markdown.Definition {
	set := map[string]markdown.Definition{}
	if bytes.Contains(doc.Text, []byte("]:")) {
		for _, d := range doc.Definitions() {
			set[d.Label] = d
		}
	}
	return set
}

// Places returns a function that finds where the destination of a link of a document is
// written: in the link, or in the definition that it refers to. Nothing is found where both
// offsets are the same.
func Places(doc *markdown.Document) func(l markdown.Link) (from, to int) {
	definitions := definitionsOf(doc)
	return func(l markdown.Link) (from, to int) { return written(doc.Text, l, definitions) }
}

// written returns where the destination of a link is written: in the link, or in the
// definition that it refers to. Nothing is found where both offsets are the same.
func written(text []byte, l markdown.Link, definitions map[string]markdown.Definition) (from, to int) {
	span := text[l.Offset:min(len(text), l.Offset+far)]
	if i := bytes.Index(span, []byte("\n\n")); i >= 0 {
		span = span[:i] // no link has a blank line
	}
	at := 0
	if bytes.HasPrefix(span, []byte("!")) {
		at = 1
	}
	switch {
	case at >= len(span):
		return 0, 0
	case span[at] == '<': // a component
		if from = inTag(span, l); from == 0 {
			return 0, 0
		}
		return l.Offset + from, l.Offset + from + len(l.Dest)
	case span[at] != '[': // the value of an attribute
		if !bytes.HasPrefix(span, []byte(l.Dest)) {
			return 0, 0
		}
		return l.Offset, l.Offset + len(l.Dest)
	}
	open := at
	if at = closing(span, at); at == 0 {
		return 0, 0
	}
	if at < len(span) && span[at] == '(' {
		if from, to = destination(span, at+1); to > from {
			return l.Offset + from, l.Offset + to
		}
	}
	label := span[open+1 : at-1]
	if at < len(span) && span[at] == '[' {
		if end := closing(span, at); end > at+2 {
			label = span[at+1 : end-1]
		}
	}
	d, ok := definitions[markdown.LabelOf(label)]
	if !ok {
		return 0, 0
	}
	n := bytes.Index(text[d.Start:d.End], []byte("]:"))
	if n < 0 {
		return 0, 0
	}
	return destination(text[:d.End], d.Start+n+2)
}

// destination returns where the destination is that begins at an offset, after blanks.
func destination(text []byte, at int) (from, to int) {
	for at < len(text) && strings.IndexByte(" \t\n", text[at]) >= 0 {
		at++
	}
	if at < len(text) && text[at] == '<' {
		if end := bytes.IndexAny(text[at+1:], ">\n"); end >= 0 && text[at+1+end] == '>' {
			return at + 1, at + 1 + end
		}
		return 0, 0
	}
	depth := 0
	for to = at; to < len(text); to++ {
		switch c := text[to]; {
		case c == '\\' && to+1 < len(text):
			to++
		case c <= ' ':
			return at, to
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				return at, to
			}
		}
	}
	return at, min(to, len(text))
}

// inTag finds the destination in an HTML tag.
func inTag(span []byte, l markdown.Link) int {
	end := bytes.IndexByte(span, '>')
	for at := 0; at < end; {
		i := bytes.Index(span[at:end], []byte(l.Dest))
		if i < 0 {
			return 0
		}
		i += at
		if before := bytes.TrimRight(span[:i], "\"'"); bytes.HasSuffix(before, []byte("=")) && ends(span[i+len(l.Dest):]) {
			return i
		}
		at = i + 1
	}
	return 0
}

// closing returns the offset after the bracket that closes the one at an offset; 0 when
// there is none.
func closing(text []byte, at int) int {
	depth := 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '`':
			run := len(text[i:]) - len(bytes.TrimLeft(text[i:], "`"))
			if n := bytes.Index(text[i+run:], text[i:i+run]); n >= 0 {
				i += run + n
			}
			i += run - 1
		case '[':
			depth++
		case ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
	}
	return 0
}

// ends reports whether a destination may end before a text.
func ends(after []byte) bool {
	return len(after) == 0 || strings.IndexByte(") \t\n>\"'", after[0]) >= 0
}
