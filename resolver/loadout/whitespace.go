package loadout

import "unicode/utf8"

// IsSpace reports whether a character is white space. The set is JavaScript's (loadout
// section 3.1): it has U+FEFF and lacks U+0085, the other way round from Go's
// unicode.IsSpace.
func IsSpace(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r == ' ', r == 0xA0, r == 0x1680, r >= 0x2000 && r <= 0x200A,
		r == 0x2028, r == 0x2029, r == 0x202F, r == 0x205F, r == 0x3000, r == 0xFEFF:
		return true
	}
	return false
}

// space returns the length in bytes of the white-space character at the start
// of s, 0 when there is none.
func space(s string) int {
	if r, size := utf8.DecodeRuneInString(s); IsSpace(r) {
		return size
	}
	return 0
}

// Trim removes JavaScript's white space from both ends (loadout section 3.1).
func Trim(s string) string { return trim(s) }

// trim is Trim.
func trim(s string) string {
	for n := space(s); n > 0; n = space(s) {
		s = s[n:]
	}
	for {
		r, size := utf8.DecodeLastRuneInString(s)
		if !IsSpace(r) {
			return s
		}
		s = s[:len(s)-size]
	}
}
