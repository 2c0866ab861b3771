package compiler

import (
	"slices"
	"sort"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/token"
)

// softCap is the token estimate above which a split is cut deeper
// (agent-knowledge section 6.3 rule 7).
const softCap = 1200

// overviewID is the section id of a preamble.
const overviewID = "overview"

// piece is one section as it is cut: a slice of a document at line starts.
type piece struct {
	id, title   string
	section     string // id that parts of it put in front of theirs
	level       int    // level of the headings it was cut at; deeper ones may cut it again
	start, end  int    // offsets of the whole slice; slices of one document do not overlap
	first, last int    // the slice without blank lines at both ends; last is before the line end
	tokens      int    // estimate of the slice with one line end, before markers
	preamble    bool   // stands before the first cut
	oversize    bool   // exceeds the cap and has no deeper headings
}

// cutter cuts one document.
type cutter struct {
	doc     *markdown.Document
	ids     *markdown.IDs
	content []int // offsets of the content blocks
	pieces  []piece
}

// cutDocument cuts the body of a document into sections (section 6.3). Stem is
// the name of the file without ".md". An empty document gives nothing.
func cutDocument(doc *markdown.Document, stem string) []piece {
	k := newCutter(doc)
	level := cutLevel(doc.Headings)
	switch {
	case k.empty():
		return nil
	case level == 0:
		k.add(k.whole(stem))
		return k.pieces
	}
	cuts := k.headingsAt(level, doc.Body, len(doc.Text))
	k.addPreamble(stem, level, doc.Headings[cuts[0]].Start)
	k.addCuts(cuts, len(doc.Text), func(h markdown.Heading) piece {
		return piece{id: h.ID, section: h.ID, title: headingTitle(h), level: level}
	})
	return k.pieces
}

func newCutter(doc *markdown.Document) *cutter {
	k := &cutter{doc: doc, ids: doc.IDs()}
	for _, b := range doc.Blocks {
		if b.Content {
			k.content = append(k.content, b.Start)
		}
	}
	return k
}

// empty reports a body with neither heading nor content block.
func (k *cutter) empty() bool {
	return len(k.doc.Headings) == 0 && len(k.content) == 0
}

// cutLevel returns the level to cut at: 1 when there are several H1, else the
// shallowest below, 0 when there is none.
func cutLevel(headings []markdown.Heading) int {
	level, first := 0, 0
	for _, h := range headings {
		switch {
		case h.Level == 1:
			first++
		case level == 0 || h.Level < level:
			level = h.Level
		}
	}
	if first > 1 {
		return 1
	}
	return level
}

// whole is the body as one piece, named after its H1 or the file.
func (k *cutter) whole(stem string) piece {
	id, title := documentName(k.doc, stem)
	p := piece{id: id, section: id, title: title, level: 6, start: k.doc.Body, end: len(k.doc.Text)}
	return k.measure(p)
}

// documentName returns the id and title of a whole document: those of its first
// H1, else made of the file stem.
func documentName(doc *markdown.Document, stem string) (id, title string) {
	if h, ok := firstH1(doc.Headings); ok {
		return h.ID, headingTitle(h)
	}
	return markdown.Slug(stem), stem
}

func firstH1(headings []markdown.Heading) (markdown.Heading, bool) {
	i := slices.IndexFunc(headings, func(h markdown.Heading) bool { return h.Level == 1 })
	if i < 0 {
		return markdown.Heading{}, false
	}
	return headings[i], true
}

// headingTitle is the heading text, or the id of a heading without text.
func headingTitle(h markdown.Heading) string {
	if h.Text == "" {
		return h.ID
	}
	return h.Text
}

// addPreamble adds what stands before the first cut when it says something.
func (k *cutter) addPreamble(stem string, level, end int) {
	if !k.hasContent(k.doc.Body, end) {
		return
	}
	id := k.ids.Take(overviewID)
	title := stem
	if h, ok := firstH1(k.doc.Headings); ok && h.Start < end {
		if title = h.Text; title == "" {
			title = id
		}
	}
	k.add(piece{id: id, section: id, title: title, level: level, start: k.doc.Body, end: end, preamble: true})
}

