package hook

import (
	"cmp"
	"math"
	"slices"

	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/layers"
)

// match is an entry that a prompt needs, with the layer it comes from.
type match struct {
	loadout.Result
	layer *layer
	at    int    // of the layer in the stack
	path  string // as the agent can open it
}

// matchAll returns what a prompt needs of all layers, best first. An entry of which
// a stronger layer has another definition does not count; neither does one whose
// path leads out of its repository.
func matchAll(stack []layer, prompt string, dialect loadout.Dialect, floor float64, most int) ([]match, error) {
	var list []match
	for i := range stack {
		found, err := matchOne(stack, i, prompt, dialect, floor, most)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	slices.SortStableFunc(list, func(a, b match) int {
		return cmp.Or(-cmp.Compare(a.Rank, b.Rank), cmp.Compare(tokensOf(a), tokensOf(b)), cmp.Compare(a.at, b.at))
	})
	return list, nil
}

// tokensOf is the estimate that ties are decided by: unknown ones come last.
func tokensOf(m match) float64 {
	if math.IsNaN(m.Entry.TokensEst) {
		return math.Inf(1)
	}
	return m.Entry.TokensEst
}

// matchOne returns what a prompt needs of one layer, at least that many when there
// are so many that count.
func matchOne(stack []layer, at int, prompt string, dialect loadout.Dialect, floor float64, most int) ([]match, error) {
	l := &stack[at]
	for ask := most; ; ask *= 4 {
		results, err := l.ix.Match(prompt, dialect, floor, ask)
		if err != nil {
			return nil, err
		}
		var list []match
		for _, r := range results {
			path, ok := l.pathOf(r.Entry)
			isOverridden := func(l layer) bool { return r.Entry.ID != "" && l.ix.Has(r.Entry.ID) }
			if ok && !slices.ContainsFunc(stack[at+1:], isOverridden) {
				list = append(list, match{r, l, at, path})
			}
		}
		if len(list) == len(results) || len(list) >= most || len(results) < ask || ask > maxAsked {
			return list, nil
		}
	}
}

// maxAsked bounds how many results of a layer are looked at when a stronger one
// defines most of them.
const maxAsked = 10_000

// source says what an entry is, for the element its text is put into.
func (m *match) source() string {
	switch m.layer.name {
	case layers.Packs, layers.Locked:
		return "pack"
	case layers.Project:
		return "rules"
	}
	return "memory"
}
