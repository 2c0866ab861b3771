package rank

import (
	"slices"
	"strings"
)

// commonMark begins the word that a heading of common words is as a whole.
const commonMark = "="

// Limits of the headings of common words that a query may name.
const (
	maxCommon      = 4   // words of such a heading
	maxCommonBytes = 128 // and its length
	maxNamed       = 64  // such headings that a query is taken to name
)

// commonWords is a heading of stop words alone as one word, such as "=for"; "" for any
// other heading.
func commonWords(heading string) string {
	if len(heading) > maxCommonBytes {
		return ""
	}
	words := asciiWords(heading)
	if len(words) == 0 || len(words) > maxCommon || slices.ContainsFunc(words, func(w string) bool { return !stopWords()[w] }) {
		return ""
	}
	return commonMark + strings.Join(words, " ")
}

// namedCommon are the headings of common words that a query may name: the runs of stop
// words in it.
func namedCommon(query string) []string {
	var list []string
	words := asciiWords(query)
	for from := range words {
		for to := from; to < len(words) && to < from+maxCommon && stopWords()[words[to]] && len(list) < maxNamed; to++ {
			list = append(list, commonMark+strings.Join(words[from:to+1], " "))
		}
	}
	return list
}

// asciiWords are the runs of letters, digits and characters beyond ASCII of a text, in
// small letters.
func asciiWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 0x80 && lowerASCII()[byte(r)] == 0 })
}

// isCommon reports what commonWords makes.
func isCommon(stem string) bool { return strings.HasPrefix(stem, commonMark) }
