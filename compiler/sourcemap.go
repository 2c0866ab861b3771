package compiler

import (
	"slices"

	"github.com/packgen/packgen/compiler/schema"
)

// sourceMapPath is where the source map is written (agent-knowledge section 8).
const sourceMapPath = "indexes/source-map.json"

// mapSources walks the primary source in compile order and builds the source
// map, the facts view on the way (section 8.2).
func (c *compilation) mapSources() schema.SourceMap {
	c.ids = claimIDs{}
	c.facts = &view{path: factsPath, kind: "facts"}
	claims, sections := 0, 0
	for _, f := range c.files {
		sections += len(f.sections)
		for i := range f.sections {
			claims += len(f.sections[i].statements)
		}
	}
	m := schema.SourceMap{Claims: make([]schema.Claim, 0, claims), DocumentSections: make([]schema.Section, 0, sections)}
	for _, f := range c.files {
		if !f.walked {
			continue
		}
		c.mapFile(&m, f)
	}
	return m
}

// mapFile adds the sections and claims of one file.
func (c *compilation) mapFile(m *schema.SourceMap, f *file) {
	c.anchorGates(f)
	for i := range f.sections {
		if !f.sections[i].withheld {
			c.mapSection(m, f, &f.sections[i])
		}
	}
	f.citations = nil
}

// mapSection adds one section with its claims.
func (c *compilation) mapSection(m *schema.SourceMap, f *file, s *section) {
	into := []string{}
	if s.split.Path != "" {
		into = append(into, s.split.Path)
	}
	ref := f.path + "#" + s.id
	s.coverage = "full"
	var facts []string
	for i := range s.statements {
		st := &s.statements[i]
		claims, confirmed := c.claimsOf(f, s, st)
		at := append([]string{ref}, into...)
		if confirmed && st.line != "" && c.wiki && s.split.Path != "" {
			facts = append(facts, st.line)
			at = append(at, factsPath)
		}
		for _, claim := range claims {
			claim.CompiledInto = at
			m.Claims = append(m.Claims, claim)
			s.cover(claim.Status)
		}
	}
	if s.bare && s.coverage != "conflict" {
		s.coverage = "missing"
	}
	if len(facts) > 0 {
		c.addFacts(f, s.title, facts)
		into = append(slices.Clip(into), factsPath)
	}
	m.DocumentSections = append(m.DocumentSections, schema.Section{
		Document: f.path, SectionID: s.id, Title: s.title, SourceAnchors: s.anchors, CompiledInto: into,
	})
	s.statements = nil
}

// cover lowers the coverage of a chapter for a claim (section 9).
func (s *section) cover(status string) {
	switch {
	case status == disputed:
		s.coverage = "conflict"
	case status != "confirmed" && s.coverage == "full":
		s.coverage = "partial"
	}
}
