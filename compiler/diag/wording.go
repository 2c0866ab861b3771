package diag

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// GivenTwice is the message for a key that one object or mapping holds twice, in
// whatever format: one fault reads the same everywhere.
func GivenTwice(key string, firstLine int) string {
	return fmt.Sprintf("key %q is given twice; the first is on line %d", key, firstLine)
}

// Cut returns the start of a text in at most that many bytes, whole characters.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// Clip is Cut for a message: an ellipsis takes the place of what is left out.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return Cut(text, most) + "…"
}

// OneLine is Clip for a text of several lines, which it returns on one.
func OneLine(text string, most int) string {
	return Clip(strings.Join(strings.Fields(text), " "), most)
}
