package compiler

import (
	"math"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/cut"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

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
