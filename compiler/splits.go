package compiler

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/cut"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
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

// markSplits puts markers after the claims of splits that are stale or disputed: a split is
// what pointers lead to and what an archive carries, and whoever reads it sees no source
// map. It follows from claims and sources as the source map does. The claims that it finds
// are noted for the views.
func (j *joined) markSplits() error {
	doubts := newDoubts()
	j.doubts, j.leads = doubts, map[*file]schema.Status{}
	for _, f := range j.files {
		for i := range f.sections {
			s := &f.sections[i]
			if !f.walked || s.withheld {
				continue
			}
			for k := range s.statements {
				st := &s.statements[k]
				doubt := j.doubtOf(f, st)
				doubts.add(f.path, st.text, doubt)
				if doubt != "" && overlap(st.text, f.lead) {
					j.leads[f] = schema.Worse(j.leads[f], doubt)
				}
			}
		}
		if doubts.Any(f.path) {
			if err := j.markFile(f, doubts); err != nil {
				return err
			}
		}
	}
	return nil
}

// overlap reports whether one of two texts holds the other, in whatever case and punctuation.
func overlap(a, b string) bool {
	a, b = lint.FoldText(a), lint.FoldText(b)
	return a != "" && b != "" && (strings.Contains(a, b) || strings.Contains(b, a))
}

// mark puts the markers of splits after the claims of a generated view.
func (v *view) mark(doubts *Doubts) {
	text := v.text.String()
	marked := string(doubts.Mark("", []byte(text)))
	v.text.Reset()
	v.text.WriteString(marked)
}

// doubtOf is "stale" or "disputed" for a statement with a claim that is one of the two.
func (j *joined) doubtOf(f *file, st *statement) schema.Status {
	if j.conflicts(st) {
		return schema.Disputed
	}
	status := st.marker.Doubt()
	for _, a := range st.anchors {
		status = schema.Worse(status, j.ownStatus(f, st, a))
	}
	return status
}

// markFile marks the splits of a file.
func (j *joined) markFile(f *file, doubts *Doubts) error {
	texts, err := j.textsOf(f)
	if err != nil {
		return err
	}
	byPath := map[string]*schema.Split{}
	for i := range f.sections {
		if s := &f.sections[i]; !s.shared {
			byPath[s.split.Path] = &s.split
		}
	}
	var marked []byte
	sizes := slices.Clone(f.info.Sizes)
	at := 0
	for i, size := range f.info.Sizes {
		from := at
		if at += size.Size; at > len(texts) {
			return fmt.Errorf("the splits of %s do not fit their record", f.path)
		}
		text := doubts.Mark(f.path, texts[from:at])
		marked, sizes[i].Size = append(marked, text...), len(text)
		if s := byPath[size.Path]; s != nil && len(text) != size.Size { // otherwise another file has taken the path
			s.SHA256, s.TokenEstimate = schema.SHA256(text), token.Estimate(string(text))
		}
	}
	if len(marked) == len(texts) {
		return nil
	}
	f.info.Sizes = sizes
	if f.texts != nil {
		f.texts = marked
	}
	if f.info.Texts.Known() {
		f.info.Texts = j.cache.store.SetBlob(marked)
	}
	return nil
}

// hybrid takes documents and pages for primary sources.
func hybrid() *contract { return &contract{documents: true, wiki: true} }

// SectionText is one split of a document as a compile would write it: a section, or
// several small ones that are joined.
type SectionText struct {
	ID            string   // section id (agent-knowledge section 6.3), the first of several
	IDs           []string // of all of its sections
	Title         string   // as in compiled/index.json
	Split         string   // path of the split; of two that want one path, both have it
	Text          string   // the bytes of the split, markers appended (section 6.6)
	SourceAnchors []string // usable anchors, first occurrence order
}

// Sections cuts a document or wiki page in memory as a compile of its pack would
// (agent-knowledge sections 6.3 and 6.4). Drafts, archived and empty files, and
// pages that get no splits, give nothing.
func Sections(doc *markdown.Document, meta *pack.Knowledge) []SectionText {
	return sectionsOf(doc, meta, func(pieces []cut.Piece) []cut.Split {
		return newApart(meta).join(doc, pieces, func(int) bool { return false })
	})
}

// SectionsJoining cuts a document or wiki page as [Sections] does, but joins the sections of
// some ids, as far as their size allows, and no others.
func SectionsJoining(doc *markdown.Document, meta *pack.Knowledge, ids []string) []SectionText {
	return sectionsOf(doc, meta, func(pieces []cut.Piece) []cut.Split {
		return cut.Join(doc, pieces, math.MaxInt, func(i int) bool { return !slices.Contains(ids, pieces[i].ID) })
	})
}

