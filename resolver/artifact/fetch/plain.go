package fetch

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of a server's own words stands in a message, in bytes.
const (
	maxURL  = 512
	maxSaid = 200
)

// plain makes a server's text fit for one line of a terminal: valid UTF-8,
// without control, format and separator characters, at most limit bytes.
func plain(text string, limit int) string {
	if len(text) > 4*limit {
		text = text[:4*limit]
	}
	var b strings.Builder
	space := false
	for _, r := range text {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			continue
		}
		if b.Len()+utf8.RuneLen(r)+1 > limit {
			return b.String() + "…"
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
