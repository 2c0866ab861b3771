package javascript

import "strings"

// codeFence follows the code fences of a Markdown text line by line. The
// zero value is before its first line.
type codeFence struct {
	mark byte
	size int
}

// Inside reports whether a line belongs to a fenced block, its fences included.
func (f *codeFence) Inside(line string) bool {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 {
		return f.size > 0
	}
	n := 0
	for n < len(text) && (text[n] == '`' || text[n] == '~') && text[n] == text[0] {
		n++
	}
	switch {
	case f.size == 0 && n >= 3 && !(text[0] == '`' && strings.Contains(text[n:], "`")):
		f.mark, f.size = text[0], n
		return true
	case f.size > 0 && n >= f.size && text[0] == f.mark && Trim(text[n:]) == "":
		f.size = 0
		return true
	}
	return f.size > 0
}
