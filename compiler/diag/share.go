package diag

import (
	"cmp"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
)

// Kind is the findings of one rule.
type Kind struct {
	ID       string
	Severity Severity       // the worst of them
	Count    int            // all of them
	By       [Error + 1]int // all of them, by severity
	Shown    int            // those that were chosen
}

// Left is how many of a kind are not shown.
func (k Kind) Left() int { return k.Count - k.Shown }

// Share returns at most limit diagnostics, of each rule its share, with errors
// first and the order kept otherwise; and the rules.
func Share(list []Diagnostic, limit int) (shares []Diagnostic, kinds []Kind) {
	picked, kinds := choose(list, 0, limit)
	for _, i := range picked {
		shares = append(shares, list[i])
	}
	slices.SortStableFunc(shares, func(a, b Diagnostic) int { return int(b.Severity) - int(a.Severity) })
	return shares, kinds
}

// Left says of which rules how many findings are not shown.
func Left(kinds []Kind) string {
	var list []string
	for _, k := range kinds {
		if n := k.Left(); n > 0 {
			list = append(list, amount.Grouped(n)+" of "+k.ID)
		}
	}
	return strings.Join(list, ", ")
}

// choose picks at most limit findings of a list and at most perKind of each rule; 0
// means no limit. It returns their places in the list, ascending, and the rules: the
// worst first, then the most frequent.
//
// Each rule has its share, however many findings another one has: first an equal
// part of the limit, as far as it needs one, then what is left over, the worst
// severity first. Within a rule the worst are picked, then the first in the list.
func choose(list []Diagnostic, perKind, limit int) (picked []int, kinds []Kind) {
	at := map[string][]int{} // places by rule
	for i := range list {
		at[list[i].ID] = append(at[list[i].ID], i)
	}
	for id, places := range at {
		k := Kind{ID: id, Count: len(places)}
		for _, i := range places {
			k.Severity = max(k.Severity, list[i].Severity)
			k.By[list[i].Severity]++
		}
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Count, a.Count), strings.Compare(a.ID, b.ID))
	})
	share(kinds, perKind, limit)
	for _, k := range kinds {
		places := at[k.ID]
		slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(list[b].Severity, list[a].Severity) })
		picked = append(picked, places[:k.Shown]...)
	}
	slices.Sort(picked)
	return picked, kinds
}

// share sets how many findings of each kind are shown. Kinds are in the order of
// their severity.
func share(kinds []Kind, perKind, limit int) {
	most := func(k *Kind) int {
		if perKind > 0 {
			return min(k.Count, perKind)
		}
		return k.Count
	}
	if limit <= 0 {
		for i := range kinds {
			kinds[i].Shown = most(&kinds[i])
		}
		return
	}
	left := limit
	for i := range kinds {
		k := &kinds[i]
		k.Shown = min(most(k), limit/len(kinds))
		left -= k.Shown
	}
	for len(kinds) > 0 {
		n := 1 // how many are as bad as the first
		for n < len(kinds) && kinds[n].Severity == kinds[0].Severity {
			n++
		}
		left = level(kinds[:n], most, left)
		kinds = kinds[n:]
	}
}

// level raises what is shown of kinds, evenly, until all is shown or nothing is left
// to give, which is what it returns. The first kinds have the odd ones.
func level(kinds []Kind, most func(*Kind) int, left int) int {
	for {
		var open []*Kind
		for i := range kinds {
			if k := &kinds[i]; k.Shown < most(k) {
				open = append(open, k)
			}
		}
		if len(open) == 0 || left == 0 {
			return left
		}
		each := max(1, left/len(open))
		for _, k := range open {
			more := min(each, most(k)-k.Shown, left)
			k.Shown += more
			left -= more
		}
	}
}
