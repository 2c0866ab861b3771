package article

import (
	"bytes"
	"unicode/utf8"

	"github.com/yuin/goldmark/renderer/html"

	"github.com/packgen/packgen/templates"
)

// writer collects the HTML of a page, and takes Markdown text.
type writer struct{ templates.Markup }

// text appends Markdown text: backslash escapes and character references are
// resolved, the rest is escaped.
func (w *writer) text(s []byte) {
	if bytes.IndexByte(s, '\\') < 0 && bytes.IndexByte(s, '&') < 0 {
		w.Literal(s)
		return
	}
	html.DefaultWriter.Write(w, s)
}

// The methods that goldmark's text writer asks for.

func (w *writer) Write(p []byte) (int, error) {
	w.B = append(w.B, p...)
	return len(p), nil
}

func (w *writer) WriteString(s string) (int, error) {
	w.B = append(w.B, s...)
	return len(s), nil
}

func (w *writer) WriteByte(c byte) error {
	w.B = append(w.B, c)
	return nil
}

func (w *writer) WriteRune(r rune) (int, error) {
	if r == 0 {
		r = utf8.RuneError
	}
	n := len(w.B)
	w.B = utf8.AppendRune(w.B, r)
	return len(w.B) - n, nil
}

func (w *writer) Available() int { return cap(w.B) - len(w.B) }
func (w *writer) Buffered() int  { return 0 }
func (w *writer) Flush() error   { return nil }
