package escape

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/invisible"
)

// XML escapes text for an attribute or element. What ends a line becomes a
// space; invisible characters are left out.
func XML(text string) string {
	clean := invisible.Line(strings.ToValidUTF8(text, "\uFFFD"))
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(clean)
}

// Comment makes a text fit for a comment on one line: it cannot end it.
func Comment(text string) string {
	one := invisible.Line(text)
	return strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(one)
}

// TrimBlankLines drops blank lines at the end, and the last line end.
func TrimBlankLines(text string) string {
	end := len(text)
	for i := end; i > 0 && strings.IndexByte(" \t\n", text[i-1]) >= 0; i-- {
		if text[i-1] == '\n' {
			end = i - 1
		}
	}
	if strings.TrimLeft(text[:end], " \t\n") == "" {
		return ""
	}
	return text[:end]
}

// Fence escapes content so that it can neither close or open a wrapper nor
// imitate a path comment (agent-knowledge section 13.10): the "<" of any of these
// tags, and of a "<!--" that starts a line, becomes "&lt;". Invisible characters and
// white space inside a tag, and line ends other than LF, are looked through, because
// a reader may. Invisible characters that nothing needs are left out.
func Fence(text string, tags ...string) string {
	text, _ = invisible.Remove(text)
	if strings.IndexByte(text, '<') < 0 {
		return text
	}
	var b strings.Builder
	lineStart := true
	from := 0
	for i, r := range text {
		switch {
		case breaksLine(r):
			lineStart = true
		case r == '<':
			rest := text[i+1:]
			if lineStart && strings.HasPrefix(rest, "!--") || opensTag(rest, tags) {
				b.WriteString(text[from:i])
				b.WriteString("&lt;")
				from = i + 1
			}
			lineStart = false
		case !isInvisible(r):
			lineStart = false
		}
	}
	b.WriteString(text[from:])
	return b.String()
}

// opensTag reports whether what follows a "<" reads as the start of one of the
// tags, with or without a "/" before it.
func opensTag(rest string, tags []string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool {
		_, ok := Opens(rest, tag)
		return ok
	})
}

// breaksLine reports the characters that some reader treats as a line end.
func breaksLine(r rune) bool {
	return r >= '\n' && r <= '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029' || r >= 0x1c && r <= 0x1e
}
