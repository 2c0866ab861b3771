package token

// unitsPerToken is the number of UTF-16 code units that count as one token.
const unitsPerToken = 4

// Estimate returns the token estimate of a text: its UTF-16 code units divided
// by four, rounded up. Empty text costs nothing.
func Estimate[T string | []byte](text T) int {
	return Of(Units(text))
}

// Of returns the token estimate of a text with that many UTF-16 code units.
func Of(units int) int {
	return (units + unitsPerToken - 1) / unitsPerToken
}

// Units counts the UTF-16 code units of UTF-8 text. A character above U+FFFF
// counts two; a byte that is not UTF-8 counts one, as the replacement character
// it decodes to. Lone surrogates in WTF-8 form (three bytes) count one.
func Units[T string | []byte](text T) int {
	n := 0
	for i := 0; i < len(text); {
		size, units := sequence(text[i:])
		i += size
		n += units
	}
	return n
}

// sequence returns the length in bytes of the UTF-8 (or WTF-8) sequence that
// starts text, and the UTF-16 units it stands for. It is written out so that
// the kernel can use it on strings and bytes without a conversion.
func sequence[T string | []byte](text T) (size, units int) {
	c := text[0]
	switch {
	case c < 0x80:
		return 1, 1
	case c >= 0xc2 && c <= 0xdf && continues(text, 1):
		return 2, 1
	case c == 0xe0 && continues(text, 2) && text[1] >= 0xa0,
		c > 0xe0 && c <= 0xef && continues(text, 2):
		return 3, 1
	case c == 0xf0 && continues(text, 3) && text[1] >= 0x90,
		c > 0xf0 && c < 0xf4 && continues(text, 3),
		c == 0xf4 && continues(text, 3) && text[1] <= 0x8f:
		return 4, 2
	}
	return 1, 1
}

// continues reports whether text has n continuation bytes after its first.
func continues[T string | []byte](text T, n int) bool {
	if len(text) <= n {
		return false
	}
	for i := 1; i <= n; i++ {
		if text[i]&0xc0 != 0x80 {
			return false
		}
	}
	return true
}
