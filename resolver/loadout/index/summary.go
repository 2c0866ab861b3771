package index

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/token"
)

// summaryLimit is the most UTF-16 units a summary may have (loadout section 2.2).
const summaryLimit = 120

// ellipsis ends a summary that was cut.
const ellipsis = "…"

// softHyphen marks where a word may be parted, which no summary needs.
const softHyphen = '\u00ad'

// oneLine returns text on one line without control or invisible characters, except for
// those that letters and emoji are joined by.
func oneLine(s string) string {
	clean, _ := invisible.Remove(s)
	clean = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == softHyphen, r == utf8.RuneError:
			return -1
		}
		return r
	}, clean)
	return strings.Join(strings.Fields(clean), " ")
}

// maxSummaryText is how many bytes at the head of a text are looked at for its
// first sentence: far more than a summary may have.
const maxSummaryText = 2 << 10

// summarize returns the first sentence of a text within the limit (rule 6). The
// result does not refer to the text.
func summarize(s string) string {
	if len(s) > maxSummaryText {
		end := maxSummaryText
		for end > 0 && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end]
	}
	return strings.Clone(cut(firstSentence(oneLine(s))))
}

// shortened are words whose full stop does not end a sentence.
var shortened = []string{"e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "no.", "mr.", "mrs.", "ms.", "dr.", "st."}

// firstSentence returns one line of text up to the end of its first sentence.
func firstSentence(s string) string {
	for i, r := range s {
		end := i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？':
			return s[:end]
		case '.', '!', '?':
			if end == len(s) || s[end] == ' ' && endsSentence(s[:end], s[end+1:]) {
				return s[:end]
			}
		}
	}
	return s
}

// endsSentence reports whether the mark at the end of before closes a sentence
// that after follows: not after an abbreviation or an initial, and not when the text
// continues in lower case.
func endsSentence(before, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	if unicode.IsLower(next) {
		return false
	}
	word := before[strings.LastIndexByte(before, ' ')+1:]
	if utf8.RuneCountInString(word) == 2 && word[len(word)-1] == '.' && unicode.IsUpper([]rune(word)[0]) {
		return false
	}
	lower := strings.ToLower(strings.TrimLeft(word, "([\"'"))
	return !slices.Contains(shortened, lower)
}

// cut shortens a line to the limit, between words where it can.
func cut(s string) string {
	if token.Units(s) <= summaryLimit {
		return s
	}
	room := summaryLimit - token.Units(ellipsis)
	units, end, space := 0, 0, 0
	for i, r := range s {
		if units += token.Units(string(r)); units > room {
			break
		}
		if r == ' ' {
			space = i
		}
		end = i + utf8.RuneLen(r)
	}
	// A space right after the kept part is as good a place as one before it.
	if end < len(s) && s[end] == ' ' {
		space = end
	}
	// Text without spaces, or with one long word, is cut inside the word.
	if space > end/2 {
		end = space
	}
	return strings.TrimRight(s[:end], " ,;:-–—(\u200c\u200d") + ellipsis
}
