package secret

import "strings"

// longWords say wherever they are that a value is made up to be read.
var longWords = [...]string{
	"example", "placeholder", "redacted", "changeme", "change-me", "change_me", "goeshere", "notreal", "not-real", "not_real",
	"keyhere", "tokenhere", "secrethere", "yourtoken", "yourkey", "yourprivate", "yoursecret", "yourpassword", "yourapi", "mysecret", "mypassword",
	"removed", "replace", "truncated", "omitted",
}

// shortWords do so as a part of their own; in a row of random characters they
// could be by chance.
var shortWords = [...]string{"your", "fake", "dummy", "sample", "todo", "insert", "mock", "xxx", "abc", "foo", "bar", "foobar", "here", "none", "null", "test1234"}

// saysPlaceholder reports a token that is made up to be read: it says so, or most
// of it is a row of crosses, noughts, stars or dots.
func saysPlaceholder(word string) bool {
	text := strings.ToLower(word[:min(len(word), maxToken)])
	for _, say := range longWords {
		if strings.Contains(text, say) {
			return true
		}
	}
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == '-' || c == '_' || c == '.' || c == ' ' }) {
		for _, say := range shortWords {
			if part == say {
				return true
			}
		}
	}
	marks := 0
	for i := range len(text) {
		switch text[i] {
		case 'x', '*', '.', '0', '#', '_':
			marks++
		}
	}
	return 2*marks >= len(text) && longestRow(text, "x*.0#_") >= 4
}

// longestRow is the length of the longest row of one of some characters.
func longestRow(text, of string) int {
	best, n := 0, 0
	for i := range len(text) {
		switch {
		case strings.IndexByte(of, text[i]) < 0:
			n = 0
		case i > 0 && text[i] == text[i-1]:
			n++
		default:
			n = 1
		}
		best = max(best, n)
	}
	return best
}

// different counts the different bytes of a text, up to a limit.
func different(text string, limit int) int {
	n := 0
	for i := range len(text) {
		if strings.IndexByte(text[:i], text[i]) < 0 {
			if n++; n == limit {
				break
			}
		}
	}
	return n
}

// fewCharacters reports a value of at most three different characters.
func fewCharacters(value string) bool { return different(value, 4) < 4 }

// longestWord is the longest row of letters that passes for a word.
const longestWord = 20

// readsAsWords reports words that are joined in camel case, with underscores or
// dashes, or not at all: most letters are in rows of four and more that change
// case at their start only, capitals and digits are few, and there are vowels. In
// random text one of these fails.
func readsAsWords(text string) bool {
	var letters, capitals, digits, vowels, inWords, row int
	flush := func() {
		if row >= 4 && row <= longestWord {
			inWords += row
		}
		row = 0
	}
	for i := range len(text) {
		c := text[i]
		if !isLetter(c) {
			flush()
			if isDigit(c) {
				digits++
			}
			continue
		}
		switch {
		case isUpper(c) && i > 0 && isLower(text[i-1]):
			flush()
		case isLower(c) && i > 1 && isUpper(text[i-1]) && isUpper(text[i-2]):
			row-- // the capital belongs to this word
			flush()
			row = 1
		}
		letters++
		row++
		if isUpper(c) {
			capitals++
		}
		if strings.IndexByte("aeiouyAEIOUY", c) >= 0 {
			vowels++
		}
	}
	flush()
	if capitals == letters && digits > 0 && !strings.ContainsAny(text, "_-") {
		return false
	}
	return letters > 0 && 10*inWords >= 6*letters && 10*digits <= letters+digits && 4*vowels >= letters &&
		(capitals == letters || 10*capitals <= 3*letters)
}
