package diag

import (
	"bufio"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/invisible"
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
