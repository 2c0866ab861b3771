package prose

import (
	"bytes"
	"sort"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Rewritten is a text in which some ranges have been replaced, with the places that its
// bytes come from.
type Rewritten struct {
	Text   []byte
	points []rewritePoint // in order
}

// rewritePoint says that the byte at to stands for the byte at from.
type rewritePoint struct{ to, from int }

// Original returns the range of the text before that a range stands for.
func (w *Rewritten) Original(start, end int) (from, to int) {
	from = w.at(start)
	if end <= start {
		return from, from
	}
	return from, max(w.at(end-1)+1, w.at(end))
}

func (w *Rewritten) at(offset int) int {
	i := sort.Search(len(w.points), func(i int) bool { return w.points[i].to > offset }) - 1
	if i < 0 {
		return offset
	}
	return w.points[i].from + offset - w.points[i].to
}

// Unescape returns a text with the escapes decoded that YAML and JSON have in quoted
// values, wherever they are: a reader of the format sees the characters. It is nil for a
// text that has none. What is between quotation marks is not worked out: a mark in a
// comment could hide an escape from whoever did.
func Unescape(text []byte) *Rewritten {
	w, done := &Rewritten{}, 0
	for i := bytes.IndexByte(text, '\\'); i >= 0 && i < len(text); {
		with, size := escape(text[i:])
		if size > 0 {
			w.Text = append(w.Text, text[done:i]...)
			w.points = append(w.points, rewritePoint{len(w.Text), i})
			w.Text = append(w.Text, with...)
			done = i + size
			w.points = append(w.points, rewritePoint{len(w.Text), done})
		}
		i += max(size, 1)
		next := bytes.IndexByte(text[i:], '\\')
		if next < 0 {
			break
		}
		i += next
	}
	if done == 0 {
		return nil
	}
	w.Text = append(w.Text, text[done:]...)
	return w
}

// escape decodes the escape that a text begins with; size is 0 when it begins with none.
func escape(text []byte) (with string, size int) {
	if len(text) < 2 {
		return "", 0
	}
	switch text[1] {
	case 'x':
		return hexEscape(text, 2)
	case 'u':
		return wideEscape(text)
	case 'U':
		return hexEscape(text, 8)
	case '\n', '\r': // the line continues, without the blanks that follow
		size = 2
		for size < len(text) && IsBlank(text[size]) {
			size++
		}
		return "", size
	case 'n', 'r', 'N', 'L', 'P', 'v', 'f':
		return "\n", 2
	case 't', '\t', ' ', '_':
		return " ", 2
	case '/', '"', '\\':
		return string(text[1]), 2
	case '0', 'a', 'b', 'e':
		return "", 2
	}
	return "", 0
}

// hexEscape decodes an escape of that many digits.
func hexEscape(text []byte, digits int) (with string, size int) {
	c, ok := hexNumber(text, digits)
	if !ok || !utf8.ValidRune(c) {
		return "", 0
	}
	return string(c), 2 + digits
}

// hexNumber reads the digits of an escape.
func hexNumber(text []byte, digits int) (rune, bool) {
	if len(text) < 2+digits {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:2+digits]), 16, 31)
	return rune(n), err == nil
}

// wideEscape decodes an escape of four digits, or a pair of them for one character.
func wideEscape(text []byte) (with string, size int) {
	if with, size = hexEscape(text, 4); size > 0 || len(text) < 12 || text[6] != '\\' || text[7] != 'u' {
		return with, size
	}
	high, ok := hexNumber(text, 4)
	low, also := hexNumber(text[6:], 4)
	c := utf16.DecodeRune(high, low)
	if !ok || !also || c == utf8.RuneError {
		return "", 0
	}
	return string(c), 12
}
