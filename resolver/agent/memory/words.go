package memory

import (
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/javascript"
)

// stopWords are never keywords (loadout section 19.4).
var stopWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(`the and for are not but with from this that have has had was were been will can may should
		would could about into than then when where which what how all each every both few more most other some such only own same
		just also very often once here there why use used using note notes`) {
		words[w] = true
	}
	return words
})

// IsStopWord reports a word that is never made a keyword.
func IsStopWord(word string) bool { return stopWords()[word] }

// nameID makes an id of a name (loadout section 19.3). It may be empty, and may
// start or end with a hyphen.
func nameID(name string) string {
	var b strings.Builder
	for _, r := range javascript.Trim(strings.Map(func(r rune) rune {
		if r == '-' || javascript.IsSpace(r) || asciiWord(r) {
			return r
		}
		return -1
	}, strings.ToLower(name))) {
		if javascript.IsSpace(r) {
			r = '-'
		}
		if r == '-' && strings.HasSuffix(b.String(), "-") {
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func asciiWord(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }

// headingWords takes the keywords of the headings of a topic file, sorted.
func headingWords(content string) (list []string) {
	outline := javascript.NewOutline(content)
	before := ""
	for line := range strings.SplitSeq(content, "\n") {
		level, text := headingOf(line, 3)
		switch outline.Next(line) {
		case javascript.Inert:
			level = 0
		case javascript.Underline:
			level, text = 2, before
		}
		before = line
		if level > 0 {
			list = append(list, wordsOf(text)...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// keywordsOf joins the keywords of a name and those of headings, sorted.
func keywordsOf(name string, headings []string) []string {
	list := append(wordsOf(name), headings...)
	slices.Sort(list)
	return slices.Compact(list)
}

// wordsOf are the words of a text that the matcher can compare.
func wordsOf(text string) []string {
	return slices.DeleteFunc(loadout.Words(text), func(w string) bool { return len(w) <= 2 || stopWords()[w] })
}
