package diag

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
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

// DigestOptions steer Digest. The zero value prints every finding.
type DigestOptions struct {
	RenderOptions
	PerKind int // how many findings of a rule are printed; 0 is all
	Limit   int // how many in all; 0 is all
	// Rest returns the command that prints what is left out of a rule; nil names
	// none.
	Rest func(id string) string
}

// summarized is the number of findings above which a digest ends with a count of
// each rule: fewer are seen at a glance.
const summarized = 10

// Digest prints a list of any length for a person: errors first, since warnings may follow
// from them, then the rest, each file by file and line by line, at most a limit, then how many more there are of each rule and what prints them,
// then the rules with their counts. The list itself keeps its order.
func Digest(w io.Writer, list []Diagnostic, o DigestOptions) error {
	list = byPlace(list, o.RenderOptions)
	picked, kinds := choose(list, o.PerKind, o.Limit)
	out := bufio.NewWriter(w)
	memo := &lineMemo{lines: o.Lines}
	for _, i := range picked {
		out.WriteString(line(list[i], o.RenderOptions, memo))
	}
	for _, k := range kinds {
		if k.Left() == 0 {
			continue
		}
		out.WriteString(k.more())
		if o.Rest != nil {
			out.WriteString(": `" + o.Rest(k.ID) + "`")
		}
		out.WriteString("\n")
	}
	if len(picked) < len(list) || len(list) > summarized {
		o.summary(out, kinds)
	}
	return out.Flush()
}

// byPlace returns the errors and then the rest, in the order of the paths that are printed,
// then of lines and columns: as an editor goes through them.
func byPlace(list []Diagnostic, o RenderOptions) []Diagnostic {
	type placed struct {
		path string
		at   int
	}
	order := make([]placed, len(list))
	for i := range list {
		order[i] = placed{o.path(list[i]), i}
	}
	slices.SortStableFunc(order, func(a, b placed) int {
		x, y := &list[a.at], &list[b.at]
		return cmp.Or(
			cmp.Compare(rank(y), rank(x)),
			strings.Compare(a.path, b.path),
			cmp.Compare(x.Line, y.Line),
			cmp.Compare(x.Column, y.Column),
			cmp.Compare(y.Severity, x.Severity),
			strings.Compare(x.Record(), y.Record()),
		)
	})
	sorted := make([]Diagnostic, len(list))
	for i, p := range order {
		sorted[i] = list[p.at]
	}
	return sorted
}

// rank is 1 for an error, whose consequences others may be.
func rank(d *Diagnostic) int {
	if d.Severity == Error {
		return 1
	}
	return 0
}

// more says how many findings of a rule are left out.
func (k Kind) more() string { return amount.Grouped(k.Left()) + " more of " + k.ID }

// summary prints a line for each rule and severity, worst and most frequent first:
// the count, the severity, the id.
func (o DigestOptions) summary(out *bufio.Writer, kinds []Kind) {
	total := 0
	for _, k := range kinds {
		total += k.Count
	}
	width := len(amount.Grouped(total))
	out.WriteString(paint(o.RenderOptions, colorBold, amount.Grouped(total)+"  findings") + "\n")
	for s := Error; ; s-- {
		slices.SortStableFunc(kinds, func(a, b Kind) int { return cmp.Compare(b.By[s], a.By[s]) })
		for _, k := range kinds {
			if n := k.By[s]; n > 0 {
				fmt.Fprintf(out, "%*s  %s  %s\n", width, amount.Grouped(n), paint(o.RenderOptions, severityColor(s), fmt.Sprintf("%-7s", s)), k.ID)
			}
		}
		if s == Info {
			return
		}
	}
}
