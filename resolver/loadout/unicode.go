package loadout

import (
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/stem"
)

// Tokenizer names the way an index cuts texts into words. The empty one is the
// plain algorithm of loadout section 5, which knows ASCII letters and digits
// alone. An index names another under the key "tokenizer", which older readers
// ignore.
type Tokenizer string

// Unicode is the opt-in tokenizer for texts in any script:
//
//   - case and accents are folded, in keywords and patterns as well: "Café",
//     "CAFE" and "café" written with a combining accent are one word;
//   - in scripts that are written without spaces (Chinese, Japanese, Thai and
//     their like, and Korean) every two neighbouring characters are a word, and
//     in a task every single one too;
//   - in other scripts a word is a run of letters and digits, of two or more;
//   - what is a separator to the plain tokenizer within a keyword ("c++",
//     "node.js", "ci_cd") is one here, too, instead of making it unreachable.
const Unicode Tokenizer = "unicode"

// SetTokenizer sets the tokenizer of an index and of its entries.
func (ix *Index) SetTokenizer(t Tokenizer) {
	ix.Tokenizer = t
	for i := range ix.Entries {
		ix.Entries[i].SetTokenizer(t)
	}
}

// SetTokenizer sets how the words of an entry are cut that is in no index yet.
func (e *Entry) SetTokenizer(t Tokenizer) { e.unicode = t == Unicode }

// Tokenizer is how the index of an entry cuts texts into words.
func (e *Entry) Tokenizer() Tokenizer {
	if e.unicode {
		return Unicode
	}
	return ""
}

// Words returns the distinct words of a task in order of first appearance.
func (t Tokenizer) Words(task string) []string {
	if t == Unicode {
		return displayed(wordsOf(&unicodeScanner{text: task, task: true}))
	}
	return Words(task)
}

// Reachable reports whether a keyword can hit any task at all.
func (t Tokenizer) Reachable(keyword string) bool {
	_, ok := (&Entry{unicode: t == Unicode}).pieces(keyword, false)
	return ok
}

// ReachablePattern reports whether a pattern can hit any task at all.
func (t Tokenizer) ReachablePattern(pattern string) bool {
	_, ok := (&Entry{unicode: t == Unicode}).pieces(pattern, true)
	return ok
}

// unicodeMark starts every word of the Unicode tokenizer, so that it is never mistaken
// for a token of the plain tokenizer: an index may merge entries of both.
const unicodeMark = 0

// displayed takes the marks off words and the ends off names, and drops those that then
// repeat, and the task as a question.
func displayed(words []string) []string {
	list := words[:0]
	seen := make(tokenSet, len(words))
	for _, w := range words {
		switch {
		case isWhole(w):
			w = nameOf(w)
		case w[0] == unicodeMark:
			w = w[1:]
		}
		if w != "" && !seen[w] {
			seen[w] = true
			list = append(list, w)
		}
	}
	return list
}

// unicodeScanner cuts a text into words. The word lives in a buffer that the
// next call overwrites, and starts with unicodeMark.
type unicodeScanner struct {
	text  string
	task  bool // also emit single characters of dense scripts
	word  []byte
	last  rune // the dense character before the text, 0 when there is none
	alone bool // last has not been part of a word yet
	held  rune // a dense character whose pair was emitted before itself
}

// next returns the next word, or false at the end of the text.
func (s *unicodeScanner) next() ([]byte, bool) {
	if s.held != 0 {
		r := s.held
		s.held = 0
		return s.emit(r, 0), true
	}
	s.word = append(s.word[:0], unicodeMark)
	letters := 0
	for s.text != "" {
		r, size := utf8.DecodeRuneInString(s.text)
		kind := stem.ClassOf(r)
		if kind == stem.Dropped {
			s.text = s.text[size:]
			continue
		}
		if kind != stem.Letter && letters >= minWord {
			return s.word, true
		}
		if kind != stem.Dense && s.last != 0 {
			if word, ok := s.endRun(); ok {
				return word, true
			}
		}
		s.text = s.text[size:]
		switch kind {
		case stem.Letter:
			s.word = stem.AppendFolded(s.word, r)
			letters++
		case stem.Dense:
			s.word, letters = s.word[:1], 0
			if word, ok := s.pair(r); ok {
				return word, true
			}
		default:
			s.word, letters = s.word[:1], 0
		}
	}
	if s.last != 0 {
		if word, ok := s.endRun(); ok {
			return word, true
		}
	}
	return s.word, letters >= minWord
}

// pair takes a dense character in and emits it with the one before it, or in a
// task by itself.
func (s *unicodeScanner) pair(r rune) ([]byte, bool) {
	before := s.last
	s.last, s.alone = r, before == 0
	switch {
	case before != 0:
		if s.task {
			s.held = r
		}
		return s.emit(before, r), true
	case s.task:
		s.alone = false
		return s.emit(r, 0), true
	}
	return nil, false
}

// endRun ends a run of dense characters and emits its only one.
func (s *unicodeScanner) endRun() ([]byte, bool) {
	r, alone := s.last, s.alone
	s.last, s.alone = 0, false
	if !alone {
		return nil, false
	}
	return s.emit(r, 0), true
}

// emit makes a word of one or two characters.
func (s *unicodeScanner) emit(a, b rune) []byte {
	s.word = utf8.AppendRune(append(s.word[:0], unicodeMark), a)
	if b != 0 {
		s.word = utf8.AppendRune(s.word, b)
	}
	return s.word
}
