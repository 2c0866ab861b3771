package boot

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/strictyaml"
	"github.com/packgen/packgen/resolver/context/escape"
)

// Tags of the text form (boot.yml section 10).
func fenceTags() [4]string { return [4]string{"brief", "skill", "ref", "also"} }

// guard makes content safe to print between tags. The < of anything that reads
// as an opening or closing tag of the boot, or of an element that another output for
// agents has, becomes &lt;. Bytes that are not UTF-8 become U+FFFD first, so that no
// reader can drop them and join the halves of a tag. It returns how many tags it touched,
// and the 1-based line of the first byte that is not UTF-8 (0 when all is well). Content
// that needs nothing is returned as it is.
func guard(content []byte) (safe []byte, tags, badLine int) {
	if badLine = strictyaml.InvalidLine(content); badLine > 0 {
		content = replaceInvalid(content)
	}
	text, tags := escape.Tags(string(content), func(rest string, _ bool) bool { return opensTag(rest) || escape.OpensElement(rest) })
	if tags == 0 {
		return content, 0, badLine
	}
	return []byte(text), tags, badLine
}

// replaceInvalid puts one U+FFFD for each byte that is not UTF-8, which keeps
// the token estimate.
func replaceInvalid(content []byte) []byte {
	out := make([]byte, 0, len(content)+len(content)/8)
	for len(content) > 0 {
		r, size := utf8.DecodeRune(content)
		out = utf8.AppendRune(out, r)
		content = content[size:]
	}
	return out
}

// opensTag reports whether text, which follows a <, makes a tag of the boot.
func opensTag(text string) bool {
	for _, tag := range fenceTags() {
		if after, ok := escape.Opens(text, tag); ok {
			return !continuesName(after)
		}
	}
	return false
}

// continuesName reports whether text continues with the name of a tag, so that
// <reference> is not taken for <ref>.
func continuesName(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("-_.:", r))
}

// escapeAttribute makes text safe between double quotes and in the line of a
// mention: &, < and " as the format has them, and as numeric references every
// character that could break the line or turn the reading direction.
func escapeAttribute(s string) string {
	if plainASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '"':
			b.WriteString("&quot;")
		case unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plainASCII reports whether text has nothing to escape, for the usual case.
func plainASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '&' || c == '<' || c == '"' {
			return false
		}
	}
	return true
}
