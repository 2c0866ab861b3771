package compiler

import (
	"slices"
	"strconv"

	"github.com/packgen/packgen/compiler/cut"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
)

// apart says which small sections are never joined with their neighbours: those that
// are looked for by the class of their title (agent-knowledge section 13.6), and those
// that an author names: as a split, or in the front matter of their page.
type apart struct {
	small   int // tokens below which others are
	classes []markdown.Class
	named   map[string]bool // ids of splits in metadata.loadout
}

func newApart(meta *pack.Knowledge) apart {
	a := apart{small: meta.Shape.Join, classes: []markdown.Class{markdown.ClassBoundary}, named: map[string]bool{}}
	if meta.EffectiveMode() == pack.ModePersona {
		a.classes = append(a.classes, markdown.ClassVoice, markdown.ClassValues, markdown.ClassTaboos, markdown.ClassPersonaBoundaries, markdown.ClassUsage)
	}
	for _, key := range frontmatter.NewMap(entryFile, meta.Metadata, nil).Map("loadout").Keys() {
		a.named[key.Value] = true
	}
	return a
}

// join makes the splits of a document of its sections. Withheld reports the sections
// that hold a secret, by index.
func (a apart) join(doc *markdown.Document, pieces []cut.Piece, withheld func(int) bool) []cut.Split {
	front := frontmatter.NewMap(doc.Path, doc.Meta, nil)
	own := map[string]bool{}
	for _, key := range front.Map("questions").Keys() {
		own[key.Value] = true
	}
	limits, _ := front.StringOrStrings("boundary")
	for _, id := range limits {
		own[id] = true
	}
	return cut.Join(doc, pieces, a.small, func(i int) bool {
		p := &pieces[i]
		return own[p.ID] || a.named[splitName(doc.Path, *p, false)] || withheld(i) ||
			slices.ContainsFunc(a.classes, func(c markdown.Class) bool { return c.Has(p.Title) })
	})
}

// key is what the splits of every file depend on.
func (a apart) key() []string {
	list := append(sortedKeys(a.named), strconv.Itoa(a.small))
	if len(a.classes) > 1 {
		list = append(list, pack.ModePersona)
	}
	return list
}

// makeSplits makes the splits of a file of its sections. It returns their texts.
func (f *file) makeSplits(doc *markdown.Document, pieces []cut.Piece, joined []cut.Split, marks [][]int, whole bool) []SplitText {
	splits := make([]SplitText, 0, len(joined))
	own := make(map[string]bool, len(joined))
	for i := range joined {
		j := &joined[i]
		first := &f.sections[j.First]
		if first.withheld {
			continue
		}
		text := j.Text(doc, slices.Concat(marks[j.First:j.Last+1]...))
		first.split, first.size = newSplit(f, pieces[j.First], whole, text, first.anchors), len(text)
		first.split.Title = j.Title
		if !f.checkSplitPath(first, own) {
			continue
		}
		for at := j.First + 1; at <= j.Last; at++ {
			f.sections[at].joinTo(first)
		}
		start, end := j.Slice()
		splits = append(splits, SplitText{Split: first.split, Start: start, End: end, Text: string(text)})
	}
	return splits
}

// joinTo puts a section into the split of one before it.
func (s *section) joinTo(first *section) {
	x := &first.split
	if len(x.Sections) == 0 {
		x.Sections = []string{first.id}
		x.SourceAnchors = slices.Clone(first.anchors)
	}
	x.Sections = append(x.Sections, s.id)
	x.SourceAnchors = addNew(x.SourceAnchors, s.anchors)
	s.shared, s.split.Path = true, x.Path
}

// addNew adds the anchors that a list does not have.
func addNew(list, more []string) []string {
	for _, a := range more {
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// sharedCoverage is the coverage of a chapter of two sections (section 9).
func sharedCoverage(a, b string) string {
	switch {
	case a == b:
		return a
	case a == "conflict" || b == "conflict":
		return "conflict"
	}
	return "partial"
}
