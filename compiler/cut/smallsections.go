package cut

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/token"
)

// Split is what one file below compiled/splits/ holds: one section, or several small
// neighbours below one heading. It begins with the headings that it is below.
type Split struct {
	First, Last int    // of its sections, as indexes into those of the file
	Title       string // names the headings

	path   []byte // the headings above it, as written, each with a blank line after it
	hidden markdown.Hidden
	start  int // the slice of the document, blank lines at both ends left out
	end    int
}

// Join makes the splits of the sections of a document, in order. Sections below small
// tokens are joined with neighbours that are small too, up to the soft cap: on a
// reference page with a heading for each parameter, sections by themselves are too
// little to be read and too many to choose from. Alone reports the sections that are
// never joined, by index.
func Join(doc *markdown.Document, pieces []Piece, small int, alone func(int) bool) []Split {
	splits := make([]Split, 0, len(pieces))
	hidden := markdown.HiddenIn(doc)
	for i := range pieces {
		p := &pieces[i]
		if n := len(splits); n > 0 && small > 0 && !alone(i) && !alone(splits[n-1].Last) && splits[n-1].joins(doc, pieces, i, small) {
			s := &splits[n-1]
			s.Last, s.end = i, p.Last
			continue
		}
		splits = append(splits, Split{First: i, Last: i, path: p.path, hidden: hidden, start: p.First, end: p.Last})
	}
	for i := range splits {
		splits[i].Title = titleOf(pieces[splits[i].First : splits[i].Last+1])
	}
	return splits
}

// joins reports whether a section and the last one of a split are small neighbours
// below one heading that fit the cap together.
func (s *Split) joins(doc *markdown.Document, pieces []Piece, i, small int) bool {
	before, p := &pieces[s.Last], &pieces[i]
	return before.Tokens < small && p.Tokens < small && before.parent == p.parent &&
		estimate(s.path, visible(doc, s.hidden, s.start, p.Last)) <= SoftCap
}

// maxTitle is how many characters the title of a split of several sections has before
// the rest of its headings is only counted.
const maxTitle = 160

// titleOf names the sections of a split. What the title of the first one begins with,
// the page or the section above, is not repeated.
func titleOf(pieces []Piece) string {
	first := pieces[0].Title
	above := first[:strings.LastIndex(first, ": ")+1]
	title := first
	for i := range pieces[1:] {
		next := pieces[i+1].Title
		for _, title := range []string{first + ":", above} {
			if rest, ok := strings.CutPrefix(next, title); ok && title != "" {
				next = strings.TrimSpace(rest)
				break
			}
		}
		if utf8.RuneCountInString(title)+utf8.RuneCountInString(next) > maxTitle {
			return fmt.Sprintf("%s; and %d more", title, len(pieces)-1-i)
		}
		title += "; " + next
	}
	return title
}

// Slice returns the offsets of what the split holds of its document, blank lines at
// both ends left out.
func (s *Split) Slice() (start, end int) { return s.start, s.end }

// Text returns the bytes of the split as a file: the headings above it, then its
// slice of the document with a status marker at each of the given offsets
// (agent-knowledge section 6.6), in ascending order, and without what the page hides.
func (s *Split) Text(doc *markdown.Document, marks []int) []byte {
	const marker = " [status: source-required]"
	out := make([]byte, 0, len(s.path)+s.end-s.start+len(marks)*len(marker)+1)
	out = append(out, s.path...)
	at := s.start
	for _, m := range marks {
		out = s.hidden.Continue(out, len(s.path), doc.Text, at, m)
		out = append(out, marker...)
		at = m
	}
	out = s.hidden.Continue(out, len(s.path), doc.Text, at, s.end)
	if s.hidden.Count(s.start, s.end) > 0 {
		first, last := trimBlankLines(out, len(s.path), len(out))
		out = append(out[:len(s.path)], out[first:last]...)
	}
	return append(out, '\n')
}

// bracketed is a source anchor or status marker with the space before it: they are about
// the section that they are in, not of those below.
var bracketed = regexp.MustCompile(`(?i)[ \t]*\[(?:source|status):[^\]\n]*\]`)

// pathTo returns the headings that an offset is below, as written but for anchors and
// markers, below the title in the front matter of a page without one of its own: the nearest before it, and from there upwards the nearest of each smaller
// level.
func (k *cutter) pathTo(start int) []byte {
	i, _ := slices.BinarySearchFunc(k.doc.Headings, start, func(h markdown.Heading, at int) int { return h.Start - at })
	next := i - 1
	if i < len(k.doc.Headings) && k.doc.Headings[i].Start == start {
		next = k.parent(i)
	}
	var above []markdown.Heading
	for ; next >= 0; next = k.parent(next) {
		above = append(above, k.doc.Headings[next])
	}
	var path []byte
	if len(above) == 0 || above[len(above)-1].Level > 1 {
		path = k.pageTitle()
	}
	for _, h := range slices.Backward(above) {
		line := bracketed.ReplaceAll(visible(k.doc, k.hidden, h.Start, h.End), nil)
		path = append(path, bytes.TrimRight(line, " \t\n")...)
		path = append(path, "\n\n"...)
	}
	return path
}

// maxPageTitle is how many bytes of the title in the front matter a path has.
const maxPageTitle = 300

// pageTitle is the title in the front matter as a heading, for a page that has no heading
// of the first level: what other systems show above it. It is looked up once.
func (k *cutter) pageTitle() []byte {
	if k.title == nil {
		k.title = []byte{}
		title := strings.Join(strings.Fields(k.doc.MetaString("title")), " ")
		titled := slices.ContainsFunc(k.doc.Headings, func(h markdown.Heading) bool { return h.Level == 1 })
		if title != "" && len(title) <= maxPageTitle && !titled {
			k.title = []byte("# " + title + "\n\n")
		}
	}
	return slices.Clip(k.title)
}

// parent returns the nearest heading before heading i with a smaller level, -1 for none.
// All are looked up once: a page may have hundreds of thousands.
func (k *cutter) parent(i int) int {
	if k.parents == nil {
		k.parents = make([]int32, len(k.doc.Headings))
		for i, h := range k.doc.Headings {
			p := i - 1
			for p >= 0 && k.doc.Headings[p].Level >= h.Level {
				p = int(k.parents[p])
			}
			k.parents[i] = int32(p)
		}
	}
	return int(k.parents[i])
}

// estimate is that of a file with those parts and one line end.
func estimate(path, slice []byte) int {
	return token.Of(token.Units(path) + token.Units(slice) + 1)
}