// sectionsOf cuts a document or wiki page into sections, which join makes splits of.
func sectionsOf(doc *markdown.Document, meta *pack.Knowledge, join func([]cut.Piece) []cut.Split) []SectionText {
	f := &file{path: doc.Path, role: hybrid().roleOf(doc.Path)}
	if f.role == openDocument {
		f.role = document
	}
	if !f.role.getsSplits() || doc.Status == schema.Draft || doc.Status == schema.Archived {
		return nil
	}
	pieces, whole := cutByRole(f, doc)
	marks := make([][]int, len(pieces))
	if meta.EffectiveGrounding() == "required" {
		markUnsourced(doc, pieces, marks)
	}
	joined := join(pieces)
	list := make([]SectionText, len(joined))
	for i := range joined {
		j := &joined[i]
		p := pieces[j.First]
		t := SectionText{
			ID: p.ID, Title: j.Title, Split: splitsDir + splitName(f.path, p, whole) + ".md",
			Text: string(j.Text(doc, slices.Concat(marks[j.First:j.Last+1]...))), SourceAnchors: []string{},
		}
		for at := j.First; at <= j.Last; at++ {
			t.IDs = append(t.IDs, pieces[at].ID)
			t.SourceAnchors = addNew(t.SourceAnchors, anchorsIn(doc, pieces[at]))
		}
		list[i] = t
	}
	return list
}

// markUnsourced notes for each piece where the marker "source-required" goes.
func markUnsourced(doc *markdown.Document, pieces []cut.Piece, marks [][]int) {
	at := 0
	for i := range doc.Units {
		u := &doc.Units[i]
		for at < len(pieces) && u.Start >= pieces[at].End {
			at++
		}
		if at == len(pieces) {
			return
		}
		marked := u.Marker != "" && u.Marker != schema.Confirmed
		if u.Text != "" && u.Statement && !marked && len(usable(u.Anchors)) == 0 {
			marks[at] = append(marks[at], u.End)
		}
	}
}

// GetsSplits reports whether a wiki page is one that a compile turns into
// splits, by its path: not the index, the log, a source summary, a
// contradiction or an open question (agent-knowledge section 6.4).
func GetsSplits(path string) bool {
	return strings.HasSuffix(path, ".md") && hybrid().roleOf(path).getsSplits()
}

// PageText is a wiki page as its split would hold it: title, the id of its one
// section, and the body without front matter (agent-knowledge section 6.4).
func PageText(doc *markdown.Document) SectionText {
	pieces := cut.Whole(doc, stemOf(doc.Path))
	if len(pieces) == 0 {
		return SectionText{}
	}
	p := pieces[0]
	split := cut.Join(doc, pieces, 0, nil)[0]
	return SectionText{ID: p.ID, IDs: []string{p.ID}, Title: p.Title, Text: string(split.Text(doc, nil)), SourceAnchors: anchorsIn(doc, p)}
}

// declaredRouting sums up what the front matter of a page says of when its splits load;
// "" when it says nothing. What the words do is not known here: a run records that they
// changed.
func declaredRouting(doc *markdown.Document) string {
	m := frontmatter.NewMap(doc.Path, doc.Meta, &[]diag.Diagnostic{})
	sum := sha256.New()
	said := false
	for _, key := range [...]string{"keywords", "patterns", "priority", "triggers", "summary", "questions"} {
		if v := m.Value(key); v != nil {
			said = true
			_, _ = io.WriteString(sum, key+"\x00")
			sumNode(sum, v)
		}
	}
	if !said {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// routings returns the sums of what is declared for splits: in metadata.loadout by their
// ids, and in the front matter of their pages.
func (j *joined) routings() func(id, document string) string {
	metadata := frontmatter.NewMap(entryFile, j.pack.Meta.Metadata, &[]diag.Diagnostic{})
	loadout := metadata.Map("loadout")
	return func(id, document string) string {
		page := ""
		if f := j.byPath[document]; f != nil {
			page = f.routing
		}
		own := loadout.Value(id)
		if own == nil {
			return page
		}
		sum := sha256.New()
		_, _ = io.WriteString(sum, page+"\x00")
		sumNode(sum, own)
		return hex.EncodeToString(sum.Sum(nil))
	}
}

// sumNode adds a value as it is meant: not its place, its style or its comments.
func sumNode(sum hash.Hash, n *yaml.Node) {
	_, _ = io.WriteString(sum, n.ShortTag()+"\x00"+n.Value+"\x00")
	for _, part := range n.Content {
		sumNode(sum, part)
	}
	_, _ = io.WriteString(sum, "\x01")
}
