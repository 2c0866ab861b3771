package lint

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// maxWord is the longest word that a phrase can hold, in bytes.
const maxWord = 24

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// wordEnd returns the offset after the word that starts at i: ASCII letters and
// digits, "_", letters of European scripts, so that no English word is found
// inside one of another language, and apostrophes between letters. Chinese and
// its like end a word, since they are written without blanks around it.
func wordEnd(text []byte, i int) int {
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
// belongs to a word, else 0.
func wordBytes(text []byte) int {
	switch c := text[0]; {
	case isLetter(c), isDigit(c), c == '_':
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
	return text[i] == '\'' && i > 0 && i+1 < len(text) && isLetter(text[i-1]) && isLetter(text[i+1])
}

// lower returns a word in lower case; "" when it is too long for a phrase.
func lower(word []byte) string {
	if len(word) > maxWord {
		return ""
	}
	var buf [maxWord]byte
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

// nextWord returns the word after an offset, in lower case, and where it ends. It
// is "" where a sentence or paragraph ends first.
func nextWord(text []byte, at int) (word string, end int) {
	start := at
	for start < len(text) && wordBytes(text[start:]) == 0 {
		if start-at >= maxGap || endsSentence(text, start) {
			return "", at
		}
		_, size := utf8.DecodeRune(text[start:])
		start += size
	}
	end = wordEnd(text, start)
	return lower(text[start:end]), end
}

// previousWord returns the word before an offset, in lower case, and where it
// starts; "" where a sentence, clause or paragraph begins.
func previousWord(text []byte, at int) (word string, start int) {
	end := at
	for end > 0 && !endsInWord(text[:end]) {
		end--
		switch c := text[end]; {
		case at-end > maxGap, endsSentence(text, end):
			return "", at
		case c == '*', isBlank(c):
		default:
			return "", at
		}
	}
	start = end
	for start > 0 && end-start <= maxWord && (endsInWord(text[:start]) || text[start-1] == '\'') {
		_, size := utf8.DecodeLastRune(text[:start])
		start -= size
	}
	return lower(text[start:end]), start
}

// endsInWord reports whether the last character belongs to a word.
func endsInWord(text []byte) bool {
	if c := text[len(text)-1]; c < 0x80 {
		return isLetter(c) || isDigit(c) || c == '_'
	}
	c, _ := utf8.DecodeLastRune(text)
	return isEuropean(c)
}

// endsSentence reports whether the byte at i ends a sentence or a paragraph.
func endsSentence(text []byte, i int) bool {
	switch text[i] {
	case '.', '!', '?':
		return i+1 == len(text) || isBlank(text[i+1])
	case '\n':
		rest := bytes.TrimLeft(text[i+1:min(len(text), i+1+maxGap)], " \t\r")
		return len(rest) > 0 && rest[0] == '\n'
	}
	return false
}
