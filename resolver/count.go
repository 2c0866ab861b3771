package resolver

import "strings"

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
	field   int
	words   int
}

func newCounter(q *parsedQuery) *counter {
	return &counter{query: q, counts: make([][fieldCount]int, len(q.terms))}
}

// count reads the fields of a section.
func (c *counter) count(s *Section) counted {
	var out counted
	titles := func() {
		c.read(s.Title)
		for _, title := range s.TitlePath {
			c.read(title)
		}
	}
	body, headings := prose(s.Text), ""
	if strings.Contains(body, "#") {
		body, headings = splitHeadings(body)
	}
	for field, read := range [fieldCount]func(){
		fieldTitle:    titles,
		fieldHeadings: func() { c.read(headings) },
		fieldBody:     func() { c.read(body) },
		fieldQuestions: func() {
			for _, q := range s.Questions {
				c.read(q)
			}
		},
	} {
		c.field, c.words = field, 0
		read()
		out.length[field] = c.words
	}
	out.hits = make([]termCount, 0, len(c.touched))
	for _, t := range c.touched {
		out.hits = append(out.hits, termCount{t, c.counts[t]})
		c.counts[t] = [fieldCount]int{}
	}
	c.touched = c.touched[:0]
	return out
}

// read counts the words of a text for the current field.
func (c *counter) read(text string) {
	c.scan.each(text, func(word []byte) {
		c.words++
		if !c.query.mayHold(word) {
			return
		}
		c.stem = append(c.stem[:0], word...)
		t, ok := c.query.byStem[string(stemOf(c.stem))]
		if !ok {
			return
		}
		if c.counts[t] == [fieldCount]int{} {
			c.touched = append(c.touched, t)
		}
		c.counts[t][c.field]++
	})
}

// splitHeadings parts the heading lines of a text from the rest. The first line
// is left out of both when it is a heading: it is the title.
func splitHeadings(text string) (body, headings string) {
	var b, h strings.Builder
	fence := ""
	first := true
	for line := range strings.Lines(text) {
		if fence = nextFence(fence, strings.TrimRight(line, "\n")); fence != "" || !isHeading(line) {
			b.WriteString(line)
		} else if !first {
			h.WriteString(line)
		}
		first = false
	}
	return b.String(), h.String()
}

// isHeading reports an ATX heading line.
func isHeading(line string) bool {
	marks := len(line) - len(strings.TrimLeft(line, "#"))
	return marks >= 1 && marks <= 6 && strings.HasPrefix(line[marks:], " ")
}
