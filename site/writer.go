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

// attr appends an attribute.
func (w *writer) attr(name, value string) { w.b = templates.AppendAttr(w.b, name, value) }

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
