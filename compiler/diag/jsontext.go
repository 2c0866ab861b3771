package diag

import (
	"bytes"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/invisible"
)

// EscapeJSON returns JSON with every character in it that [Printable] escapes written as
// \uXXXX, so that what is printed cannot control a terminal or hide text from whoever reads the
// bytes. The values stay the same.
func EscapeJSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, func(c rune) bool { return c >= 0x7F }) {
		return text
	}
	runs := invisible.Find(text)
	var out bytes.Buffer
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		for len(runs) > 0 && runs[0].End <= i {
			runs = runs[1:]
		}
		switch unseen := c >= 0x7F && hidden(c) || len(runs) > 0 && runs[0].Start <= i; {
		case unseen && c > 0xFFFF:
			c -= 0x10000
			writeJSONEscape(&out, 0xD800+c>>10)
			writeJSONEscape(&out, 0xDC00+c&0x3FF)
		case unseen:
			writeJSONEscape(&out, c)
		default:
			out.Write(text[i : i+size])
		}
		i += size
	}
	return out.Bytes()
}

func writeJSONEscape(b *bytes.Buffer, c rune) {
	const hex = "0123456789abcdef"
	b.WriteString("\\u")
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte(hex[c>>shift&0xf])
	}
}
