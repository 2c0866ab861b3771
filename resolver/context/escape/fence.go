package escape

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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

// The elements that say to an agent whose words follow.
const (
	Pack   = "knowledge_pack"
	Memory = "memory_notes"
	Rules  = "project_rules"
)

// elements are the elements that no text may open or close, whatever it is printed in:
// outputs of several commands meet in one context.
var elements = [...]string{Pack, "knowledge_resources", Memory, Rules, "available_" + Pack}

// Text is [Fence] for a text that is in no wrapper, where comments are the text's own.
func Text(text string) string {
	text, _ = invisible.Remove(text)
	text, _ = Tags(text, func(rest string, _ bool) bool { return OpensElement(rest) })
	return text
}

// Fence escapes content so that it can neither close or open a wrapper nor
// imitate a path comment (agent-knowledge section 13.10): what reads as the "<" of an
// element of packgen's, and of a "<!--" that starts a line, becomes "&lt;". Line ends
// other than LF are looked through, because a reader may. Invisible characters that
// nothing needs are left out.
func Fence(text string) string {
	text, _ = invisible.Remove(text)
	text, _ = Tags(text, func(rest string, startsLine bool) bool {
		return startsLine && startsComment(rest) || OpensElement(rest)
	})
	return text
}

// Tags writes "&lt;" for what reads as the "<" of a tag, and says for how many. isTag
// decides by what follows, and by whether nothing is before it on its line.
func Tags(text string, isTag func(rest string, startsLine bool) bool) (safe string, tags int) {
	var b strings.Builder
	startsLine := true
	from := 0
	for i, r := range text {
		if i < from {
			continue // of a character reference that was replaced
		}
		if breaksLine(r) {
			startsLine = true
			continue
		}
		if rest, ok := opener(text[i:], r); ok && isTag(rest, startsLine) {
			b.WriteString(text[from:i])
			b.WriteString("&lt;")
			from = len(text) - len(rest)
			tags++
		}
		startsLine = startsLine && isInvisible(r)
	}
	if tags == 0 {
		return text, 0
	}
	b.WriteString(text[from:])
	return b.String(), tags
}

// angles are the characters that read as "<".
const angles = "<\uff1c\ufe64\u2039\u2329\u3008\u27e8\u02c2\u1438\u276c\u276e\u2770\u227a\u29fc\u226e\u226a\u2264\u2a7d\u22d6\u300a\u27ea\u00ab"

// opener reports whether a text that begins with r begins with what reads as a "<": such
// a character, or a reference to one other than the "&lt;" that escapes it. Rest is what
// follows.
func opener(text string, r rune) (rest string, ok bool) {
	if r == '&' && !strings.HasPrefix(text, "&lt;") {
		c, size := reference(text)
		return text[size:], size > 0 && strings.ContainsRune(angles, c)
	}
	if r == '<' || r >= utf8.RuneSelf && strings.ContainsRune(angles, r) {
		return text[utf8.RuneLen(r):], true
	}
	return "", false
}

// startsComment reports whether what follows a "<" reads as the start of a comment.
func startsComment(text string) bool {
	c, text := next(text)
	if c != '!' && c != '\uff01' {
		return false
	}
	for range 2 {
		if c, text = next(text); !unicode.Is(unicode.Pd, c) {
			return false
		}
	}
	return true
}

// OpensElement reports whether what follows a "<" reads as the start of an element of
// packgen's, with or without a "/" before it.
func OpensElement(rest string) bool {
	return slices.ContainsFunc(elements[:], func(name string) bool {
		_, ok := Opens(rest, name)
		return ok
	})
}

// breaksLine reports the characters that some reader treats as a line end.
func breaksLine(r rune) bool {
	return r >= '\n' && r <= '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029' || r >= 0x1c && r <= 0x1e
}
