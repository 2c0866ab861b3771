package fetch

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of a server's own words is in a message, in bytes.
const (
	maxURL    = 512
	maxQuoted = 200
)

// plain makes a server's text fit for one line of a terminal: valid UTF-8,
// without control, format and separator characters, at most limit bytes and
// then an ellipsis.
func plain(text string, limit int) string {
	if len(text) > 4*limit {
		text = text[:4*limit]
	}
	var b strings.Builder
	space := 0 // bytes of the space that is due
	for _, r := range text {
		if unicode.IsSpace(r) {
			space = min(1, b.Len())
			continue
		}
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			continue
		}
		if b.Len()+space+utf8.RuneLen(r) > limit {
			return b.String() + "…"
		}
		b.WriteString(" "[:space])
		space = 0
		b.WriteRune(r)
	}
	return b.String()
}
