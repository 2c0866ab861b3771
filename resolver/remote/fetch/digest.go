package fetch

import "strings"

const digestPrefix = "sha256:"

// isDigest reports "sha256:" and 64 lower-case hex digits.
func isDigest(s string) bool {
	hex, found := strings.CutPrefix(s, digestPrefix)
	return found && isHex(hex)
}

// isHex reports 64 lower-case hex digits.
func isHex(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }
