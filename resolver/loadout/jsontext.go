package loadout

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendString appends s as a JSON string the way JavaScript prints it
// (loadout section 3.6): only the quote, the backslash, controls below U+0020
// and lone surrogates are escaped. Bytes that are neither UTF-8 nor a lone
// surrogate in WTF-8 form become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, c)
			i++
			start = i
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[i:]); size > 1 {
			i += size
			continue
		}
		dst = append(dst, s[start:i]...)
		if unit, ok := loneSurrogate(s[i:]); ok {
			dst = appendUnitEscape(dst, unit)
			i += 3
		} else {
			dst = appendText(dst, "\uFFFD")
			i++
		}
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

const hexDigits = "0123456789abcdef"

// appendEscape appends the escape of one ASCII byte that cannot stand for itself.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return appendUnitEscape(dst, uint16(c))
}

// appendUnitEscape appends \uxxxx for one UTF-16 unit.
func appendUnitEscape(dst []byte, u uint16) []byte {
	return append(dst, '\\', 'u', hexDigits[u>>12], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}

// loneSurrogate decodes the WTF-8 form of a lone surrogate at the start of s.
func loneSurrogate(s string) (unit uint16, ok bool) {
	if len(s) < 3 || s[0] != 0xED || s[1] < 0xA0 || s[1] > 0xBF || s[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | uint16(s[1]&0x3F)<<6 | uint16(s[2]&0x3F), true
}

// AppendNumber appends a number the way JavaScript prints it in JSON
// (loadout section 3.5): shortest digits that read back equal, an exponent
// only from 1e21 up and below 1e-6, and null for NaN and the infinities.
func AppendNumber(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return appendText(dst, "null")
	}
	if f == 0 {
		return append(dst, '0')
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return strconv.AppendInt(dst, int64(f), 10)
	}
	abs := math.Abs(f)
	if abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// Go pads the exponent to two digits: 1e-07 is 1e-7 in JavaScript.
	if n := len(dst); n-start >= 4 && dst[n-4] == 'e' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// appendText is append of a text. As a function that is not inlined it takes
// tens of kilobytes off the browser build, which writes many short texts.
//
//go:noinline
func appendText(dst []byte, text string) []byte {
	return append(dst, text...)
}

// comma appends a comma to a list or an object, unless it is empty so far. As appendText,
// it is not inlined for the sake of the browser build.
//
//go:noinline
func comma(dst []byte) []byte {
	if c := dst[len(dst)-1]; c != '[' && c != '{' {
		dst = append(dst, ',')
	}
	return dst
}

// appendStrings appends a JSON array of strings.
func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for _, s := range list {
		dst = AppendString(comma(dst), s)
	}
	return append(dst, ']')
}

// AppendKey appends a key to an object, with a comma before it where it is not the first.
func AppendKey(dst []byte, key string) []byte {
	return append(AppendString(comma(dst), key), ':')
}

// appendBool appends true or false.
func appendBool(dst []byte, b bool) []byte {
	if b {
		return appendText(dst, "true")
	}
	return appendText(dst, "false")
}

// unquote decodes a JSON string literal, quotes included, to WTF-8. Text
// without an escape is returned as it is, without a copy.
func unquote(lit string) string {
	if len(lit) < 2 {
		return ""
	}
	s := lit[1 : len(lit)-1]
	i := 0
	for i < len(s) && s[i] != '\\' {
		i++
	}
	if i == len(s) {
		return s
	}
	return string(appendUnquoted(make([]byte, 0, len(s)), s))
}

// appendUnquoted appends the text between the quotes of a JSON string, decoded.
func appendUnquoted(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 >= len(s) {
			dst = append(dst, s[i])
			i++
			continue
		}
		switch c := s[i+1]; c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			if u, ok := HexUnit(s[i+2:]); ok {
				dst = AppendUnit(dst, u)
				i += 6
				continue
			}
			dst = append(dst, c)
		default:
			dst = append(dst, c)
		}
		i += 2
	}
	return dst
}

// HexUnit reads the four hexadecimal digits of a \u escape at the start of s.
func HexUnit[T string | []byte](s T) (u uint16, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for i := range 4 {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		u = u<<4 | uint16(c)
	}
	return u, true
}

// AppendUnit appends one UTF-16 unit as WTF-8. A low surrogate that follows a
// high one joins it to the character the two stand for.
func AppendUnit(dst []byte, u uint16) []byte {
	if u < 0xD800 || u > 0xDFFF {
		return utf8.AppendRune(dst, rune(u))
	}
	if n := len(dst); u >= 0xDC00 && n >= 3 {
		if high, ok := loneSurrogate(string(dst[n-3:])); ok && high < 0xDC00 {
			r := 0x10000 + (rune(high)-0xD800)<<10 + (rune(u) - 0xDC00)
			return utf8.AppendRune(dst[:n-3], r)
		}
	}
	return append(dst, 0xED, byte(0x80|u>>6&0x3F), byte(0x80|u&0x3F))
}
