package rank

import (
	"slices"
	"strings"
)

// commonMark begins the word that a heading of common words is as a whole.
const commonMark = "="

// Limits of the headings of common words that a query may name.
const (
	maxCommon      = 8   // words of such a heading
	maxCommonBytes = 128 // and its length
	maxNamed       = 256 // such headings that a query is taken to name
)

// commonWords is a heading without a word that can be a topic as one word, such as "=for"
// and "=do not"; "" for any other heading.
func commonWords(heading string) string {
	if len(heading) > maxCommonBytes {
		return ""
	}
	words := asciiWords(heading)
	if len(words) == 0 || len(words) > maxCommon || slices.ContainsFunc(words, func(w string) bool { return !isWeak(w) }) {
		return ""
	}
	return commonMark + strings.Join(words, " ")
}

// isWeak reports a word that is never a topic alone.
func isWeak(word string) bool { return stopWords()[word] || weakWords()[word] }

// namedCommon are the headings of common words that a query may name: the query itself,
// and the runs of stop words in it.
func namedCommon(query string) []string {
	var list []string
	words := asciiWords(query)
	for from := range words {
		for to := from; to < len(words) && to < from+maxCommon && stopWords()[words[to]] && len(list) < maxNamed; to++ {
			list = append(list, commonMark+strings.Join(words[from:to+1], " "))
		}
	}
	if whole := commonWords(query); whole != "" && !slices.Contains(list, whole) {
		list = append(list, whole)
	}
	return list
}

// isWithin reports that a heading of common words is a part of another one.
func isWithin(part, whole string) bool {
	return len(part) < len(whole) && strings.Contains(" "+whole[1:]+" ", " "+part[1:]+" ")
}

// asciiWords are the runs of letters, digits and characters beyond ASCII of a text, in
// small letters; full-width forms are read as what they are forms of.
func asciiWords(text string) []string {
	narrow := func(r rune) rune {
		if r >= 0xFF01 && r <= 0xFF5E {
			return r - 0xFEE0
		}
		return r
	}
	return strings.FieldsFunc(strings.ToLower(strings.Map(narrow, text)), func(r rune) bool { return r < 0x80 && lowerASCII()[byte(r)] == 0 })
}

// isCommon reports what commonWords makes.
func isCommon(stem string) bool { return strings.HasPrefix(stem, commonMark) }
