package escape

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Opens reports whether text, which follows a "<", reads as the start of a tag
// of that name, with or without a "/" before it and in any case of letters. Name
// is in lower case. After is what follows the name, for a caller that distinguishes
// <ref> from <reference>.
func Opens(text, name string) (after string, ok bool) {
	text = strings.TrimLeftFunc(text, isInvisible)
	if strings.HasPrefix(text, "/") {
		text = strings.TrimLeftFunc(text[1:], isInvisible)
	}
	for _, want := range name {
		r, size := utf8.DecodeRuneInString(text)
		if unicode.ToLower(r) != want {
			return "", false
		}
		text = strings.TrimLeftFunc(text[size:], format)
	}
	return text, true
}

// isInvisible reports white space, control and format characters.
func isInvisible(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

// format reports what is invisible except for white space, which ends a name.
func format(r rune) bool { return isInvisible(r) && !unicode.IsSpace(r) }
