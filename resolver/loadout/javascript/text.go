package javascript

import (
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/token"
)

// IsSpace reports whether a character is white space (loadout section 3.1).
func IsSpace(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r == ' ', r == 0xa0, r == 0x1680, r >= 0x2000 && r <= 0x200a,
		r == 0x2028, r == 0x2029, r == 0x202f, r == 0x205f, r == 0x3000, r == 0xfeff:
		return true
	}
	return false
}

// Trim removes white space from both ends.
func Trim(s string) string { return strings.TrimFunc(s, IsSpace) }

// TrimRight removes white space from the end.
func TrimRight(s string) string { return strings.TrimRightFunc(s, IsSpace) }

// Fields cuts a text at runs of white space.
func Fields(s string) []string { return strings.FieldsFunc(s, IsSpace) }

// Cut returns the longest start of a text that has at most that many UTF-16
// code units and ends between two characters.
func Cut(s string, units int) string {
	if len(s) <= units {
		return s
	}
	for i, r := range s {
		units--
		if r > 0xffff {
			units--
		}
		if units < 0 {
			return s[:i]
		}
	}
	return s
}

// Shorten cuts a text to at most that many UTF-16 code units, the last of them
// an ellipsis where something is left out.
func Shorten(s string, units int) string {
	if token.Units(s) <= units {
		return s
	}
	if units <= 0 {
		return ""
	}
	return TrimRight(Cut(s, units-1)) + "…"
}

// Line returns a text with everything in it that could end a line, steer a
// terminal or reorder what is read as a space: control characters, line and
// paragraph separators, bidirectional controls, and bytes that are not UTF-8.
// Invisible characters are removed, except for those that scripts and emoji
// need.
func Line(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1, steers(r):
			b.WriteByte(' ')
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	clean, _ := invisible.Remove(b.String())
	return clean
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// steers reports whether a character ends a line or changes how others show.
func steers(r rune) bool {
	return r < ' ' || r >= 0x7f && r <= 0x9f || r >= 0x200e && r <= 0x200f ||
		r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x61c
}
