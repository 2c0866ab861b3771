package diag

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/secret"
)

// RenderOptions steer Render. The zero value prints plain text.
type RenderOptions struct {
	Color bool   // ANSI colours; whether a terminal wants them (NO_COLOR) is the caller's to know
	Root  string // put before each path, such as "packs/harbor-kettle"; "" prints paths as they are
	// Path gives the path to print of each diagnostic, where they are of several
	// packs; it takes the place of Root.
	Path func(Diagnostic) string
	// Lines, when set, adds a code frame: the line with a caret below its column.
	Lines Lines
}

// Terminal colours, as ANSI sequences.
const (
	colorReset = "\x1b[0m"
	colorBold  = "\x1b[1m"
	colorFaint = "\x1b[2m"
	colorRed   = "\x1b[31m"
	colorAmber = "\x1b[33m"
	colorBlue  = "\x1b[34m"
)

// Render prints diagnostics for a terminal, one line each in the given order:
//
//	path:line:col: severity: message [id]
//	   12 | the line, when asked for
//	      | ^
//	    fix: hint
//
// Control and bidirectional characters from a user's file are printed as
// escapes, so that a file cannot steer the terminal.
func Render(w io.Writer, list []Diagnostic, o RenderOptions) error {
	out := bufio.NewWriter(w)
	memo := &lineMemo{lines: o.Lines}
	for _, d := range list {
		out.WriteString(line(d, o, memo))
	}
	return out.Flush()
}

// path returns the path to print of a diagnostic.
func (o RenderOptions) path(d Diagnostic) string {
	switch {
	case o.Path != nil:
		return o.Path(d)
	case o.Root != "":
		return strings.TrimSuffix(o.Root+"/"+d.Path, "/")
	}
	return d.Path
}

// line formats one diagnostic with its hint.
func line(d Diagnostic, o RenderOptions, memo *lineMemo) string {
	framed := frame(d, o, memo)
	d.Path = o.path(d)
	d = shown(d)
	var b strings.Builder
	if place := d.Place(); place != "" {
		b.WriteString(paint(o, colorBold, Printable(place)+":") + " ")
	}
	b.WriteString(paint(o, severityColor(d.Severity), d.Severity.String()+":") + " ")
	b.WriteString(Printable(d.Message))
	b.WriteString(" " + paint(o, colorFaint, "["+d.ID+"]") + "\n" + framed)
	if d.Hint != "" {
		b.WriteString("    " + Printable(Advice(d.Hint)) + "\n")
	}
	return b.String()
}

func severityColor(s Severity) string {
	switch s {
	case Error:
		return colorRed
	case Warning:
		return colorAmber
	}
	return colorBlue
}

func paint(o RenderOptions, color, text string) string {
	if !o.Color {
		return text
	}
	return color + text + colorReset
}

// Printable returns text with everything that could steer a terminal, reorder a line
// or pass a reader unseen (control, bidirectional and zero-width characters, line
// ends, bytes that are not UTF-8) written as an escape such as \x1b or \u202e. The
// joiners that scripts and emoji need stay.
func Printable(text string) string {
	if isPlain(text) {
		return text
	}
	runs := invisible.Find([]byte(text))
	if len(runs) == 0 && !strings.ContainsFunc(text, hidden) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		for len(runs) > 0 && runs[0].End <= i {
			runs = runs[1:]
		}
		escaped := hidden(r) || len(runs) > 0 && runs[0].Start <= i
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			writeEscape(&b, 'x', rune(text[i]), 2)
		case escaped && r < 0x80:
			writeEscape(&b, 'x', r, 2)
		case escaped && r <= 0xFFFF:
			writeEscape(&b, 'u', r, 4)
		case escaped:
			writeEscape(&b, 'U', r, 8)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func writeEscape(b *strings.Builder, kind byte, r rune, digits int) {
	const hex = "0123456789abcdef"
	b.WriteByte('\\')
	b.WriteByte(kind)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b.WriteByte(hex[r>>shift&0xf])
	}
}

// isPlain is a quick test for text of printable ASCII.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7F {
			return false
		}
	}
	return true
}

// hidden reports characters that do not print as themselves wherever they are:
// Unicode control and format characters (bidirectional marks and zero-width
// characters are among the latter) and the two line separators. For the joiners it
// depends on what is beside them.
func hidden(r rune) bool {
	if r == '\u200c' || r == '\u200d' {
		return false
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}

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

// lineMemo keeps what is known about the lines of one file, so that thousands of
// findings on one long line look at it once. Diagnostics are best asked about file
// by file.
type lineMemo struct {
	lines      Lines
	pack, path string
	known      map[int]*knownLine // by line number
}

// knownLine is a line with the secrets in it.
type knownLine struct {
	text  string // "" where there is no line to show
	hits  []secret.Hit
	sum   [sha256.Size]byte // of the line as fingerprints see it; made when it is asked for
	hasIt bool
}

// line returns the line of a diagnostic.
func (m *lineMemo) line(d *Diagnostic) *knownLine {
	if m.known == nil || m.pack != d.Pack || m.path != d.Path {
		m.pack, m.path, m.known = d.Pack, d.Path, map[int]*knownLine{}
	}
	l := m.known[d.Line]
	if l == nil {
		l = &knownLine{}
		if text, ok := m.lines(*d); ok && strings.TrimSpace(text) != "" {
			l.text, l.hits = text, secret.Find([]byte(text))
		}
		m.known[d.Line] = l
	}
	return l
}

// frameReach is how far around its place a line is looked at for a frame, in bytes:
// more than what is shown of it.
const frameReach = 2 << 10

// around returns the text before and after an offset, as far as a frame may show
// it, with secrets cut to their first characters.
func (l *knownLine) around(at int) (before, after string) {
	from, to := max(0, at-frameReach), min(len(l.text), at+frameReach)
	for from > 0 && from < at && !utf8.RuneStart(l.text[from]) {
		from++
	}
	var head, tail strings.Builder
	done := from
	copyTo := func(end int) {
		if end > done {
			head.WriteString(l.text[done:max(done, min(end, at))])
			tail.WriteString(l.text[min(max(done, at), end):end])
			done = end
		}
	}
	for _, h := range l.hits {
		if h.End <= done || h.Start >= to {
			continue
		}
		copyTo(h.Start)
		if h.Start < at {
			head.WriteString(h.Shown + "…")
		} else {
			tail.WriteString(h.Shown + "…")
		}
		done = max(done, h.End)
	}
	copyTo(to)
	return head.String(), tail.String()
}

// basis is the hash of the line with blanks collapsed and secrets cut short: no
// hash of a secret is published.
func (l *knownLine) basis() []byte {
	if !l.hasIt {
		l.sum, l.hasIt = sha256.Sum256([]byte(secret.Redact(normalLine(l.text)))), true
	}
	return l.sum[:]
}
