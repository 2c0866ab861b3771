package templates

import "strings"

// AppendText appends text of a pack to HTML as text between tags: it means
// itself, whatever it holds. A quote stays a quote, so the result must not be
// in an attribute. NUL, which has no place in HTML, becomes U+FFFD.
func AppendText[T string | []byte](b []byte, text T) []byte { return appendEscaped(b, text, false) }

// appendAttr appends an attribute to a tag of HTML, with quotes where its value
// needs them: they are on every link of every page. Control characters of the
// value, line breaks above all, become spaces.
func appendAttr(b []byte, name, value string) []byte {
	b = append(append(append(b, ' '), name...), '=')
	if needsNoQuotes(value) {
		return append(b, value...)
	}
	value = strings.Map(func(r rune) rune {
		if 0 < r && r < ' ' {
			return ' '
		}
		return r
	}, value)
	return append(appendEscaped(append(b, '"'), value, true), '"')
}

// appendEscaped appends text with what means something in HTML, and NUL, made
// harmless; quotes too where they are asked for.
func appendEscaped[T string | []byte](b []byte, text T, quotes bool) []byte {
	start := 0
	for i := 0; i < len(text); i++ {
		var with string
		switch c := text[i]; {
		case c == '&':
			with = "&amp;"
		case c == '<':
			with = "&lt;"
		case c == '>':
			with = "&gt;"
		case c == '"' && quotes:
			with = "&#34;"
		case c == '\'' && quotes:
			with = "&#39;"
		case c == 0:
			with = "\ufffd"
		default:
			continue
		}
		b = append(b, text[start:i]...)
		b = append(b, with...)
		start = i + 1
	}
	return append(b, text[start:]...)
}

// needsNoQuotes reports whether an attribute's value can be without quotes:
// letters, digits and "-._#/", not ending in a slash, which could be read as part
// of the tag. Nearly all addresses and ids of a site are such.
func needsNoQuotes(value string) bool {
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '-', c == '.', c == '_', c == '#', c == '/':
		default:
			return false
		}
	}
	return value != "" && value[len(value)-1] != '/'
}
