package prose

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// MaxWord is the longest word that is compared, in bytes.
const MaxWord = 24

// IsLetter reports an ASCII letter.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// IsDigit reports an ASCII digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsBlank reports a blank, a tab or a line end.
func IsBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// IsWordRune reports a letter or digit of any script.
func IsWordRune(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// WordEnd returns the offset after the word that starts at i: ASCII letters and
// digits, "_", letters of European scripts, so that no English word is found
// inside one of another language, and apostrophes between letters. Chinese and
// its like end a word, since they are written without blanks around it.
func WordEnd(text []byte, i int) int {
	for i < len(text) {
		n := wordBytes(text[i:])
		if n == 0 && !isApostrophe(text, i) {
			break
		}
		i += max(n, 1)
	}
	return i
}

// wordBytes returns the length of the character at the start of text when it
// belongs to a word, otherwise 0.
func wordBytes(text []byte) int {
	switch c := text[0]; {
	case IsLetter(c), IsDigit(c), c == '_':
		return 1
	case c < 0x80:
		return 0
	}
	c, size := utf8.DecodeRune(text)
	if isEuropean(c) {
		return size
	}
	return 0
}

// isEuropean reports letters and marks of Latin, Greek, Cyrillic, Armenian.
func isEuropean(c rune) bool {
	return c < 0x0590 && (unicode.IsLetter(c) || unicode.IsMark(c))
}

// isApostrophe reports an apostrophe between two letters.
func isApostrophe(text []byte, i int) bool {
	return text[i] == '\'' && i > 0 && i+1 < len(text) && IsLetter(text[i-1]) && IsLetter(text[i+1])
}

// Lower returns a word in lower case; "" when it is longer than MaxWord.
func Lower(word []byte) string {
	if len(word) > MaxWord {
		return ""
	}
	var buf [MaxWord]byte
	for i, c := range word {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		buf[i] = c
	}
	return string(buf[:len(word)])
}

// maxGap is the longest stretch between two words of one phrase, in bytes:
// blanks, a line end, the marks of emphasis, quotes and lists.
const maxGap = 16

// NextWord returns the word after an offset, in lower case, and where it ends. It
// is "" where a sentence or paragraph ends first.
func NextWord(text []byte, at int) (word string, end int) {
	start := at
	for start < len(text) && wordBytes(text[start:]) == 0 {
		if start-at >= maxGap || EndsSentence(text, start) {
			return "", at
		}
		_, size := utf8.DecodeRune(text[start:])
		start += size
	}
	end = WordEnd(text, start)
	return Lower(text[start:end]), end
}

// PreviousWord returns the word before an offset, in lower case, and where it
// starts; "" where a sentence, clause or paragraph begins.
func PreviousWord(text []byte, at int) (word string, start int) {
	end := at
	for end > 0 && !EndsInWord(text[:end]) {
		end--
		switch c := text[end]; {
		case at-end > maxGap, EndsSentence(text, end):
			return "", at
		case c == '*', IsBlank(c):
		default:
			return "", at
		}
	}
	start = end
	for start > 0 && end-start <= MaxWord && (EndsInWord(text[:start]) || text[start-1] == '\'') {
		_, size := utf8.DecodeLastRune(text[:start])
		start -= size
	}
	return Lower(text[start:end]), start
}

// EndsInWord reports whether the last character of a text, which is not empty,
// belongs to a word.
func EndsInWord(text []byte) bool {
	if c := text[len(text)-1]; c < 0x80 {
		return IsLetter(c) || IsDigit(c) || c == '_'
	}
	c, _ := utf8.DecodeLastRune(text)
	return isEuropean(c)
}

// EndsSentence reports whether the byte at i ends a sentence or a paragraph.
func EndsSentence(text []byte, i int) bool {
	switch text[i] {
	case '.', '!', '?':
		return i+1 == len(text) || IsBlank(text[i+1])
	case '\n':
		rest := bytes.TrimLeft(text[i+1:min(len(text), i+1+maxGap)], " \t\r")
		return len(rest) > 0 && rest[0] == '\n'
	}
	return false
}
