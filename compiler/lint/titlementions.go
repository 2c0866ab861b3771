package lint

import (
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/prose"
)

// startsWord reports whether a word begins at an offset.
func startsWord(text []byte, i int) bool {
	c, _ := utf8.DecodeRune(text[i:])
	if !prose.IsWordRune(c) {
		return false
	}
	before, _ := utf8.DecodeLastRune(text[:i])
	return i == 0 || !prose.IsWordRune(before)
}

// wordRunEnd returns the end of the letters and digits from i on.
func wordRunEnd(text []byte, i int) int {
	for i < len(text) {
		c, size := utf8.DecodeRune(text[i:])
		if !prose.IsWordRune(c) {
			break
		}
		i += size
	}
	return i
}

// longestTitle returns the page whose title begins at an offset, the longest one
// that fits, and where it ends.
func longestTitle(text []byte, i int, root *titleNode) (to *page, end int) {
	start := i
	for node := root; ; {
		stop := wordRunEnd(text, i)
		node = node.next[strings.ToLower(string(text[i:stop]))]
		if node == nil {
			return to, end
		}
		if node.page != nil && !node.banned && (node.exact == "" || node.exact == string(text[start:stop]) && !startsSentence(text, start)) {
			to, end = node.page, stop
		}
		i = stop
		for i < len(text) && i-stop < 3 && (prose.IsBlank(text[i]) || text[i] == '-' || text[i] == '*') && !prose.EndsSentence(text, i) {
			i++
		}
		if i == stop || i == len(text) || !startsWord(text, i) {
			return to, end
		}
	}
}

// startsSentence reports whether nothing of the same sentence is before an
// offset, so that a capital letter there means nothing.
func startsSentence(text []byte, at int) bool {
	word, _ := prose.PreviousWord(text, at)
	return word == ""
}
