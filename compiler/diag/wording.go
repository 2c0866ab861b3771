package diag

import "fmt"

// GivenTwice is the message for a key that one object or mapping holds twice, in
// whatever format: one fault reads the same everywhere.
func GivenTwice(key string, firstLine int) string {
	return fmt.Sprintf("key %q is given twice; the first is on line %d", key, firstLine)
}

// Clip shortens text for a message to at most that many bytes, at a character boundary.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xc0 == 0x80 {
		most--
	}
	return text[:most] + "…"
}
