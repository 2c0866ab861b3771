package rank

import (
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
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

// Lengths of words, in characters.
const (
	minWord   = 2 // shorter ones are dropped
	minPlural = 4 // from here on a plural "s" is dropped
)

// Words returns the words of a text in order (agent-knowledge section 13.5):
// lower-cased runs of letters, marks and digits; stop words, plural endings and
// single letters dropped; runs of scripts that have no space between
// words, or none between a word and its endings, cut into overlapping pairs.
func Words(text string) []string {
	var list []string
	var s wordScanner
	s.each(text, func(word []byte) { list = append(list, string(word)) })
	return list
}

// WordSet is a set of words, as Words cuts them.
type WordSet map[string]bool

// NewWordSet returns the words of all texts.
func NewWordSet(texts ...string) WordSet {
	set := WordSet{}
	var s wordScanner
	for _, text := range texts {
		s.each(text, func(word []byte) {
			if !set[string(word)] {
				set[string(word)] = true
			}
		})
	}
	return set
}

// wordScanner finds words. It can be used again, by one goroutine at a time.
type wordScanner struct {
	word  []byte // the word so far, lower-cased
	chars int    // its characters
	stop  map[string]bool
	yield func(word []byte)
}

// each calls yield for every word of a text; the bytes are valid until it
// returns.
func (s *wordScanner) each(text string, yield func(word []byte)) {
	s.stop, s.yield = stopWords(), yield
	previous, run := 0, 0 // where the last character of a run of pairs starts, and its length
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if run == 1 {
				yield([]byte(text[previous:i]))
			}
			run = 0
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
		switch {
		case !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Nd):
			s.end()
		case paired(r):
			s.end()
			if run > 0 {
				yield([]byte(text[previous : i+size]))
			}
			previous = i
			run++
			i += size
			continue
		default:
			if run == 1 {
				yield([]byte(text[previous:i]))
			}
			run = 0
			s.word = utf8.AppendRune(s.word, unicode.ToLower(r))
			s.chars++
			i += size
			continue
		}
		if run == 1 {
			yield([]byte(text[previous:i]))
		}
		run = 0
		i += size
	}
	if run == 1 {
		yield([]byte(text[previous:]))
	}
	s.end()
}

// firstPaired is the first block with such characters, that of Thai.
const firstPaired = 0xE00

// paired reports the characters that are written without spaces between words, or whose
// words take endings.
func paired(r rune) bool {
	return r >= firstPaired && (isSyllable(r) || unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// isSyllable reports the paired characters of which there are many, so that two sections
// rarely share a pair by chance.
func isSyllable(r rune) bool {
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// end closes the word so far.
func (s *wordScanner) end() {
	word, chars := s.word, s.chars
	s.word, s.chars = s.word[:0], 0
	if chars == 0 || s.stop[string(word)] {
		return
	}
	if n := len(word); chars >= minPlural && word[n-1] == 's' && word[n-2] != 's' {
		word, chars = word[:n-1], chars-1
	}
	if chars >= minWord {
		s.yield(word)
	}
}

// Shares reports whether any of the words is in the set.
func (set WordSet) Shares(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return set[w] })
}
