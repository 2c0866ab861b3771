package javascript

import (
	"strings"

	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/loadout"
)

// IsSpace reports whether a character is white space (loadout section 3.1).
func IsSpace(r rune) bool { return loadout.IsSpace(r) }

// Trim removes white space from both ends.
func Trim(s string) string { return loadout.Trim(s) }

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
	clean, _ := invisible.Remove(strings.Map(func(r rune) rune {
		if steers(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, " ")))
	return clean
}

// steers reports whether a character ends a line or changes how others show.
func steers(r rune) bool {
	return r < ' ' || r >= 0x7f && r <= 0x9f || r >= 0x200e && r <= 0x200f ||
		r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x61c
}
