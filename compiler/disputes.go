package compiler

import (
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/schema"
)

// findConflicts compares the claims of all files with each other, each with the status
// that it has by itself (agent-knowledge section 6.10, claim-conflict). From then on
// all claims with a text in conflict are disputed, wherever they are.
func (j *joined) findConflicts() {
	if !j.mayConflict() {
		return
	}
	var claims []schema.Claim
	for _, f := range j.files {
		for i := range f.sections {
			s := &f.sections[i]
			if !f.walked || s.withheld {
				continue
			}
			for k := range s.statements {
				claims = append(claims, j.ownClaims(f, s, &s.statements[k])...)
			}
		}
	}
	open := func(page string) bool {
		f := j.byPath[page]
		return f != nil && f.isOpen()
	}
	found, disputed := lint.Conflicts(claims, open, (&claimFinder{j.material, map[string][]foundClaim{}}).find)
	j.found, j.inConflict = append(j.found, found...), disputed
}

// mayConflict reports whether something is disputed. Most packs dispute nothing; then
// there is nothing to compare with.
func (m *material) mayConflict() bool {
	for _, f := range m.files {
		switch {
		case !f.walked:
		case f.role == contradiction, f.info.Status == schema.Disputed:
			return true
		}
		for i := range f.sections {
			for j := range f.sections[i].statements {
				if f.sections[i].statements[j].marker == schema.Disputed {
					return true
				}
			}
		}
	}
	return false
}

// ownClaims are the claims of a statement, each with the status that it has by itself.
func (m *material) ownClaims(f *file, s *section, st *statement) []schema.Claim {
	claim := schema.Claim{Text: st.text, Document: f.path}
	if s.split.Path != "" {
		claim.CompiledInto = []string{s.split.Path}
	}
	var list []schema.Claim
	if len(st.anchors) == 0 {
		claim.Status = st.marker
		list = append(list, claim)
	}
	for _, a := range st.anchors {
		claim.Status = m.ownStatus(f, st, a)
		list = append(list, claim)
	}
	return list
}

// claimFinder finds where claims are. A source map names no lines and conflicts
// are rare, so it reads the few files concerned again.
type claimFinder struct {
	*material
	files map[string][]foundClaim // units that have text, by file
}

// foundClaim is a claim unit at its place.
type foundClaim struct {
	text     string
	disputed bool // marked so
	place    place
}

// find returns the place of a claim in its document: that of the first unit with
// its text, and where some are marked disputed, of the first that is like it in
// that; 0 when the file has none or cannot be read any more.
func (x *claimFinder) find(claim *schema.Claim) (line, column int) {
	list, ok := x.files[claim.Document]
	if !ok {
		list = x.read(claim.Document)
		x.files[claim.Document] = list
	}
	var at place
	for _, s := range list {
		switch {
		case s.text != claim.Text:
		case s.disputed == (claim.Status == schema.Disputed):
			return s.place.line, s.place.column
		case at == place{}:
			at = s.place
		}
	}
	return at.line, at.column
}

func (x *claimFinder) read(name string) []foundClaim {
	data, err := x.pack.ReadFile(name)
	if err != nil {
		return nil
	}
	doc, ok := parse(name, data)
	if !ok {
		return nil
	}
	var list []foundClaim
	for i := range doc.Units {
		if u := &doc.Units[i]; u.Text != "" {
			list = append(list, foundClaim{u.Text, u.Marker == schema.Disputed, placeOf(doc, u.Start)})
		}
	}
	return list
}
