package rank

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/stem"
)

// Fields is the number of fields of a section.
const Fields = fieldCount

// Questions is the number of the field of a section's questions.
const Questions = fieldQuestions

// Term is a stem in a section, by its number, and how often each field holds it.
type Term struct {
	Stem  int
	Count [Fields]int
}

// Tally counts all words of sections. It belongs to one goroutine. Make one with
// [NewTally].
type Tally struct {
	scan    wordScanner
	stem    []byte
	numbers map[string]int // of the stems
	stems   []string       // by number
	known   map[string]int // words in ASCII with the number of their stem, -1 for those that are dropped
	lower   []byte         // the word at hand

	terms  []Term // of the section at hand
	places []int  // by number: the place of a stem among them, from 1
	length [Fields]int
}

// NewTally returns a tally.
func NewTally() *Tally { return &Tally{numbers: map[string]int{}, known: map[string]int{}} }

// Of returns the terms of a section in no order, which are valid until the next call,
// and the number of words in each field.
func (c *Tally) Of(s *Section) (terms []Term, lengths [Fields]int) {
	for _, t := range c.terms {
		c.places[t.Stem] = 0
	}
	c.terms, c.length = c.terms[:0], [Fields]int{}
	c.readHeading(fieldTitle, s.Title)
	for _, title := range s.TitlePath {
		c.read(fieldTitle, title)
	}
	c.readMarkdown(Prose(belowTitle(s)), s.Title)
	for _, q := range s.Questions {
		c.readHeading(fieldQuestions, q)
	}
	return c.terms, c.length
}

// Stem returns the stem of that number.
func (c *Tally) Stem(n int) string { return c.stems[n] }

// Stems returns how many stems the tally has seen; it keeps all of them.
func (c *Tally) Stems() int { return len(c.stems) }

// readMarkdown separates heading lines from the rest. The first line is left out when it
// is a heading that the title names: its words are counted there.
func (c *Tally) readMarkdown(text, title string) {
	if line, rest := cutHeading(text); line != "" && names(line, title) {
		text = rest
		if commonWords(title) == "" {
			c.readCommon(fieldTitle, line)
		}
		if id := ownID(line); !names(id, title) {
			c.read(fieldHeadings, id)
		}
	}
	if !strings.Contains(text, "#") && !strings.Contains(text, "\n==") && !strings.Contains(text, "\n--") {
		c.read(fieldBody, text)
		return
	}
	fence, from, before := "", 0, 0
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		fence = nextFence(fence, line)
		next := min(at+len(line)+1, len(text))
		switch {
		case fence != "":
		case isHeading(line):
			c.read(fieldBody, text[from:at])
			c.readHeading(fieldHeadings, line)
			from = next
		case before >= from && before < at && underlined(text[before:at-1], line) > 0:
			c.read(fieldBody, text[from:before])
			c.readHeading(fieldHeadings, text[before:at])
			from = next
		}
		before, at = at, next
	}
	c.read(fieldBody, text[from:])
}

// readHeading counts the words of a heading or question, and of one of common words alone the
// whole.
func (c *Tally) readHeading(field int, heading string) {
	c.read(field, heading)
	c.readCommon(field, heading)
}

func (c *Tally) readCommon(field int, heading string) {
	if whole := commonWords(heading); whole != "" {
		c.hit(field, []byte(whole))
	}
}

// read counts the words of a text for a field.
func (c *Tally) read(field int, text string) {
	lower := lowerASCII()
	words := 0
	for i := 0; i < len(text); {
		if lower[text[i]] == 0 {
			i++
			continue
		}
		start, plain := i, true
		for i < len(text) && lower[text[i]] != 0 {
			plain = plain && text[i] < utf8.RuneSelf
			i++
		}
		words++
		if plain {
			c.hitKnown(field, text[start:i], lower)
			continue
		}
		c.scan.each(text[start:i], func(word []byte) { c.hit(field, word) })
	}
	c.length[field] += words
	c.scan.eachSigned(text, true, func(word []byte) { c.hit(field, word) })
}

// hit counts a word and returns the number of its stem.
func (c *Tally) hit(field int, word []byte) int {
	c.stem = append(c.stem[:0], word...)
	word = stem.Of(c.stem)
	t, ok := c.numbers[string(word)]
	if !ok {
		t = len(c.stems)
		c.stems = append(c.stems, string(word))
		c.numbers[c.stems[t]] = t
		c.places = append(c.places, 0)
	}
	c.add(field, t)
	return t
}

// add counts a stem.
func (c *Tally) add(field, t int) {
	if c.places[t] == 0 {
		c.terms = append(c.terms, Term{Stem: t})
		c.places[t] = len(c.terms)
	}
	c.terms[c.places[t]-1].Count[field]++
}

// hitKnown counts a word in ASCII. Text repeats its words, so what has become of each is
// kept.
func (c *Tally) hitKnown(field int, word string, lower *[256]byte) {
	c.lower = c.lower[:0]
	for i := range len(word) {
		c.lower = append(c.lower, lower[word[i]])
	}
	t, ok := c.known[string(c.lower)]
	if !ok {
		t = -1
		c.scan.each(word, func(w []byte) { t = c.hit(field, w) })
		c.known[string(c.lower)] = t
		return
	}
	if t >= 0 {
		c.add(field, t)
	}
}

// lowerASCII maps the bytes that words are made of: ASCII letters, lower-cased,
// digits, and every byte of other characters; 0 is between words.
var lowerASCII = sync.OnceValue(func() *[256]byte {
	var table [256]byte
	for c := range table {
		b := byte(c)
		switch {
		case 'a' <= b && b <= 'z', '0' <= b && b <= '9', b >= utf8.RuneSelf:
			table[c] = b
		case 'A' <= b && b <= 'Z':
			table[c] = b + 'a' - 'A'
		}
	}
	return &table
})

// isHeading reports an ATX heading line.
func isHeading(line string) bool { return headingLevel(line) > 0 }

// headingLevel is the level of an ATX heading line, 0 for any other line.
func headingLevel(line string) int {
	marks := len(line) - len(strings.TrimLeft(line, "#"))
	if marks > 6 || !strings.HasPrefix(line[marks:], " ") {
		return 0
	}
	return marks
}
