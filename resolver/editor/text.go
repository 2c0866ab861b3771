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

// jsonPlace is where a place of a JSON text is.
type jsonPlace struct {
	keys   []string // above it; of a value its own too
	typed  string   // of a key or value so far
	value  bool     // not a key
	quoted bool     // it is inside of quotation marks
}

// jsonAt finds where the end of a text is in JSON. What is wrong with the text before
// does not matter.
func jsonAt(text string) jsonPlace {
	type level struct {
		list bool
		key  string // "" until its colon
	}
	var above []level
	var last string // the string before
	at := jsonPlace{}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '{', '[':
			above = append(above, level{list: c == '['})
			at.typed = ""
		case '}', ']':
			above = above[:max(0, len(above)-1)]
			at.typed = ""
		case ':', ',':
			if n := len(above) - 1; n >= 0 && !above[n].list {
				above[n].key = ""
				if c == ':' {
					above[n].key = last
				}
			}
			at.typed = ""
		case '"':
			end := i + 1
			for end < len(text) && text[end] != '"' && text[end] != '\n' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(text) {
				at.quoted, at.typed = true, text[i+1:]
			} else {
				last = text[i+1 : end]
				at.typed = ""
			}
			i = end
		case ' ', '\t', '\n', '\r':
			at.typed = ""
		default:
			at.typed += string(c)
		}
	}
	for _, l := range above {
		if !l.list && l.key != "" {
			at.keys = append(at.keys, l.key)
		}
	}
	n := len(above) - 1
	at.value = n >= 0 && (above[n].list || above[n].key != "")
	return at
}

// json offers the keys of an object, or the values of a key.
func (c *completer) json(name string) {
	at := jsonAt(string(c.at.lines.text[:c.at.offset()]))
	from := len(c.items)
	if !at.value {
		c.known(name, at.keys, at.typed)
	} else if !c.values(name, at.keys, at.typed) {
		c.enums(name, at.keys, at.typed)
	}
	for i := from; i < len(c.items) && !at.quoted; i++ {
		text := `"` + c.items[i].Label + `"`
		if !at.value {
			text += ": "
		}
		c.items[i].TextEdit.NewText = text
	}
}

// isJSON reports a file of JSON by its name.
func isJSON(name string) bool {
	return strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".lock")
}
