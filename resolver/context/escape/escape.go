package escape

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/invisible"
)

// Opens reports whether text, which follows a "<", reads as the start of a tag of that
// name, with or without slashes before it and in any case of letters. A model reads
// letters that look alike, as character references and with blanks, invisible characters,
// comments and marks of Markdown between them: so does Opens. Name is in lower case. After
// is what follows the name, for a caller that distinguishes <ref> from <reference>.
func Opens(text, name string) (after string, ok bool) {
	c, rest := next(text)
	for strings.ContainsRune(slashes, c) {
		text = rest
		c, rest = next(text)
	}
	same, letters := 0, 0
	for _, want := range name {
		c, rest = next(text)
		if want == '_' { // a blank, a hyphen or nothing is as good
			if c == '_' || unicode.In(c, unicode.Pd, unicode.Pc) {
				text = rest
			}
			continue
		}
		letters++
		switch {
		case isLetter(c, want):
			same++
		case !isDisguise(c):
			return "", false
		}
		text = rest
	}
	if 2*same <= letters { // the rest reads as the others only between more than half of them
		return "", false
	}
	return strings.TrimLeftFunc(text, format), true
}

// slashes are the characters that read as the slash of a closing tag.
const slashes = "/\u2044\u2215\u29f8\uff0f\u2571\u29f5\uff3c"

// isLetter reports whether a character reads as a small Latin letter.
func isLetter(c, want rune) bool {
	if unicode.ToLower(c) == want || invisible.LookAlike(c) == want {
		return true
	}
	return want == 'l' && strings.ContainsRune("iI1|", c) || want == 'i' && strings.ContainsRune("lL1|", c) || want == 'o' && c == '0'
}

// isDisguise reports a character that a reader may take for some letter: letters of other
// scripts, digits, and signs that are written for letters. A character that
// opens a tag is not one of them, so that no text is looked through twice.
func isDisguise(c rune) bool {
	if c < utf8.RuneSelf {
		return c >= '0' && c <= '9' || c != 0 && strings.ContainsRune("@$!|", c)
	}
	return (unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.Is(unicode.So, c)) && !strings.ContainsRune(angles, c)
}

// Longest comment and character reference that are looked through, in bytes.
const maxComment, maxReference = 200, 40

// next returns the first character of a text that a lenient reader sees, and what
// follows it; 0 at the end. It looks through white space, invisible characters, accents,
// comments, and the escapes and emphasis of Markdown.
func next(text string) (c rune, rest string) {
	for text != "" {
		c, size := utf8.DecodeRuneInString(text)
		switch {
		case c == '&':
			if decoded, n := reference(text); n > 0 {
				c, size = decoded, n
			}
		case c == '<' && strings.HasPrefix(text, "<!--"):
			if n := strings.Index(text[:min(len(text), maxComment)], "-->"); n > 0 {
				text = text[n+len("-->"):]
				continue
			}
		}
		if !isInvisible(c) && !unicode.Is(unicode.Mn, c) && c != '\\' && c != '*' && c != '`' {
			return c, text[size:]
		}
		text = text[size:]
	}
	return 0, ""
}

// reference decodes the character reference that a text begins with; size is 0 when it
// begins with none.
func reference(text string) (c rune, size int) {
	end := strings.IndexByte(text[:min(len(text), maxReference)], ';')
	if end < 2 || text[1] != '#' && !unicode.IsLetter(rune(text[1])) {
		return 0, 0
	}
	written := text[:end+1]
	decoded := html.UnescapeString(written)
	if c, size = utf8.DecodeRuneInString(decoded); size != len(decoded) {
		return 0, 0
	}
	return c, len(written)
}

// isInvisible reports white space, control and format characters.
func isInvisible(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

// format reports what is invisible except for white space, which ends a name.
func format(r rune) bool { return isInvisible(r) && !unicode.IsSpace(r) }
