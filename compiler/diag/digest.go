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
