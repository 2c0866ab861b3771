package cut

import (
	"slices"
	"sort"

	"github.com/packgen/packgen/compiler/markdown"
)

// SoftCap is the token estimate above which a split is cut deeper
// (agent-knowledge section 6.3 rule 7).
const SoftCap = 1200

// overviewID is the section id of a preamble.
const overviewID = "overview"

// Piece is one section as it is cut: a slice of a document at line starts.
type Piece struct {
	ID, Title   string
	Start, End  int  // offsets of the whole slice; slices of one document do not overlap
	First, Last int  // the slice without blank lines at both ends; Last is before the line end
	Tokens      int  // estimate of the slice below its heading path, with one line end, before markers
	Oversize    bool // exceeds the cap and has no deeper headings

	section  string // id that parts of it put in front of theirs
	path     []byte // the headings above it, see pathTo
	parent   int    // where the section begins whose text it is part of
	level    int    // level of the headings it was cut at; deeper ones may cut it again
	preamble bool   // is before the first cut
}

// cutter cuts one document.
type cutter struct {
	doc     *markdown.Document
	hidden  markdown.Hidden
	ids     *markdown.IDs
	content []int // offsets of the content blocks
	pieces  []Piece
	parents []int32 // of headings, see parent; nil until asked for
	title   []byte  // see pageTitle; nil until asked for
}

// Document cuts the body of a document into sections (agent-knowledge section
// 6.3). Stem is the name of the file without ".md". An empty document gives
// nothing.
func Document(doc *markdown.Document, stem string) []Piece {
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
	k.addCuts(cuts, len(doc.Text), func(h markdown.Heading) Piece {
		return Piece{ID: h.ID, section: h.ID, Title: headingTitle(h), level: level}
	})
	return k.pieces
}

func newCutter(doc *markdown.Document) *cutter {
	k := &cutter{doc: doc, hidden: markdown.HiddenIn(doc), ids: doc.IDs()}
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

// cutLevel returns the level to cut at: 1 when there are several H1, otherwise the
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
func (k *cutter) whole(stem string) Piece {
	id, title := Name(k.doc, stem)
	p := Piece{ID: id, section: id, Title: title, level: 6, Start: k.doc.Body, End: len(k.doc.Text)}
	return k.measure(p)
}

// Name returns the section id and title of a whole document: those of its first
// H1, otherwise made of the file stem.
func Name(doc *markdown.Document, stem string) (id, title string) {
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

// addPreamble adds what is before the first cut when it says something.
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
	k.add(Piece{ID: id, section: id, Title: title, level: level, Start: k.doc.Body, End: end, preamble: true})
}

// addCuts adds one piece for each heading, running to the next one or to end.
func (k *cutter) addCuts(headings []int, end int, name func(markdown.Heading) Piece) {
	for i, at := range headings {
		p := name(k.doc.Headings[at])
		p.Start, p.End = k.doc.Headings[at].Start, end
		if i+1 < len(headings) {
			p.End = k.doc.Headings[headings[i+1]].Start
		}
		k.add(p)
	}
}

// add keeps a piece that fits the cap, and cuts another one at the shallowest of
// its deeper headings, as long as there are any.
func (k *cutter) add(p Piece) {
	p = k.measure(p)
	deeper := 0
	if p.Tokens > SoftCap {
		deeper = k.deeperLevel(p)
	}
	if deeper == 0 {
		p.Oversize = p.Tokens > SoftCap
		k.pieces = append(k.pieces, p)
		return
	}
	cuts := k.headingsAt(deeper, p.Start, p.End)
	lead := p
	lead.parent = p.Start
	lead.End = k.doc.Headings[cuts[0]].Start
	if k.hasContent(lead.Start, lead.End) {
		k.add(lead)
	}
	k.addCuts(cuts, p.End, func(h markdown.Heading) Piece {
		return Piece{
			ID:      k.ids.Take(p.section + "--" + h.ID),
			section: p.section,
			Title:   p.Title + ": " + headingTitle(h),
			level:   deeper,
			parent:  p.Start,
		}
	})
}

// deeperLevel returns the shallowest level below that of a piece among the
// headings in it, 0 when there is none.
func (k *cutter) deeperLevel(p Piece) int {
	level := 0
	from, to := k.headingRange(p.Start, p.End)
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
func (k *cutter) measure(p Piece) Piece {
	p.First, p.Last = trimBlankLines(k.doc.Text, p.Start, p.End)
	if p.First < p.Last {
		p.path = k.pathTo(p.First)
	}
	p.Tokens = estimate(p.path, visible(k.doc, k.hidden, p.First, p.Last))
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

// visible is what a reader sees of a slice, without blank lines at both ends.
func visible(doc *markdown.Document, hidden markdown.Hidden, start, end int) []byte {
	if hidden.Count(start, end) == 0 {
		return doc.Text[start:end]
	}
	text := hidden.Append(nil, doc.Text, start, end)
	first, last := trimBlankLines(text, 0, len(text))
	return text[first:last]
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }
