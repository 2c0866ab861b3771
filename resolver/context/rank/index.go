package rank

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/stem"
	"github.com/packgen/packgen/resolver/context/parallel"
)

// Index holds what BM25F counts in sections, so that a query can be scored without
// their texts. Scores over an index equal those over the texts.
type Index struct {
	lengths []byte // of the sections: for each field four bytes, then four of its group
	total   sectionTotal
	terms   int
	records []byte // of the terms, in the order of their stems
}

type sectionLength [fieldCount]int

// sectionBytes is the size of a section in an index.
const sectionBytes = 4 * (fieldCount + 1)

// NewIndex counts the words of sections.
func NewIndex(sections []Section) *Index {
	x := &Index{}
	lengths := make([]sectionLength, len(sections))
	type part struct {
		from  int
		found map[string][]posting
	}
	var parts []part
	var lock sync.Mutex
	parallel.Ranges(len(sections), func(from, to int) {
		c := NewTally()
		found := map[string][]posting{}
		for i := from; i < to; i++ {
			var terms []Term
			terms, lengths[i] = c.Of(&sections[i])
			for _, t := range terms {
				found[c.stems[t.Stem]] = append(found[c.stems[t.Stem]], posting{i, t.Count})
			}
		}
		lock.Lock()
		defer lock.Unlock()
		parts = append(parts, part{from, found})
	})
	groups := map[string]uint32{"": 0} // numbers of documents
	for i := range sections {
		group, ok := groups[sections[i].Document]
		if !ok {
			group = uint32(len(groups))
			groups[sections[i].Document] = group
		}
		for f, n := range lengths[i] {
			x.total[f] += float64(n)
			x.lengths = binary.LittleEndian.AppendUint32(x.lengths, uint32(n))
		}
		x.lengths = binary.LittleEndian.AppendUint32(x.lengths, group)
	}
	slices.SortFunc(parts, func(a, b part) int { return a.from - b.from })
	all := map[string][]posting{}
	for _, p := range parts {
		for stem, list := range p.found {
			all[stem] = append(all[stem], list...)
		}
	}
	for _, stem := range slices.Sorted(maps.Keys(all)) {
		x.add(stem, all[stem])
	}
	return x
}

// add appends the record of a term: its stem, the length of what follows, and for each
// section the distance from the one before, the fields with a count, and the counts.
func (x *Index) add(stem string, list []posting) {
	var body []byte
	before := -1
	for _, p := range list {
		body = binary.AppendUvarint(body, uint64(p.section-before))
		before = p.section
		mask := byte(0)
		for f, n := range p.count {
			if n > 0 {
				mask |= 1 << f
			}
		}
		body = append(body, mask)
		for _, n := range p.count {
			if n > 0 {
				body = binary.AppendUvarint(body, uint64(n))
			}
		}
	}
	x.records = binary.AppendUvarint(x.records, uint64(len(stem)))
	x.records = append(x.records, stem...)
	x.records = binary.AppendUvarint(x.records, uint64(len(body)))
	x.records = append(x.records, body...)
	x.terms++
}

// Len is the number of sections.
func (x *Index) Len() int { return len(x.lengths) / sectionBytes }

// length is that of the fields of a section.
func (x *Index) length(section int) (length sectionLength) {
	for f := range length {
		length[f] = int(binary.LittleEndian.Uint32(x.lengths[section*sectionBytes+4*f:]))
	}
	return length
}

// groups are the numbers of the documents of all sections.
func (x *Index) groups() []uint32 {
	groups := make([]uint32, x.Len())
	for i := range groups {
		groups[i] = binary.LittleEndian.Uint32(x.lengths[(i+1)*sectionBytes-4:])
	}
	return groups
}

// Append appends the index to a file. It ends where it ends: nothing may follow it.
func (x *Index) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(x.Len()))
	for _, sum := range x.total {
		b = binary.AppendUvarint(b, uint64(sum))
	}
	b = append(b, x.lengths...)
	b = binary.AppendUvarint(b, uint64(x.terms))
	return append(b, x.records...)
}

// errIndex marks bytes that are not an index.
var errIndex = errors.New("read an index of words: the bytes are not an index")

