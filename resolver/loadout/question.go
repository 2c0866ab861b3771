package loadout

import (
	"slices"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/stem"
)

// wholeEnd ends a pattern that hits as a whole: a question, or a name with a sign. The blank
// makes the pattern one piece (loadout section 6.2) and not a word, so that it hits no task
// but those that ask the question or have the name, and none at all for readers that know
// nothing of such patterns.
const wholeEnd = " ?"

// maxQuestion is the size in bytes from which a text is not a question.
const maxQuestion = 512

// QuestionPattern returns the pattern of a question that an entry declares: its words,
// folded, with blanks between them, and wholeEnd; empty when the text has no word or is
// too long. A task that is the question, word for word, has the same one, and so the entry comes first:
// before all that only share words with the task, whatever the dialect.
func QuestionPattern(text string) string { return string(appendQuestion(nil, text)) }

// appendQuestion appends to b, which is empty, the pattern of a question.
func appendQuestion(b []byte, text string) []byte {
	if len(text) > maxQuestion {
		return b
	}
	apart := false
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch stem.ClassOf(r) {
		case stem.Dropped:
		case stem.Separator:
			apart = true
		default:
			if apart && len(b) > 0 {
				b = append(b, ' ')
			}
			apart = false
			b = stem.AppendFolded(b, r)
		}
	}
	if len(b) == 0 {
		return b
	}
	return appendText(b, wholeEnd)
}

// NamePatterns returns the patterns of the names in a title that the tokenizer cuts to
// pieces or leaves out (loadout section 5): versions, names with a sign and single letters,
// as in "v1.2.4", "v2", "C++", "USB-A" and "R"; of a version also those that it is one of, as "v1.2".
func NamePatterns(title string) []string {
	var list []string
	newNameScanner(func(pattern []byte) {
		if !slices.Contains(list, string(pattern)) {
			list = append(list, string(pattern))
		}
	}).each(title, true)
	return list
}

// nameScanner finds the patterns of names. It can be used again, by one goroutine at a time.
type nameScanner struct {
	signs   stem.SignScanner
	pattern []byte
	found   func(name []byte)
}

// newNameScanner returns one that calls yield for each pattern; the bytes are valid until it
// returns.
func newNameScanner(yield func(pattern []byte)) *nameScanner {
	s := &nameScanner{signs: stem.SignScanner{Common: isArticle, Joined: joinedLetters, Numbered: true}}
	s.found = func(name []byte) {
		if kindOf(name) != plainWord {
			s.pattern = appendText(append(s.pattern[:0], name...), wholeEnd)
			yield(s.pattern)
		}
	}
	return s
}

func (s *nameScanner) each(text string, searched bool) { s.signs.Each(text, searched, s.found) }

// joinedLetters yields words with hyphens between them of which the last is a letter or a
// digit, such as "usb-a" and "gpt-4".
func joinedLetters(run []byte, yield func(word []byte)) {
	last := len(run) - 1
	for _, c := range run[:last] {
		if !stem.IsLetter(c) && c != '-' {
			return
		}
	}
	if last > 1 && run[last-1] == '-' && run[0] != '-' {
		yield(run)
	}
}

// isArticle reports the letters that are English words.
func isArticle(word []byte) bool { return len(word) == 1 && (word[0] == 'a' || word[0] == 'i') }

// The kinds of the words between blanks of a pattern that hits as a whole.
const (
	plainWord = iota
	letterName
	signedName
)

func kindOf(word []byte) int {
	for _, c := range word {
		if c < utf8.RuneSelf && !stem.IsLetter(c) && !stem.IsDigit(c) {
			return signedName
		}
	}
	if len(word) > 1 && word[0] == 'v' && stem.IsDigit(word[1]) {
		return signedName
	}
	if len(word) == 1 && stem.IsLetter(word[0]) {
		return letterName
	}
	return plainWord
}

// isWhole reports whether a pattern, or a word of a task, hits as a whole.
func isWhole(text string) bool {
	n := len(text) - len(wholeEnd)
	return n > 0 && text[n:] == wholeEnd
}

// wholeBonus is what a pattern adds that hits as a whole. A letter says little alone.
func wholeBonus(pattern string) float64 {
	switch kindOf([]byte(nameOf(pattern))) {
	case signedName:
		return nameBonus
	case letterName:
		return letterBonus
	}
	return exactBonus
}

// withNames returns words and the names of a task, as they are displayed.
func withNames(words []string, task string) []string {
	words = slices.Clip(words)
	newNameScanner(func(pattern []byte) { words = addWord(words, nameOf(string(pattern))) }).each(task, false)
	return words
}

// namesIn are the names among patterns.
func namesIn(patterns []string) (names []string) {
	for _, p := range patterns {
		if isWhole(p) && nameOf(p) != "" {
			names = append(names, nameOf(p))
		}
	}
	return names
}

// nameOf is the name that a pattern is; empty when it is a question.
func nameOf(pattern string) string {
	name := pattern[:len(pattern)-len(wholeEnd)]
	for i := range len(name) {
		if name[i] == ' ' {
			return ""
		}
	}
	if kindOf([]byte(name)) == plainWord {
		return ""
	}
	return name
}
