package loadout

import (
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/stem"
)

// minWord is the length in characters below which a word is dropped (loadout
// section 5).
const minWord = 2

// kelvin is U+212A, which lowercases to k; capitalIWithDot is U+0130, which
// lowercases to i and a combining dot, that is: i and a separator. They are
// the only characters outside ASCII that leave a letter (loadout section 3.3).
const (
	kelvin          = "\u212A"
	capitalIWithDot = "\u0130"
)

// scanner cuts a text into words (loadout section 5): runs of ASCII letters
// and digits, lowercased, of at least two characters. The word lives in a
// buffer that the next call overwrites.
type scanner struct {
	text string
	word []byte
}

// next returns the next word, or false at the end of the text. The slice is
// valid until the next call.
func (s *scanner) next() ([]byte, bool) {
	s.word = s.word[:0]
	i := 0
	for i < len(s.text) {
		c := s.text[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			s.word = append(s.word, c)
			i++
			continue
		case c >= 'A' && c <= 'Z':
			s.word = append(s.word, c+('a'-'A'))
			i++
			continue
		case c == kelvin[0] && hasPrefix(s.text[i:], kelvin):
			s.word = append(s.word, 'k')
			i += len(kelvin)
			continue
		case c == capitalIWithDot[0] && hasPrefix(s.text[i:], capitalIWithDot):
			s.word = append(s.word, 'i')
			i += len(capitalIWithDot)
		default:
			// A byte of another character: each of its bytes separates, which
			// has the same effect as the character doing so.
			i++
		}
		if len(s.word) >= minWord {
			s.text = s.text[i:]
			return s.word, true
		}
		s.word = s.word[:0]
	}
	s.text = ""
	return s.word, len(s.word) >= minWord
}

func hasPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && s[:len(prefix)] == prefix
}

// Words returns the distinct words of a text in order of first appearance: the
// tokens the matcher compares (loadout section 5).
func Words(text string) []string {
	return wordsOf(&scanner{text: text})
}

// appendTokens appends the distinct words of a task in order of first
// appearance: of the plain tokenizer, of the Unicode one, or both; and the task as a
// question and its names, which a pattern may be.
func appendTokens(words []string, task string, plain, unicode bool) []string {
	all := wordList{list: words, seen: tokenSet{}}
	if plain {
		eachWord(&scanner{text: task}, all.add)
	}
	if unicode {
		eachWord(&unicodeScanner{text: task, task: true}, all.add)
	}
	if q := QuestionPattern(task); q != "" {
		all.add([]byte(q))
	}
	newNameScanner(all.add).each(task, false)
	return all.list
}

// wordList is a list of words, each once.
type wordList struct {
	list []string
	seen tokenSet
}

func (l *wordList) add(word []byte) {
	if !l.seen[string(word)] {
		w := string(word)
		l.seen[w] = true
		l.list = append(l.list, w)
	}
}

// wordsOf returns the words of a scanner.
func wordsOf(s wordScanner) []string {
	l := wordList{seen: tokenSet{}}
	eachWord(s, l.add)
	return l.list
}

// wordScanner is one of the two scanners.
type wordScanner interface {
	next() (word []byte, ok bool)
}

func eachWord(s wordScanner, yield func(word []byte)) {
	for {
		word, ok := s.next()
		if !ok {
			return
		}
		yield(word)
	}
}

// tokenSet is the set of words of a task. Those of the Unicode tokenizer start
// with unicodeMark.
type tokenSet map[string]bool

