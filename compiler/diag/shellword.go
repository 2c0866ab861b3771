package diag

import (
	"strings"
	"unicode"
)

// ShellWord quotes text for a shell.
func ShellWord(s string) string {
	special := func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && r != '/' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	if !strings.HasPrefix(s, "-") && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(Printable(s), "'", `'\''`) + "'"
}
