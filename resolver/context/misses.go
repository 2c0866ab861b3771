package context

import (
	"context"
	"fmt"
	"slices"

	"github.com/packgen/packgen/resolver/context/rank"
)

// Rule is what kept a section out of a selection.
type Rule string

// The rules, in the order in which they are looked at.
const (
	BySplit    Rule = "split"    // no section of the pack has this name
	ByBudget   Rule = "budget"   // it was taken and did not fit
	ByWords    Rule = "words"    // it shares no word with the query
	ByStop     Rule = "stop"     // it is too far from the best one and adds no words of the query
	ByPlace    Rule = "place"    // enough better sections were found
	ByBoundary Rule = "boundary" // it is one, and boundaries have had their share of the budget
	ByBranch   Rule = "branch"   // the pack's profile or context map looks elsewhere
)

// Miss says why a section that should have been selected was not.
type Miss struct {
	Section string // as it was asked for
	Path    string // of the split or page; "" when there is none
	Rule    Rule
	Place   int // by score, from 1; 0 when it has none
	Score   float64
	Best    float64  // of the best section
	Lacks   []string // words of the query that it does not hold
	Above   []Above  // better sections, best first
}

// Above is a section that outranks another.
type Above struct {
	Path  string
	Score float64
}

// Misses says, for sections of the first pack that the request activates, what kept
// them out of its selection: those of names that were not selected. covers reports
// whether a path, a document and a section id are what a name means.
func (o *Collection) Misses(ctx context.Context, req Request, names []string, covers func(f File, name string) bool) ([]Miss, error) {
	if req.Scorer == nil {
		req.Scorer = rank.BM25F{}
	}
	p, err := o.firstPicker(ctx, &req)
	if err != nil {
		return nil, fmt.Errorf("look for what was missed: %w", err)
	}
	if p == nil {
		return nil, nil
	}
	req.Budget, _ = effectiveBudget(req.Budget)
	files, _, _ := fit(p.picks, req.Budget, p.bestPart)
	var misses []Miss
	for _, name := range names {
		if !slices.ContainsFunc(files, func(f File) bool { return covers(f, name) }) {
			misses = append(misses, p.miss(name, covers))
		}
	}
	return misses, nil
}

// miss says what kept one section out.
func (p *picker) miss(name string, covers func(f File, name string) bool) Miss {
	m := Miss{Section: name, Rule: BySplit}
	place := -1
	for i, u := range all(p.pool) {
		if covers(File{Path: u.path, Document: u.document, Sections: u.sections}, name) && (place < 0 || p.position(i).Score > p.position(place).Score) {
			place = i // a document as a whole counts as its best section
		}
	}
	if place < 0 {
		return m
	}
	u, s := p.pool.at(place), p.position(place)
	m.Path, m.Place, m.Score, m.Best, m.Lacks = u.path, s.Place, s.Score, s.Best, s.Lacks
	for _, i := range s.Above {
		m.Above = append(m.Above, Above{p.pool.at(i).path, p.position(i).Score})
	}
	switch {
	case slices.ContainsFunc(p.picks, func(t pick) bool { return t.boundary && t.path == u.path }):
		m.Rule = ByBoundary
	case p.taken[u.path]:
		m.Rule = ByBudget
	case s.Place == 0:
		m.Rule = ByWords
	case s.Taken:
		m.Rule = ByBranch
	case s.Full:
		m.Rule = ByPlace
	default:
		m.Rule = ByStop
	}
	return m
}

// position is the place of a section of the pool, the zero value for a scorer that has none.
func (p *picker) position(i int) rank.Position {
	if r, ok := p.field.rankings[0].(rank.Positioner); ok {
		return r.Position(i)
	}
	return rank.Position{}
}
