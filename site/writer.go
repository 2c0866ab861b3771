package site

import (
	"bytes"
	"unicode/utf8"

	"github.com/yuin/goldmark/renderer/html"

	"github.com/packgen/packgen/templates"
)

// writer collects the HTML of one page. Every piece of a pack's text enters it
// through text, literal or attr, which escape; only our own markup goes in raw.
type writer struct {
	b []byte
}

// raw appends markup of ours.
func (w *writer) raw(s string) { w.b = append(w.b, s...) }

// literal appends text as it is, escaped: code, raw HTML, paths. It is for text
// between tags, where a quote is just a quote; for attributes there is attr.
func (w *writer) literal(s []byte) { w.b = templates.AppendText(w.b, s) }

// attr appends an attribute, with quotes where its value needs them. Control
// characters of a value, line breaks above all, become spaces.
func (w *writer) attr(name, value string) {
	w.b = append(w.b, ' ')
	w.b = append(w.b, name...)
	if templates.NeedsNoQuotes(value) {
		w.b = append(w.b, '=')
		w.b = append(w.b, value...)
		return
	}
	w.b = append(w.b, '=', '"')
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '&':
			w.raw("&amp;")
		case c == '"':
			w.raw("&#34;")
		case c == '<':
			w.raw("&lt;")
		case c < ' ':
			w.raw(" ")
		default:
			w.b = append(w.b, c)
		}
	}
	w.b = append(w.b, '"')
}

// text appends Markdown text: backslash escapes and character references are
// resolved, the rest is escaped.
func (w *writer) text(s []byte) {
	if bytes.IndexByte(s, '\\') < 0 && bytes.IndexByte(s, '&') < 0 {
		w.literal(s)
		return
	}
	html.DefaultWriter.Write(w, s)
}

// The methods that goldmark's text writer asks for.

func (w *writer) Write(p []byte) (int, error) {
	w.b = append(w.b, p...)
	return len(p), nil
}

func (w *writer) WriteString(s string) (int, error) {
	w.b = append(w.b, s...)
	return len(s), nil
}

func (w *writer) WriteByte(c byte) error {
	w.b = append(w.b, c)
	return nil
}

func (w *writer) WriteRune(r rune) (int, error) {
	if r == 0 {
		r = utf8.RuneError
	}
	n := len(w.b)
	w.b = utf8.AppendRune(w.b, r)
	return len(w.b) - n, nil
}

func (w *writer) Available() int { return cap(w.b) - len(w.b) }
func (w *writer) Buffered() int  { return 0 }
func (w *writer) Flush() error   { return nil }
