package escape

import (
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/invisible"
)

// Opens reports whether text, which follows a "<", reads as the start of a tag of that
// name, with or without slashes before it and in any case of letters. A model reads
// letters that look alike, as character references and with blanks, invisible characters,
// comments, other tags and marks of Markdown between them: so does Opens. Name is in lower case. After
// is what follows the name, for a caller that distinguishes <ref> from <reference>.
func Opens(text, name string) (after string, ok bool) {
	c, rest := next(text)
	for strings.ContainsRune(slashes, c) {
		text = rest
		c, rest = next(text)
	}
	same, letters := 0, 0
	for _, want := range name {
		if want == '_' { // a blank, a hyphen, another sign between words or nothing is as good
			for c, rest = next(text); isSeparator(c); c, rest = next(text) {
				text = rest
			}
			continue
		}
		letters++
		c, rest = next(text)
		switch {
		case c == farComment || c == farTag && letters > 1:
			return "", true // what follows is out of sight
		case isLetter(c, want):
			same++
		case !isDisguise(c):
			return "", false
		}
		text = rest
	}
	if letters <= shortName && 2*same <= letters || 3*same < letters {
		return "", false // nothing but look-alikes reads as the name only where enough is of it
	}
	return strings.TrimLeftFunc(text, format), true
}

// shortName is how many letters a name has of which more than half must be its own; of a
// longer one, which no other word is like, a third.
const shortName = 8

// slashes are the characters that read as the slash of a closing tag.
const slashes = "/\u2044\u2215\u29f8\uff0f\u2571\u29f5\uff3c"

// isLetter reports whether a character reads as a small Latin letter.
func isLetter(c, want rune) bool {
	if unicode.ToLower(c) == want || invisible.LookAlike(c) == want {
		return true
	}
	like := invisible.LookAlike(c)
	return want == 'l' && (like == 'i' || strings.ContainsRune("iI1|", c)) || want == 'i' && (like == 'l' || strings.ContainsRune("lL1|", c)) || want == 'o' && c == '0'
}

// isDisguise reports a character that a reader may take for some letter: letters of other
// scripts, digits, and signs that are written for letters. A character that
// opens a tag is not one of them, so that no text is looked through twice.
func isDisguise(c rune) bool {
	if c < utf8.RuneSelf {
		return c >= '0' && c <= '9' || c != 0 && strings.ContainsRune("@$!|", c)
	}
	return (unicode.IsLetter(c) || unicode.IsNumber(c) || unicode.IsSymbol(c) || unicode.Is(unicode.Po, c)) && !strings.ContainsRune(angles, c)
}

// isSeparator reports a sign that may be between the words of a name.
func isSeparator(c rune) bool {
	if c < utf8.RuneSelf {
		return (unicode.IsPunct(c) || unicode.IsSymbol(c)) && !strings.ContainsRune("<>&\"'", c)
	}
	return unicode.In(c, unicode.Pd, unicode.Pc) || strings.ContainsRune("\u00b7\u2022\u2027\u2219\u22c5\u30fb\uff0e\uff0f\uff1a", c)
}

// maxMarkup is the longest comment or tag that is looked through, in bytes.
const maxMarkup = 4096

// farComment and farTag stand for one that is longer than that.
const farComment, farTag = unicode.MaxRune + 1, unicode.MaxRune + 2

// next returns the first character of a text that a lenient reader sees, and what
// follows it; 0 at the end. It looks through white space, invisible characters, marks on
// letters, comments, other tags, and the escapes and emphasis of Markdown.
func next(text string) (c rune, rest string) {
	for text != "" {
		c, size := utf8.DecodeRuneInString(text)
		switch c {
		case '&':
			if decoded, n := reference(text); n > 0 {
				c, size = decoded, n
			}
		case '<':
			switch n := markup(text); {
			case n > maxMarkup && strings.HasPrefix(text, "<!--"):
				return farComment, ""
			case n > maxMarkup:
				return farTag, ""
			case n > 0:
				text = text[n:]
				continue
			}
		}
		if !isInvisible(c) && !unicode.IsMark(c) && c != '\\' && c != '*' && c != '`' {
			return c, text[size:]
		}
		text = text[size:]
	}
	return 0, ""
}

// markup returns the length of the comment, declaration or tag that a text begins with:
// over maxMarkup when its end is further away, 0 when it begins with none.
func markup(text string) int {
	near := text[:min(len(text), maxMarkup)]
	if inner, ok := strings.CutPrefix(near, "<!--"); ok {
		for _, short := range []string{">", "->"} {
			if strings.HasPrefix(inner, short) {
				return len("<!--") + len(short)
			}
		}
		for _, mark := range []string{"-->", "--!>"} {
			if n := strings.Index(inner, mark); n >= 0 {
				return len("<!--") + n + len(mark)
			}
		}
		return beyond(text)
	}
	if len(near) < 2 || near[1] != '/' && near[1] != '!' && near[1] != '?' && !unicode.IsLetter(rune(near[1])) {
		return 0
	}
	quote := byte(0)
	for i := 1; i < len(near); i++ {
		switch c := near[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && near[i-1] == '=':
			quote = c
		case c == '<', c == '\n' && near[i-1] == '\n':
			return 0
		case c == '>':
			return i + 1
		}
	}
	return beyond(text)
}

// beyond is the length of what has no end in the first bytes of a text.
func beyond(text string) int {
	if len(text) > maxMarkup {
		return maxMarkup + 1
	}
	return 0
}

// maxName is the longest name of a character reference, in bytes.
const maxName = 33

// reference decodes the character reference that a text begins with, with or without the
// semicolon at its end; size is 0 when it begins with none.
func reference(text string) (c rune, size int) {
	if len(text) < 3 {
		return 0, 0
	}
	if text[1] == '#' {
		return number(text)
	}
	end := 1
	for end < min(len(text), maxName) && (text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z' || text[end] >= '0' && text[end] <= '9') {
		end++
	}
	if end < len(text) && text[end] == ';' {
		end++
	}
	decoded := html.UnescapeString(text[:end])
	c, n := utf8.DecodeRuneInString(decoded)
	if size = end - (len(decoded) - n); decoded == text[:end] || !strings.HasSuffix(text[:end], decoded[n:]) {
		return 0, 0
	}
	if text[end-1] == ';' && n < len(decoded) && utf8.RuneCountInString(decoded) == 2 { // a character with a mark on it
		size = end
	}
	return c, size
}

// number decodes a reference by number, with any number of zeros before it.
func number(text string) (c rune, size int) {
	i, base := 2, rune(10)
	if text[i]|0x20 == 'x' {
		i, base = 3, 16
	}
	from := i
	for ; i < len(text); i++ {
		digit := rune(-1)
		switch d := text[i]; {
		case d >= '0' && d <= '9':
			digit = rune(d - '0')
		case base == 16 && d|0x20 >= 'a' && d|0x20 <= 'f':
			digit = rune(d|0x20-'a') + 10
		}
		if digit < 0 {
			break
		}
		c = min(c*base+digit, unicode.MaxRune+1)
	}
	if i == from {
		return 0, 0
	}
	if i < len(text) && text[i] == ';' {
		i++
	}
	c, _ = utf8.DecodeRuneInString(html.UnescapeString("&#" + strconv.Itoa(int(c)) + ";")) // some stand for others
	return c, i
}

// isInvisible reports white space, control and format characters.
func isInvisible(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

// format reports what is invisible except for white space, which ends a name.
func format(r rune) bool { return isInvisible(r) && !unicode.IsSpace(r) }