// ReadIndex reads what Append wrote. The index keeps the bytes.
func ReadIndex(b []byte) (*Index, error) {
	r := &varints{rest: b}
	n := r.next(len(b))
	x := &Index{}
	for f := range x.total {
		x.total[f] = float64(r.next(math.MaxInt32))
	}
	x.lengths = r.bytes(n * sectionBytes)
	x.terms = r.next(len(b))
	if r.bad {
		return nil, errIndex
	}
	x.records = r.rest
	return x, nil
}

// find finds the terms of a query.
func (x *Index) find(q *parsedQuery) (occurrences, error) {
	o := occurrences{postings: make([][]posting, len(q.terms)), length: x.length, total: x.total, groups: x.groups(), versions: versions{}}
	r := &varints{rest: x.records}
	for range x.terms {
		stem := r.bytes(r.next(len(r.rest)))
		body := r.bytes(r.next(len(r.rest)))
		if r.bad {
			return o, errIndex
		}
		numbered := len(stem) > 1 && stem[0] == 'v' && isNumbered(string(stem))
		if !numbered && !q.mayBe(stem) {
			continue
		}
		t, asked := q.byStem[string(stem)]
		if !asked && !numbered {
			continue
		}
		list, ok := x.postings(body)
		if !ok {
			return o, errIndex
		}
		if asked {
			o.postings[t] = list
		}
		for _, p := range list {
			if numbered && p.count[fieldTitle] > 0 {
				o.versions.add(p.section, string(stem))
			}
		}
	}
	return o, nil
}

// postings reads the record of a term; false when it is not one.
func (x *Index) postings(body []byte) ([]posting, bool) {
	list := make([]posting, 0, len(body)/3+1)
	r := &varints{rest: body}
	p := posting{section: -1}
	for len(r.rest) > 0 && !r.bad {
		step := r.next(x.Len())
		mask := r.bytes(1)
		p.section += step
		if r.bad || step == 0 || p.section >= x.Len() {
			return nil, false
		}
		p.count = [fieldCount]int{}
		for f := range fieldCount {
			if mask[0]&(1<<f) != 0 {
				p.count[f] = r.next(math.MaxInt32)
			}
		}
		list = append(list, p)
	}
	return list, !r.bad
}

// varints reads numbers and bytes; after a fault it is bad and reads nothing.
type varints struct {
	rest []byte
	bad  bool
}

