package article

import "strings"

const hexDigits = "0123456789ABCDEF"

// EscapePath percent-encodes a slash path for use in a URL and in an HTML
// attribute: whatever is not a letter, a digit or harmless punctuation.
func EscapePath(p string) string {
	return escapeURL(p, "-._~/:@!$()*+,;=")
}

// EscapeFragment percent-encodes a fragment. Letters of other scripts are
// encoded too: browsers decode them before they look for the id.
func EscapeFragment(f string) string {
	return escapeURL(f, "-._~/:@!$()*+,;=?")
}

func escapeURL(s, keep string) string {
	clean := true
	for i := 0; i < len(s); i++ {
		if !plain(s[i]) && strings.IndexByte(keep, s[i]) < 0 {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	b := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if plain(c) || strings.IndexByte(keep, c) >= 0 {
			b = append(b, c)
			continue
		}
		b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
	}
	return string(b)
}

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
