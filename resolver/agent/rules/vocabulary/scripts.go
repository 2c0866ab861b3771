package vocabulary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/resolver/loadout"
)

// maxWhole is the longest run of Chinese characters that is one word: of a longer one,
// which is several words that nothing parts, each two neighbours are.
const maxWhole = 3

// OtherScripts lists the words of a short text that have letters beyond ASCII, each of
// which the Unicode tokenizer finds in a task, in their order. Where a script has no
// spaces, a run of its characters is a word, without syllables for endings; single
// characters, which stand in most tasks, only where a text has nothing else.
func OtherScripts(text string) []string {
	var list, single []string
	seen := map[string]bool{}
	add := func(w string) {
		switch {
		case seen[w] || !hasOther(w) || !loadout.Unicode.Reachable(w):
		case utf8.RuneCountInString(w) > 1:
			list = append(list, w)
		default:
			single = append(single, w)
		}
		seen[w] = true
	}
	for _, field := range fields(strings.ToLower(text)) {
		for _, w := range runs(field) {
			switch first, _ := utf8.DecodeRuneInString(w); {
			case unicode.In(first, unicode.Katakana, unicode.Hangul), first == 'ー':
				add(w)
			case unicode.Is(unicode.Han, first) && utf8.RuneCountInString(w) <= maxWhole:
				add(w)
			default:
				for _, w := range loadout.Unicode.Words(w) {
					add(w)
				}
			}
		}
	}
	if len(list) == 0 {
		return single
	}
	return list
}

func hasOther(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) }) >= 0
}

// fields parts a text at what is in no word.
func fields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}
