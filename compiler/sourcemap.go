package compiler

import (
	"github.com/packgen/packgen/compiler/schema"
)

// mapSources walks the primary source in compile order and builds the source
// map, the facts view and the list of splits on the way (section 8.2).
func (j *joined) mapSources() error {
	j.ids = claimIDs{}
	var facts []fact
	claims, sections, splits := 0, 0, 0
	for _, f := range j.files {
		sections += len(f.sections)
		for i := range f.sections {
			claims += len(f.sections[i].statements)
			if f.sections[i].split.Path != "" && !f.sections[i].shared {
				splits++
			}
		}
	}
	j.sourceMap = schema.SourceMap{Claims: make([]schema.Claim, 0, claims), DocumentSections: make([]schema.Section, 0, sections)}
	j.index.Splits, j.coverage = make([]schema.Split, 0, splits), make([]string, 0, splits)
	for _, f := range j.files {
		for i := range f.sections {
			if f.walked && !f.sections[i].withheld {
				facts = append(facts, j.mapSection(f, &f.sections[i])...)
			}
		}
		j.indexSplits(f)
	}
	j.ids = nil // of a large pack it is much
	return j.chooseFacts(facts)
}

// mapSection adds one section with its claims. It returns the items of it that may go
// into the facts view.
func (j *joined) mapSection(f *file, s *section) (facts []fact) {
	m := &j.sourceMap
	at := []string{f.path + "#" + s.id} // one list for all claims of the section
	if s.split.Path != "" {
		at = append(at, s.split.Path)
	}
	into := at[1:len(at):len(at)]
	s.coverage = "full"
	for i := range s.statements {
		st := &s.statements[i]
		claims, confirmed := j.claimsOf(f, s, st)
		if confirmed && st.item > 0 && j.wiki && s.split.Path != "" {
			facts = append(facts, fact{f, st.item, st.units, int32(len(m.Claims)), int32(len(claims)), int32(len(m.DocumentSections))})
		}
		for _, claim := range claims {
			claim.CompiledInto = at[:len(at):len(at)]
			m.Claims = append(m.Claims, claim)
			s.cover(claim.Status)
		}
	}
	if s.bare && s.coverage != "conflict" {
		s.coverage = "missing"
	}
	m.DocumentSections = append(m.DocumentSections, schema.Section{
		Document: f.path, SectionID: s.id, Title: s.title, SourceAnchors: s.anchors, CompiledInto: into,
	})
	s.statements = nil
	return facts
}

// cover lowers the coverage of a chapter for a claim (section 9).
func (s *section) cover(status schema.Status) {
	switch {
	case status == schema.Disputed:
		s.coverage = "conflict"
	case status != schema.Confirmed && s.coverage == "full":
		s.coverage = "partial"
	}
}