// setOf returns the set of words.
func setOf(words []string) tokenSet {
	set := make(tokenSet, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// keywordHit reports whether every piece of a keyword of the entry is a word of
// the task (loadout section 6.1).
func (t tokenSet) keywordHit(e *Entry, keyword string) bool {
	if e.unicode {
		hit, s := false, unicodeScanner{text: keyword}
		for {
			word, ok := s.next()
			if !ok {
				return hit
			}
			if hit = t[string(word)]; !hit {
				return false
			}
		}
	}
	for rest, more := keyword, true; more; {
		var piece string
		piece, rest, more = cutKeyword(rest)
		if !t[piece] {
			return false
		}
	}
	return true
}

// patternHit reports whether at least one piece of a pattern of the entry is a
// word of the task (loadout section 6.2), or the pattern is the task as a question.
func (t tokenSet) patternHit(e *Entry, pattern string) bool {
	if isWhole(pattern) {
		return t[pattern]
	}
	if e.unicode {
		s := unicodeScanner{text: pattern}
		for {
			if word, ok := s.next(); !ok || t[string(word)] {
				return ok
			}
		}
	}
	for rest, more := pattern, true; more; {
		var piece string
		piece, rest, more = cutPattern(rest)
		if t[piece] {
			return true
		}
	}
	return false
}

// pieces returns the words that a keyword or pattern of the entry is made of,
// and false when one of them can never be a word of a task. Of a pattern those
// are left out; one that is a question is its own only piece.
func (e *Entry) pieces(text string, pattern bool) (words []string, ok bool) {
	if pattern && isWhole(text) {
		return []string{text}, true
	}
	if e.unicode {
		eachWord(&unicodeScanner{text: text}, func(word []byte) { words = addWord(words, string(word)) })
		return words, len(words) > 0
	}
	ok = true
	for rest, more := text, true; more; {
		var piece string
		if pattern {
			piece, rest, more = cutPattern(rest)
		} else {
			piece, rest, more = cutKeyword(rest)
		}
		if reachable(piece) {
			words = append(words, piece)
		} else {
			ok = false
		}
	}
	if pattern {
		return words, len(words) > 0
	}
	return words, ok
}

// mostCompared is with how many words addWord compares: a keyword of a hundred
// thousand words must not take the square of that, and a repeat does no harm.
const mostCompared = 64

// addWord appends a word that is not among the first of the list yet.
func addWord(words []string, word string) []string {
	for _, w := range words[:min(mostCompared, len(words))] {
		if w == word {
			return words
		}
	}
	return append(words, word)
}

// cutKeyword splits a keyword at its first run of white space and hyphens. At
// the ends of the keyword such a run leaves an empty piece.
func cutKeyword(s string) (piece, rest string, more bool) {
	for i := 0; i < len(s); i++ {
		n := keywordSeparator(s[i:])
		if n == 0 {
			continue
		}
		end := i + n
		for end < len(s) {
			n := keywordSeparator(s[end:])
			if n == 0 {
				break
			}
			end += n
		}
		return s[:i], s[end:], true
	}
	return s, "", false
}

// keywordSeparator returns the length of the separator that starts s, or 0.
func keywordSeparator(s string) int {
	switch c := s[0]; {
	case c == '-':
		return 1
	case c > ' ' && c < utf8.RuneSelf:
		return 0
	}
	return space(s)
}

// cutPattern splits a pattern at its first underscore. Runs do not collapse.
func cutPattern(s string) (piece, rest string, more bool) {
	for i := range len(s) {
		if s[i] == '_' {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// reachable reports whether a piece of a keyword or pattern can ever be a word
// of a task: at least two characters, all of them a to z or 0 to 9.
func reachable(piece string) bool {
	if len(piece) < minWord {
		return false
	}
	for i := range len(piece) {
		if c := piece[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// Reachable reports whether a keyword can hit any task at all: each of its
// pieces is a word the tokenizer can produce (loadout section 6.1).
func Reachable(keyword string) bool { return Tokenizer("").Reachable(keyword) }

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

// IsSpace reports whether a character is white space. The set is JavaScript's (loadout
// section 3.1): it has U+FEFF and lacks U+0085, the other way round from Go's
// unicode.IsSpace.
func IsSpace(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r == ' ', r == 0xA0, r == 0x1680, r >= 0x2000 && r <= 0x200A,
		r == 0x2028, r == 0x2029, r == 0x202F, r == 0x205F, r == 0x3000, r == 0xFEFF:
		return true
	}
	return false
}

// space returns the length in bytes of the white-space character at the start
// of s, 0 when there is none.
func space(s string) int {
	if r, size := utf8.DecodeRuneInString(s); IsSpace(r) {
		return size
	}
	return 0
}

// Trim removes JavaScript's white space from both ends (loadout section 3.1).
func Trim(s string) string { return trim(s) }

// trim is Trim.
func trim(s string) string {
	for n := space(s); n > 0; n = space(s) {
		s = s[n:]
	}
	for {
		r, size := utf8.DecodeLastRuneInString(s)
		if !IsSpace(r) {
			return s
		}
		s = s[:len(s)-size]
	}
}
