package rank

import (
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/stem"
)

// stopWords are the words that say nothing about a topic (agent-knowledge
// section 13.5).
var stopWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, w := range []string{
		"a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "get", "has", "have",
		"how", "i", "in", "is", "it", "me", "my", "of", "on", "or", "our", "the", "to", "was", "we", "what", "when",
		"where", "which", "who", "why", "will", "with", "you", "your",
	} {
		words[w] = true
	}
	return words
})

func isStopWord(word []byte) bool { return stopWords()[string(word)] }

// Lengths of words, in characters.
const (
	minWord   = 2 // shorter ones are dropped
	minPlural = 4 // from here on a plural "s" is dropped
)

// Words returns the words of a text in order (agent-knowledge section 13.5): runs of letters
// and digits, without case and accents; stop words and plural endings dropped; runs of
// scripts that have no space between words, or none between a word and its endings, cut
// into overlapping pairs. What a sign belongs to comes last, see [stem.SignScanner].
func Words(text string) []string {
	var list []string
	var s wordScanner
	s.all(text, false, func(word []byte) { list = append(list, string(word)) })
	return list
}

// WordSet is a set of words, as Words cuts them.
type WordSet map[string]bool

// NewWordSet returns the words of all texts. A text that holds a version holds those that
// it is one of: 1.2.4 is a 1.2.
func NewWordSet(texts ...string) WordSet {
	set := WordSet{}
	var s wordScanner
	for _, text := range texts {
		s.all(text, true, func(word []byte) {
			if !set[string(word)] {
				set[string(word)] = true
			}
		})
	}
	return set
}

// wordScanner finds words. It can be used again, by one goroutine at a time.
type wordScanner struct {
	word  []byte // the word so far, folded
	chars int    // its characters
	typed bool   // it was written as it is, in small or capital letters of ASCII
	last  rune   // the last character of a run of pairs; 0 outside
	alone bool   // it is in no pair yet
	pair  [2 * utf8.UTFMax]byte
	stop  map[string]bool
	yield func(word []byte)
	signs stem.SignScanner
}

// all calls yield for every word of a text, those with signs too, in texts that are
// searched with what a version is one of; the bytes are valid until it returns.
func (s *wordScanner) all(text string, searched bool, yield func(word []byte)) {
	s.each(text, yield)
	s.eachSigned(text, searched, yield)
}

// eachSigned calls yield for every word with a sign.
func (s *wordScanner) eachSigned(text string, searched bool, yield func(word []byte)) {
	s.signs.Common, s.signs.Joined = isStopWord, joined
	s.signs.Each(text, searched, yield)
}

// each calls yield for every word of a text without signs; the bytes are valid until it
// returns.
func (s *wordScanner) each(text string, yield func(word []byte)) {
	s.stop, s.yield, s.typed = stopWords(), yield, true
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			s.endRun()
			switch {
			case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
				s.word = append(s.word, c)
				s.chars++
			case 'A' <= c && c <= 'Z':
				s.word = append(s.word, c+'a'-'A')
				s.chars++
			default:
				s.end()
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch stem.ClassOf(r) {
		case stem.Dropped:
			s.typed = false
		case stem.Dense:
			s.end()
			s.dense(r)
		case stem.Letter:
			s.endRun()
			s.fold(r)
		default:
			s.end()
			s.endRun()
		}
	}
	s.endRun()
	s.end()
}

// fold adds a letter above ASCII to the word.
func (s *wordScanner) fold(r rune) {
	before := len(s.word)
	s.word = stem.AppendFolded(s.word, unicode.ToLower(r))
	s.chars += utf8.RuneCount(s.word[before:])
	s.typed = false
}

// dense adds a character to a run of pairs.
func (s *wordScanner) dense(r rune) {
	if s.last != 0 {
		s.yield(utf8.AppendRune(utf8.AppendRune(s.pair[:0], s.last), r))
	}
	s.alone, s.last = s.last == 0, r
}

// endRun ends a run of pairs.
func (s *wordScanner) endRun() {
	if s.alone {
		s.yield(utf8.AppendRune(s.pair[:0], s.last))
	}
	s.alone, s.last = false, 0
}

// paired reports the characters that are written without spaces between words, or whose
// words take endings.
func paired(r rune) bool { return r >= utf8.RuneSelf && stem.ClassOf(r) == stem.Dense }

// isSyllable reports the paired characters of which there are many, so that two sections
// rarely share a pair by chance.
func isSyllable(r rune) bool {
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// end closes the word so far. A word that is a stop word only without its accents is kept.
func (s *wordScanner) end() {
	word, chars, typed := s.word, s.chars, s.typed
	s.word, s.chars, s.typed = s.word[:0], 0, true
	if chars == 0 || typed && s.stop[string(word)] {
		return
	}
	if n := len(word); chars >= minPlural && word[n-1] == 's' && word[n-2] != 's' {
		word, chars = word[:n-1], chars-1
	}
	if chars >= minWord {
		s.yield(word)
	}
}

// folded is a word without case and accents.
func folded(word string) string {
	var b []byte
	for _, r := range word {
		b = stem.AppendFolded(b, unicode.ToLower(r))
	}
	return string(b)
}

// Shares reports whether any of the words is in the set.
func (set WordSet) Shares(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return set[w] })
}
