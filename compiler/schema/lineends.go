package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// HasSum reports whether data has a SHA-256, as records have it: 64 lower-case hex digits.
// A text has it also where only its line ends differ, all LF or all CRLF, because git
// changes these from one checkout to the next.
func HasSum(data []byte, sum string) bool {
	if sum == "" {
		return false
	}
	if SHA256(data) == sum {
		return true
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return false
	}
	lf := WithLF(data)
	return len(lf) < len(data) && SHA256(lf) == sum || SHA256(bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n"))) == sum
}

// WithLF returns a text with LF where it has CRLF.
func WithLF(text []byte) []byte {
	if !bytes.Contains(text, []byte("\r\n")) {
		return text
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}

// SHA256 is a SHA-256 as records have it: 64 lower-case hex digits.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
