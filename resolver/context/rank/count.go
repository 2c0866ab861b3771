package rank

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/stem"
)

// counted is how often the terms of a query occur in one section.
type counted struct {
	hits   []termCount
	length [fieldCount]int // words of each field
}

type termCount struct {
	term  int
	count [fieldCount]int
}

// counter counts terms; it belongs to one goroutine.
type counter struct {
	query   *parsedQuery
	scan    wordScanner
	stem    []byte
	counts  [][fieldCount]int // by term
	touched []int
	length  *[fieldCount]int

	all   map[string]int // every stem with its number, when there is no query
	stems []string       // by number
	known map[string]int // words in ASCII with the number of their stem, -1 for those that are dropped; nil keeps none
	lower []byte         // the word at hand
}

func newCounter(q *parsedQuery) *counter {
	return &counter{query: q, counts: make([][fieldCount]int, len(q.terms))}
}

// count reads the fields of a section.
func (c *counter) count(s *Section) counted {
	var out counted
	c.fields(s, &out.length)
	out.hits = make([]termCount, 0, len(c.touched))
	for _, t := range c.touched {
		out.hits = append(out.hits, termCount{t, c.counts[t]})
		c.counts[t] = [fieldCount]int{}
	}
	c.touched = c.touched[:0]
	return out
}

// fields reads the fields of a section: the terms that it holds are in touched then.
func (c *counter) fields(s *Section, length *[fieldCount]int) {
	c.length = length
	c.readHeading(fieldTitle, s.Title)
	for _, title := range s.TitlePath {
		c.read(fieldTitle, title)
	}
	c.readMarkdown(Prose(belowTitle(s)), s.Title)
	for _, q := range s.Questions {
		c.readHeading(fieldQuestions, q)
	}
}

// readMarkdown separates heading lines from the rest. The first line is left out when it
// is a heading that the title names: its words are counted there.
func (c *counter) readMarkdown(text, title string) {
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
func (c *counter) readHeading(field int, heading string) {
	c.read(field, heading)
	c.readCommon(field, heading)
}

func (c *counter) readCommon(field int, heading string) {
	if whole := commonWords(heading); whole != "" {
		c.hit(field, []byte(whole))
	}
}

// read counts the words of a text for a field. Most words of a text are not in
// the query: those in ASCII are passed after a look at their first three letters.
func (c *counter) read(field int, text string) {
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
		if plain && c.all == nil && !c.mayHit(text[start:i], lower) {
			continue
		}
		if plain && c.known != nil {
			c.hitKnown(field, text[start:i], lower)
			continue
		}
		c.scan.each(text[start:i], func(word []byte) { c.hit(field, word) })
	}
	c.length[field] += words
	c.scan.eachSigned(text, true, func(word []byte) { c.hit(field, word) })
}

// mayHit reports whether a word in ASCII can be one of the query's.
func (c *counter) mayHit(word string, lower *[256]byte) bool {
	switch len(word) {
	case 0, 1:
		return false
	case 2:
		return c.query.startsTerm(lower[word[0]], lower[word[1]], 0)
	}
	return c.query.startsTerm(lower[word[0]], lower[word[1]], lower[word[2]])
}

// hit counts a word and returns the number of its term; -1 when that does not count.
func (c *counter) hit(field int, word []byte) int {
	c.stem = append(c.stem[:0], word...)
	word = stem.Of(c.stem)
	t, ok := 0, false
	if c.all == nil {
		t, ok = c.query.byStem[string(word)]
	} else if t, ok = c.all[string(word)]; !ok {
		t, ok = len(c.stems), true
		c.stems = append(c.stems, string(word))
		c.all[c.stems[t]] = t
		c.counts = append(c.counts, [fieldCount]int{})
	}
	if !ok {
		return -1
	}
	c.add(field, t)
	return t
}

// add counts a term.
func (c *counter) add(field, t int) {
	if c.counts[t] == [fieldCount]int{} {
		c.touched = append(c.touched, t)
	}
	c.counts[t][field]++
}

// hitKnown counts a word in ASCII. Text repeats its words, so what has become of each is
// kept.
func (c *counter) hitKnown(field int, word string, lower *[256]byte) {
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
