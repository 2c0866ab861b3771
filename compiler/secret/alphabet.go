package secret

// An alphabet says which bytes a part of a token may hold.
type alphabet func(byte) bool

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool  { return c >= 'a' && c <= 'z' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isHex(c byte) bool     { return isDigit(c) || c >= 'a' && c <= 'f' }
func isCapital(c byte) bool { return isUpper(c) || isDigit(c) }
func isSmall(c byte) bool   { return isLower(c) || isDigit(c) }
func isPlain(c byte) bool   { return isLetter(c) || isDigit(c) }
func isBase64(c byte) bool  { return isPlain(c) || c == '+' || c == '/' || c == '=' }
func isDotted(c byte) bool  { return isTokenRest(c) || c == '.' }

// isTokenByte reports a byte that may begin a token.
func isTokenByte(c byte) bool { return isPlain(c) || c == '_' }

// isTokenRest reports a byte that may continue a token.
func isTokenRest(c byte) bool { return isTokenByte(c) || c == '-' }

// run returns the end of the bytes of an alphabet from an offset on, at most most
// of them.
func run(text []byte, at, most int, of alphabet) int {
	limit := min(len(text), at+most)
	for at < limit && of(text[at]) {
		at++
	}
	return at
}

// only reports whether a text holds nothing but bytes of an alphabet.
func only(text string, of alphabet) bool {
	for i := range len(text) {
		if !of(text[i]) {
			return false
		}
	}
	return true
}

// isUUID reports a text such as 8f14e45f-ceea-467f-a8f0-9f1b2c3d4e5f.
func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		switch i {
		case 8, 13, 18, 23:
			if text[i] != '-' {
				return false
			}
		default:
			if !isHex(text[i] | 0x20) {
				return false
			}
		}
	}
	return true
}