// next reads a number of at most most; 0 when there is none.
func (r *varints) next(most int) int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > uint64(most) {
		r.bad = true
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

// bytes reads that many bytes.
func (r *varints) bytes(n int) []byte {
	if r.bad || n > len(r.rest) {
		r.bad = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

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

// aboutShare is how much the name and the description of a pack raise the scores of its
// sections where they hold all of the query's weight.
const aboutShare = 0.1

// Part is the sections of one pack among those that are ranked together.
type Part struct {
	Index    *Index    // what BM25F counts in the sections; nil for another scorer
	Sections []Section // the sections themselves, for that
	About    []string  // what is said of the pack as a whole: it raises sections that fit, and finds none
}

// Len is the number of sections.
func (p *Part) Len() int {
	if p.Index != nil {
		return p.Index.Len()
	}
	return len(p.Sections)
}

// Ranges are the places of the sections of each part when they are ranked together.
func Ranges(parts []Part) []Range {
	list := make([]Range, len(parts))
	at := 0
	for i := range parts {
		list[i] = Range{at, at + parts[i].Len()}
		at = list[i].To
	}
	return list
}

// Score ranks the sections of several packs together as those of one. Without a ranking, damaged lists the parts whose
// index cannot be read.
func Score(s Scorer, query string, parts []Part) (r Ranking, damaged []int) {
	if b, ok := s.(BM25F); ok {
		return b.scoreParts(query, parts)
	}
	var sections []Section
	for i := range parts {
		sections = append(sections, parts[i].Sections...)
	}
	return s.Score(query, sections), nil
}

// scoreParts weighs the words of a query by how rare they are in all parts.
func (b BM25F) scoreParts(query string, parts []Part) (r Ranking, damaged []int) {
	q := parseQuery(query)
	found, errs := make([]occurrences, len(parts)), make([]error, len(parts))
	parallel.Ranges(len(parts), func(from, to int) {
		for i := from; i < to; i++ {
			found[i], errs[i] = parts[i].Index.find(q)
		}
	})
	for i, err := range errs {
		if err != nil {
			damaged = append(damaged, i)
		}
	}
	switch {
	case len(damaged) > 0:
		return nil, damaged
	case len(parts) == 1:
		return b.rank(q, found[0]), nil
	}
	ranges := Ranges(parts)
	o := join(q, found, ranges)
	for i := range parts {
		o.about = append(o.about, aboutness{ranges[i], termsIn(q, parts[i].About)})
	}
	return b.rank(q, o), nil
}

// join makes one of the occurrences in several ranges of sections.
func join(q *parsedQuery, list []occurrences, ranges []Range) occurrences {
	all := occurrences{postings: make([][]posting, len(q.terms)), versions: versions{}}
	for t := range all.postings { // lists that grow would be copied several times
		size := 0
		for i := range list {
			size += len(list[i].postings[t])
		}
		all.postings[t] = make([]posting, 0, size)
	}
	all.groups = make([]uint32, 0, ranges[len(ranges)-1].To)
	documents := uint32(0) // numbered so far
	for i := range list {
		o := &list[i]
		for t := range all.postings {
			for _, p := range o.postings[t] {
				p.section += ranges[i].From
				all.postings[t] = append(all.postings[t], p)
			}
		}
		most := uint32(0)
		for _, group := range o.groups {
			most = max(most, group)
			if group > 0 {
				group += documents
			}
			all.groups = append(all.groups, group)
		}
		documents += most
		for section, version := range o.versions {
			all.versions.add(section+ranges[i].From, version)
		}
		for f := range all.total {
			all.total[f] += o.total[f]
		}
	}
	all.length = func(section int) sectionLength {
		i := sort.Search(len(ranges), func(i int) bool { return section < ranges[i].To })
		return list[i].length(section - ranges[i].From)
	}
	return all
}

// aboutness is the terms of a query that are said of the pack of some sections.
type aboutness struct {
	sections Range
	terms    []int
}

// termsIn are the terms of a query that texts hold.
func termsIn(q *parsedQuery, texts []string) []int {
	var list []int
	c := NewTally()
	for _, text := range texts {
		c.Of(&Section{Title: text})
	}
	for _, stem := range c.stems {
		if t, ok := q.byStem[stem]; ok {
			list = append(list, t)
		}
	}
	return list
}

// raise raises the sections of packs that are about what the query says.
func (r *bm25Ranking) raise() {
	all := 0.0
	for _, t := range r.query.parts[0].terms {
		all += r.weight[t]
	}
	if len(r.about) == 0 || all == 0 {
		return
	}
	r.scores = make([][]float64, len(r.earned))
	for part, earned := range r.earned {
		scores := append([]float64{}, earned...)
		for _, a := range r.about {
			factor := 1 + aboutShare*r.shareOf(a.terms, all)
			for i := a.sections.From; i < a.sections.To; i++ {
				scores[i] = min(100, math.Round(scores[i]*factor*100)/100)
			}
		}
		r.scores[part] = scores
	}
}

// shareOf is the share of the query's weight that some terms have, each counted once.
func (r *bm25Ranking) shareOf(terms []int, all float64) float64 {
	held := make(map[int]bool, len(terms))
	for _, t := range terms {
		held[t] = true
	}
	sum := 0.0
	for _, t := range r.query.parts[0].terms {
		if held[t] {
			sum += r.weight[t]
		}
	}
	return sum / all
}

// Best is the section of a range that fits the query as a whole best; its score is 0 where
// none does, and for a scorer that does not know.
func Best(r Ranking, among Range) Hit {
	best := Hit{Title: true}
	if b, ok := r.(*bm25Ranking); ok {
		for i := among.From; i < among.To; i++ {
			if b.scores[0][i] > best.Score {
				best.Section, best.Score = i, b.scores[0][i]
			}
		}
	}
	return best
}
