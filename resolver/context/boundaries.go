package context

import (
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
)

// keyBoundary is how an author says that a document, or some sections of it, are
// boundaries: in the front matter "boundary: true", a section id or a list of them, in
// metadata.loadout "boundary: true" for one split.
const keyBoundary = "boundary"

// takeBoundaries takes the splits that are boundaries and were not taken for the
// query. One that its author declares always goes along (agent-knowledge section
// 13.5). One that is a boundary by its title is about what is around it: a section
// of its document, a document that is nothing else of its folder. It goes along
// where something there was taken for the query.
func (p *picker) takeBoundaries(guess bool) {
	documents, folders := map[string]bool{}, map[string]bool{}
	for _, t := range p.picks {
		if strings.HasPrefix(t.reason, reasonMatch) || t.reason == reasonContextMap {
			documents[t.document], folders[path.Dir(t.document)] = true, true
		}
	}
	for _, b := range p.boundaryUnits() {
		u := p.pool.at(b.Unit)
		if b.Declared || guess && (documents[u.document] || b.Alone && folders[path.Dir(u.document)]) {
			p.take(u, ReasonBoundary)
		}
	}
}

// boundary is a unit of the pool that is one.
type boundary struct {
	Unit     int  `json:"unit"`
	Declared bool `json:"declared,omitempty"` // by its author; otherwise by its title
	Alone    bool `json:"alone,omitempty"`    // its document is nothing else
}

// boundaryUnits are the boundaries of the pool.
func (p *picker) boundaryUnits() []boundary {
	if s, ok := p.pool.(*snapshot); ok {
		return s.facts.Boundaries
	}
	pool := all(p.pool)
	return p.boundariesAmong(pool, p.frontBoundaries(documentsOf(pool)))
}

// boundariesAmong are the boundaries among units; front are the places that front matter
// calls so.
func (s *contents) boundariesAmong(pool []*unit, front []string) []boundary {
	declared := s.declaredBoundaries(front)
	more := map[string]bool{} // documents with a section that is not a boundary
	for _, u := range pool {
		if !markdown.IsBoundary(u.title) && u.section != "overview" {
			more[u.document] = true
		}
	}
	var list []boundary
	for i, u := range pool {
		b := boundary{Unit: i, Alone: !more[u.document]}
		b.Declared = declared[u.document] || declared[u.id()] || slices.ContainsFunc(u.sections, func(id string) bool { return declared[u.document+"#"+id] })
		if b.Declared || markdown.IsBoundary(u.title) {
			list = append(list, b)
		}
	}
	return list
}

// declaredBoundaries are the documents, the sections "document#section" and the ids
// of splits that the pack's author calls boundaries; front are those of front matter.
func (s *contents) declaredBoundaries(front []string) map[string]bool {
	found := map[string]bool{}
	for _, place := range front {
		found[place] = true
	}
	splits := frontmatter.NewMap(pack.EntryName, s.meta.Metadata, nil).Map("loadout")
	for _, key := range splits.Keys() {
		if is, _ := splits.Map(key.Value).Bool(keyBoundary); is {
			found[key.Value] = true
		}
	}
	return found
}

// boundariesOf reads the key "boundary" of one file.
func (s *contents) boundariesOf(name string) []string {
	if !strings.HasSuffix(name, ".md") {
		return nil
	}
	return PageBoundaries(name, s.document(name).front(keyBoundary))
}

// PageBoundaries returns the places that the front matter of a document or page calls
// boundaries: the file, or sections of it as name#section.
func PageBoundaries(name string, top frontmatter.Map) []string {
	if is, _ := top.Bool(keyBoundary); is {
		return []string{name}
	}
	sections, _ := top.StringOrStrings(keyBoundary)
	list := make([]string, len(sections))
	for i, section := range sections {
		list[i] = name + "#" + section
	}
	return list
}
