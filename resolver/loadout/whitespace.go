package loadout

// space returns the length in bytes of the white-space character at the start
// of s, 0 when there is none. The set is JavaScript's (loadout section 3.1):
// it has U+FEFF and lacks U+0085, the other way round from Go's unicode.IsSpace.
func space(s string) int {
	if s == "" {
		return 0
	}
	c := s[0]
	switch {
	case c >= '\t' && c <= '\r', c == ' ':
		return 1
	case c == 0xC2:
		if len(s) > 1 && s[1] == 0xA0 { // U+00A0
			return 2
		}
	case c >= 0xE1 && c <= 0xEF && len(s) > 2:
		switch s[:3] {
		case "\u1680", "\u2028", "\u2029", "\u202F", "\u205F", "\u3000", "\uFEFF":
			return 3
		}
		if c == 0xE2 && s[1] == 0x80 && s[2] >= 0x80 && s[2] <= 0x8A { // U+2000 to U+200A
			return 3
		}
	}
	return 0
}

// Trim removes JavaScript's white space from both ends (loadout section 3.1).
func Trim(s string) string { return trim(s) }

// trim is Trim.
func trim(s string) string {
	for {
		n := space(s)
		if n == 0 {
			break
		}
		s = s[n:]
	}
	for s != "" {
		n := spaceBefore(s)
		if n == 0 {
			break
		}
		s = s[:len(s)-n]
	}
	return s
}

// spaceBefore returns the length of the white-space character that ends s, 0
// when there is none.
func spaceBefore(s string) int {
	for n := 1; n <= 3 && n <= len(s); n++ {
		if space(s[len(s)-n:]) == n {
			return n
		}
	}
	return 0
}
