package diag

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Lines gives one line of the file that a diagnostic is about, without its line
// end. Line is 1-based. ok is false when the file cannot be read, has no such
// line, or must not be shown.
type Lines func(d Diagnostic) (text string, ok bool)

// maxKept is how many bytes of files NewLines keeps for the next question; a run
// of diagnostics mostly stays with one file.
const maxKept = 4 << 20

// NewLines returns a Lines that reads files by read. A file with a NUL has no
// lines to show: it is binary, or of UTF-16, in which no secret could be found. The
// last file is kept, so diagnostics are best asked about in their sorted order. It
// is not safe for concurrent use.
func NewLines(read func(d Diagnostic) ([]byte, error)) Lines {
	var pack, path string
	var starts []int
	var data []byte
	known := false
	return func(d Diagnostic) (string, bool) {
		if d.Line < 1 || d.Path == "" {
			return "", false
		}
		if !known || d.Pack != pack || d.Path != path {
			text, err := read(d)
			if err != nil || len(text) > maxKept || bytes.IndexByte(text, 0) >= 0 {
				text = nil
			}
			known, pack, path, data = true, d.Pack, d.Path, bytes.TrimPrefix(text, []byte("\uFEFF"))
			starts = lineStarts(data)
		}
		if d.Line > len(starts) {
			return "", false
		}
		line := data[starts[d.Line-1]:]
		if d.Line < len(starts) {
			line = data[starts[d.Line-1] : starts[d.Line]-1]
		}
		return string(bytes.TrimRight(line, "\r\n")), true
	}
}

// lineStarts returns the offset of each line. CR, LF and both end one, as
// compile reads them.
func lineStarts(data []byte) []int {
	if data == nil {
		return nil
	}
	starts := []int{0}
	for i, c := range data {
		if c == '\n' || c == '\r' && (i+1 == len(data) || data[i+1] != '\n') {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// A code frame shows at most frameWidth characters of a line, from frameBefore
// characters before the place on where that is far to the right.
const (
	frameWidth  = 100
	frameBefore = 40
)

// Frame returns the line that a diagnostic is about with a caret below its column,
// for a format of its own; "" where there is no line to show. A secret is never shown.
func Frame(d Diagnostic, lines Lines) string {
	return frame(d, RenderOptions{Lines: lines}, &lineMemo{lines: lines})
}

// frame returns the line of a diagnostic with a caret below its column:
//
//	12 | - The kettle holds 3 litres.
//	   | ^
//
// It is empty where there is no line to show. A secret is never shown.
func frame(d Diagnostic, o RenderOptions, memo *lineMemo) string {
	if o.Lines == nil || d.ID == secretID {
		return ""
	}
	line := memo.line(&d)
	if line.text == "" {
		return ""
	}
	at := max(0, min(d.Column-1, len(line.text)))
	for at > 0 && at < len(line.text) && !utf8.RuneStart(line.text[at]) {
		at--
	}
	before, after := line.around(at)
	before, after = Printable(strings.ReplaceAll(before, "\t", "    ")), Printable(strings.ReplaceAll(after, "\t", "    "))
	if head := []rune(before); len(head) > frameBefore+frameWidth/4 {
		before = "…" + string(head[len(head)-frameBefore:])
	}
	room := max(10, frameWidth-utf8.RuneCountInString(before))
	if tail := []rune(after); len(tail) > room {
		after = string(tail[:room]) + "…"
	}
	number := fmt.Sprintf("%5d", d.Line)
	out := paint(o, colorFaint, number+" | ") + before + after + "\n"
	if d.Column > 0 {
		out += paint(o, colorFaint, strings.Repeat(" ", len(number))+" | ") + strings.Repeat(" ", width(before)) + paint(o, severityColor(d.Severity), "^") + "\n"
	}
	return out
}

// secretID is the rule whose lines are shown nowhere (agent-knowledge section
// 18.4).
const secretID = "secret-suspect"

// width is how many columns a text fills on a terminal: two for the wide
// characters of East Asia and for emoji, none for combining marks.
func width(s string) int {
	n := 0
	for _, c := range s {
		switch {
		case c >= 0x0300 && c <= 0x036F, c == 0x200C, c == 0x200D, c >= 0xFE00 && c <= 0xFE0F:
		case c >= 0x1100 && c <= 0x115F, c >= 0x2E80 && c <= 0xA4CF, c >= 0xAC00 && c <= 0xD7A3, c >= 0xF900 && c <= 0xFAFF,
			c >= 0xFE30 && c <= 0xFE6F, c >= 0xFF00 && c <= 0xFF60, c >= 0xFFE0 && c <= 0xFFE6, c >= 0x1F300 && c <= 0x1FAFF, c >= 0x20000 && c <= 0x3FFFD:
			n += 2
		default:
			n++
		}
	}
	return n
}
