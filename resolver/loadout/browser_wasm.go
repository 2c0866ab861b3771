package loadout

import "math"

// keepsHeld says that nothing is kept of few entries, to stay small.
const keepsHeld = false

// parseNumber reads a decimal number as JSON writes it. strconv.ParseFloat
// would add 25 KB to the browser build, which gets all its numbers ready made
// from index.bin: only compatibility mode reads a number from text, where an
// estimate is one. With up to 15 digits and an exponent within 22, which is
// all that such text ever holds, the result is correctly rounded; beyond that
// the last digit may differ.
func parseNumber(text string) (f float64, ok bool) {
	i, negative := 0, false
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		negative = text[i] == '-'
		i++
	}
	exponent, digits, point := 0, 0, false
	for ; i < len(text); i++ {
		c := text[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		f = f*10 + float64(c-'0')
		digits++
		if point {
			exponent--
		}
	}
	if digits == 0 {
		return 0, false
	}
	if i < len(text) {
		e, ok := parseExponent(text[i:])
		if !ok {
			return 0, false
		}
		exponent += e
	}
	f = scale(f, exponent)
	if negative {
		f = -f
	}
	return f, !math.IsInf(f, 0)
}

// parseExponent reads "e", a sign and digits.
func parseExponent(text string) (e int, ok bool) {
	if text[0] != 'e' && text[0] != 'E' {
		return 0, false
	}
	i, negative := 1, false
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		negative = text[i] == '-'
		i++
	}
	if i == len(text) {
		return 0, false
	}
	for ; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		e = min(e*10+int(text[i]-'0'), 10_000)
	}
	if negative {
		e = -e
	}
	return e, true
}

// scale returns f times ten to the power e.
func scale(f float64, e int) float64 {
	power := 1.0
	for range min(max(e, -e), 400) {
		power *= 10
	}
	if e < 0 {
		return f / power
	}
	return f * power
}

// castagnoli is the reversed polynomial of CRC-32C.
const castagnoli = 0x82f63b78

// checksum returns the CRC-32C of b. The standard library's costs 12 KB of
// gzipped WebAssembly, this one next to nothing.
func checksum(b []byte) uint32 { return extendChecksum(0, b) }

// extendChecksum returns the checksum of what sum is that of, and b after it.
func extendChecksum(sum uint32, b []byte) uint32 {
	var table [256]uint32
	for i := range table {
		c := uint32(i)
		for range 8 {
			if c&1 != 0 {
				c = c>>1 ^ castagnoli
			} else {
				c >>= 1
			}
		}
		table[i] = c
	}
	crc := ^sum
	for _, v := range b {
		crc = table[byte(crc)^v] ^ crc>>8
	}
	return ^crc
}

// AppendKeys appends keys as JSON. Only the browser asks for it.
func AppendKeys(dst []byte, keys []string) []byte {
	return append(appendStrings(appendText(dst, `{"keys":`), keys), '}')
}

// isIdle reports a stem that says nothing about a task. A map of them would add 6 KB.
func isIdle(stem []byte) bool {
	for at := 0; at+len(stem)+2 <= len(idle); at++ {
		if idle[at] == ' ' && idle[at+1+len(stem)] == ' ' && idle[at+1:at+1+len(stem)] == string(stem) {
			return true
		}
	}
	return false
}
