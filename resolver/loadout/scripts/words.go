package scripts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/resolver/loadout"
)

// maxWhole is the longest run of Chinese characters that is one word: of a longer one,
// which is several words that nothing parts, each two neighbours are.
const maxWhole = 3

// Words lists the words of a short text that have letters beyond ASCII, each of
// which the Unicode tokenizer finds in a task, in their order. Where a script has no
// spaces, a run of its characters is a word, without syllables for endings; single
// characters, which stand in most tasks, only where a text has nothing else.
func Words(text string) []string {
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
	for _, field := range Fields(strings.ToLower(text)) {
		for _, w := range Runs(field) {
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

// Fields parts a text at what is in no word.
func Fields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}

// Runs parts a word where a script without spaces between words begins or ends, and where
// its syllables for endings do.
func Runs(w string) (list []string) {
	kind := func(r rune) int {
		switch {
		case unicode.Is(unicode.Han, r), r == '々':
			return 1
		case unicode.Is(unicode.Katakana, r), r == 'ー':
			return 2
		case unicode.Is(unicode.Hiragana, r):
			return 3
		}
		return 0
	}
	from, last := 0, -1
	for i, r := range w {
		if k := kind(r); k != last {
			if i > from && last != 3 {
				list = append(list, w[from:i])
			}
			from, last = i, k
		}
	}
	if last != 3 && len(w) > from {
		list = append(list, w[from:])
	}
	return list
}
