package context

import (
	"slices"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/rank"
)

// Layout is what a selection from a compiled pack depends on beside the words of its
// splits, for programs that select without this package. Splits are numbered as an
// index lists them.
type Layout struct {
	Views      []string         `json:"views,omitempty"` // paths
	Boundaries []boundary       `json:"boundaries,omitempty"`
	Map        []mapPlace       `json:"map,omitempty"`     // of a hybrid pack: the entries of the context map
	Primary    *place           `json:"primary,omitempty"` // and its primary document
	Classes    map[string][]int `json:"classes,omitempty"` // of a persona pack: splits by class of title
}

// mapPlace is an entry of a context map.
type mapPlace struct {
	Words []string `json:"words"` // of its label
	place
}

// place is what lies at some paths.
type place struct {
	Splits []int    `json:"splits,omitempty"`
	Views  []string `json:"views,omitempty"`
}

// LayoutOf returns the layout of a compiled pack. Declared are the places that the front
// matter of its documents and pages calls boundaries, as [PageBoundaries] lists them.
func LayoutOf(p *pack.Pack, index *schema.Index, declared []string) *Layout {
	s := &contents{pack: p, meta: &p.Meta}
	s.take(index)
	l := &Layout{Boundaries: s.boundariesAmong(s.splits, declared)}
	for _, v := range s.views {
		l.Views = append(l.Views, v.path)
	}
	switch {
	case p.Meta.EffectiveMode() == pack.ModePersona:
		l.Classes = map[string][]int{}
		for _, c := range personaClasses() {
			for i, u := range s.splits {
				if c.class.Has(u.title) {
					l.Classes[c.name] = append(l.Classes[c.name], i)
				}
			}
		}
	case p.Meta.EffectiveProfile() == pack.Hybrid:
		for _, e := range markdown.Parse(pack.EntryName, p.EntryText).ContextMap() {
			l.Map = append(l.Map, mapPlace{rank.Words(e.Label), s.placeOf(p.AsListed(e.Paths))})
		}
		primary := s.placeOf([]string{p.Meta.PrimaryDocument})
		l.Primary = &primary
	}
	return l
}

// placeOf finds what lies at some paths of a context map.
func (s *contents) placeOf(paths []string) place {
	var found place
	at := func(u *unit) bool { return slices.ContainsFunc(paths, u.belongsTo) }
	for i, u := range s.splits {
		if at(u) {
			found.Splits = append(found.Splits, i)
		}
	}
	for _, v := range s.views {
		if at(v) {
			found.Views = append(found.Views, v.path)
		}
	}
	return found
}

// Marked returns the text of a split or view of a pack that was just compiled, with
// markers after its stale and disputed claims. Document is where a split comes from;
// "" for a view.
func Marked(p *pack.Pack, doubts *compiler.Doubts, document, path, text string) string {
	s := &contents{pack: p, meta: &p.Meta, doubts: doubts, runs: &runs{pack: p}}
	return s.marked(&unit{kind: split, path: path, document: document, text: text}).text
}