// addCuts adds one piece for each heading, running to the next one or to end.
func (k *cutter) addCuts(headings []int, end int, name func(markdown.Heading) piece) {
	for i, at := range headings {
		p := name(k.doc.Headings[at])
		p.start, p.end = k.doc.Headings[at].Start, end
		if i+1 < len(headings) {
			p.end = k.doc.Headings[headings[i+1]].Start
		}
		k.add(p)
	}
}

// add keeps a piece that fits the cap, and cuts another one at the shallowest of
// its deeper headings, as long as there are any.
func (k *cutter) add(p piece) {
	p = k.measure(p)
	deeper := 0
	if p.tokens > softCap {
		deeper = k.deeperLevel(p)
	}
	if deeper == 0 {
		p.oversize = p.tokens > softCap
		k.pieces = append(k.pieces, p)
		return
	}
	cuts := k.headingsAt(deeper, p.start, p.end)
	lead := p
	lead.end = k.doc.Headings[cuts[0]].Start
	if k.hasContent(lead.start, lead.end) {
		k.add(lead)
	}
	k.addCuts(cuts, p.end, func(h markdown.Heading) piece {
		return piece{
			id:      k.ids.Take(p.section + "--" + h.ID),
			section: p.section,
			title:   p.title + ": " + headingTitle(h),
			level:   deeper,
		}
	})
}

// deeperLevel returns the shallowest level below that of a piece among the
// headings in it, 0 when there is none.
func (k *cutter) deeperLevel(p piece) int {
	level := 0
	from, to := k.headingRange(p.start, p.end)
	for _, h := range k.doc.Headings[from:to] {
		if h.Level > p.level && (level == 0 || h.Level < level) {
			level = h.Level
		}
	}
	return level
}

// headingsAt returns the indexes of the headings of one level in a slice.
func (k *cutter) headingsAt(level, start, end int) []int {
	var list []int
	from, to := k.headingRange(start, end)
	for i := from; i < to; i++ {
		if k.doc.Headings[i].Level == level {
			list = append(list, i)
		}
	}
	return list
}

func (k *cutter) headingRange(start, end int) (from, to int) {
	headings := k.doc.Headings
	from = sort.Search(len(headings), func(i int) bool { return headings[i].Start >= start })
	to = sort.Search(len(headings), func(i int) bool { return headings[i].Start >= end })
	return from, to
}

// hasContent reports whether a content block starts in a slice.
func (k *cutter) hasContent(start, end int) bool {
	i, _ := slices.BinarySearch(k.content, start)
	return i < len(k.content) && k.content[i] < end
}

// measure trims a piece and estimates its tokens.
func (k *cutter) measure(p piece) piece {
	p.first, p.last = trimBlankLines(k.doc.Text, p.start, p.end)
	p.tokens = token.Of(token.Units(k.doc.Text[p.first:p.last]) + 1)
	return p
}

// trimBlankLines leaves out blank lines (spaces and tabs count as blank) at both
// ends of a slice, and the line end of its last line.
func trimBlankLines(text []byte, start, end int) (first, last int) {
	first = start
	for i := start; i < end && isBlank(text[i]); i++ {
		if text[i] == '\n' {
			first = i + 1
		}
	}
	last = end
	for i := end; i > first && isBlank(text[i-1]); i-- {
		if text[i-1] == '\n' {
			last = i - 1
		}
	}
	return first, max(first, last)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// text returns the bytes of a piece as a file, with a status marker at each of
// the given offsets (section 6.6), in ascending order.
func (p piece) text(doc *markdown.Document, marks []int) []byte {
	const marker = " [status: source-required]"
	out := make([]byte, 0, p.last-p.first+len(marks)*len(marker)+1)
	at := p.first
	for _, m := range marks {
		out = append(out, doc.Text[at:m]...)
		out = append(out, marker...)
		at = m
	}
	out = append(out, doc.Text[at:p.last]...)
	return append(out, '\n')
}
