package editor

import (
	"bytes"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// lines finds places in a text, in bytes and as editors count.
type lines struct {
	text   []byte
	starts []int
}

func newLines(text []byte) *lines {
	l := &lines{text: text, starts: []int{0}}
	for i, c := range text {
		if c == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// line is the text of a line without its end; "" for one that does not exist.
func (l *lines) line(n int) string {
	if n < 0 || n >= len(l.starts) {
		return ""
	}
	rest := l.text[l.starts[n]:]
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	return strings.TrimSuffix(string(rest), "\r")
}

// offset is the byte at a position, kept within its line and the text.
func (l *lines) offset(p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(l.starts) {
		return len(l.text)
	}
	return l.starts[p.Line] + bytesOf(l.line(p.Line), p.Character)
}

// bytesOf is how many bytes the first UTF-16 units of a line take.
func bytesOf(line string, units int) int {
	for i, r := range line {
		if units <= 0 {
			return i
		}
		units--
		if r > 0xffff {
			units--
		}
	}
	return len(line)
}

// unitsOf is how many UTF-16 units a text takes.
func unitsOf(text string) int {
	n := 0
	for _, r := range text {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// at is the position of a byte.
func (l *lines) at(offset int) position {
	offset = min(max(offset, 0), len(l.text))
	n := bytes.Count(l.text[:offset], []byte("\n"))
	return position{n, unitsOf(string(l.text[l.starts[n]:offset]))}
}

// span is the range of bytes.
func (l *lines) span(from, to int) span { return span{l.at(from), l.at(to)} }

// place is the range of the word at a place of a finding: lines and columns count from
// 1, columns in bytes; 0 is unknown.
func (l *lines) place(line, column int) span {
	text := l.line(line - 1)
	if line < 1 {
		return span{}
	}
	from := min(max(column-1, 0), len(text))
	for from > 0 && from < len(text) && !utf8.RuneStart(text[from]) {
		from--
	}
	to := len(text)
	if column > 0 {
		if end := strings.IndexAny(text[from:], " \t"); end > 0 {
			to = from + end
		}
	}
	return span{position{line - 1, unitsOf(text[:from])}, position{line - 1, unitsOf(text[:to])}}
}

// fileOf is the path that a URI names; false for other schemes.
func fileOf(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || strings.ContainsRune(u.Path, 0) {
		return "", false
	}
	name := filepath.FromSlash(u.Path)
	if filepath.Separator == '\\' { // file:///C:/x
		name = strings.TrimPrefix(name, `\`)
	}
	return filepath.Clean(name), filepath.IsAbs(name)
}

// uriOf names a path.
func uriOf(name string) string {
	name = filepath.ToSlash(name)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}
