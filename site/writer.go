package site

import (
	"bytes"
	"unicode/utf8"

	"github.com/yuin/goldmark/renderer/html"
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
func (w *writer) literal(s []byte) {
	start := 0
	for i := 0; i < len(s); i++ {
		var with string
		switch s[i] {
		case '&':
			with = "&amp;"
		case '<':
			with = "&lt;"
		case '>':
			with = "&gt;"
		case 0:
			with = "\ufffd" // NUL marks holes, and has no place in HTML
		default:
			continue
		}
		w.b = append(w.b, s[start:i]...)
		w.b = append(w.b, with...)
		start = i + 1
	}
	w.b = append(w.b, s[start:]...)
}

// attr appends an attribute, with quotes where its value needs them.
func (w *writer) attr(name, value string) {
	w.b = append(w.b, ' ')
	w.b = append(w.b, name...)
	if needsNoQuotes(value) {
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

// needsNoQuotes reports a value of letters, digits and "-._#/" that does not end
// in a slash: what nearly all addresses and ids of a site are.
func needsNoQuotes(value string) bool {
	for i := 0; i < len(value); i++ {
		if c := value[i]; !plain(c) && c != '-' && c != '.' && c != '_' && c != '#' && c != '/' {
			return false
		}
	}
	return value != "" && value[len(value)-1] != '/'
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
