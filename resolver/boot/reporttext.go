package boot

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
)

// reportRows is the number of rows shown of a long list without -v.
const reportRows = 20

// reportText is a report as it is printed.
type reportText struct {
	io.Writer
	all bool // long lists are not cut
}

// WriteText prints a report for people; all prints long lists whole.
func (r *Report) WriteText(w io.Writer, all bool) {
	a := &reportText{w, all}
	a.printCosts(r)
	a.printSections(r)
	a.printFiles(r)
	printList(a, "globs that match nothing:", r.Stale, func(s StaleGlob) string {
		text := fmt.Sprintf("boot.yml:%d:%d: %s in %s of %s", s.Line, s.Column, s.Glob, s.List, s.Section)
		if s.Hint != "" {
			text += "; " + s.Hint
		}
		return text
	})
	printList(a, "files that no section reaches:", r.Unreached, func(p string) string { return p })
	printList(a, "files that several sections say:", r.Repeated, func(i RepeatedItem) string { return i.Path + ": " + strings.Join(i.Sections, ", ") })
	printList(a, "references that outweigh what they point at:", r.Heavy, func(h HeavyRef) string {
		return fmt.Sprintf("%s: the line costs %d, the content %d", h.Path, h.Line, h.Content)
	})
	if b := r.Boot.Budget; b != nil {
		fmt.Fprintf(a, "\nbudget: %s of %s tokens\n", amount.Grouped(b.Actual), amount.Grouped(b.Cap))
	}
}

// costTable returns a table whose columns are the fields of [Cost].
func costTable(head string) *columns.Table {
	t := &columns.Table{Right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true}}
	t.Add(head, "SAID", "REFS", "RENDERED", "BRIEFS", "SKILLS")
	return t
}

func addCost(t *columns.Table, name string, c Cost) {
	t.Add(name, amount.Grouped(c.Said), amount.Grouped(c.Refs), amount.Grouped(c.Rendered), amount.Grouped(c.Briefs), amount.Grouped(c.Skills))
}

// printCosts compares this boot with the other choices.
func (a *reportText) printCosts(r *Report) {
	t := costTable("TOKENS")
	addCost(t, "this boot", r.Boot.Cost)
	addCost(t, "no boot.yml", r.All)
	for _, u := range r.Usecases {
		name := "all subjects"
		if u.Slug != "" {
			name = "  " + diag.Printable(u.Slug)
		}
		addCost(t, name, u.Cost)
	}
	t.Write(a)
}

func (a *reportText) printSections(r *Report) {
	if len(r.Sections) == 0 {
		return
	}
	fmt.Fprintln(a)
	t := costTable("SECTION")
	for _, s := range r.Sections {
		addCost(t, diag.Printable(s.Kind), s.Cost)
	}
	t.Write(a)
}

// printFiles lists the items, the most expensive first.
func (a *reportText) printFiles(r *Report) {
	if len(r.Files) == 0 {
		return
	}
	files := slices.Clone(r.Files)
	paid := func(f FileCost) int {
		switch f.State {
		case "said":
			return f.Content
		case "ref":
			return f.Line
		}
		return 0
	}
	slices.SortStableFunc(files, func(x, y FileCost) int {
		return cmp.Or(cmp.Compare(paid(y), paid(x)), cmp.Compare(y.Content, x.Content))
	})
	fmt.Fprintln(a)
	t := &columns.Table{Right: map[int]bool{0: true, 1: true}}
	t.Add("PAID", "CONTENT", "STATE", "SECTION", "FILE")
	shown := a.rows(len(files))
	for _, f := range files[:shown] {
		name := f.Path
		if f.Twin {
			name += " (.min)"
		}
		t.Add(amount.Grouped(paid(f)), amount.Grouped(f.Content), f.State, diag.Printable(f.Home), diag.Printable(name))
	}
	t.Write(a)
	a.more(len(files) - shown)
}

// rows returns how many of n rows are shown.
func (a *reportText) rows(n int) int {
	if a.all {
		return n
	}
	return min(n, reportRows)
}

func (a *reportText) more(n int) {
	if n > 0 {
		fmt.Fprintf(a, "  and %s more; -v shows all\n", amount.Grouped(n))
	}
}

// printList prints one part of the report, or nothing when it has no rows.
func printList[T any](a *reportText, title string, list []T, row func(T) string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(a, "\n%s\n", title)
	shown := a.rows(len(list))
	for _, v := range list[:shown] {
		fmt.Fprintf(a, "  %s\n", diag.Printable(row(v)))
	}
	a.more(len(list) - shown)
}

// WithoutRemedies returns the diagnostics without the remedies of a boot over budget,
// which are printed as a list.
func (r *Result) WithoutRemedies() []diag.Diagnostic {
	list := slices.Clone(r.Diagnostics)
	for i := range list {
		if list[i].ID == idOverBudget {
			list[i].Hint = ""
		}
	}
	return list
}

// WithoutReported is WithoutRemedies without the warnings that a report shows in full.
func (r *Result) WithoutReported() []diag.Diagnostic {
	return slices.DeleteFunc(r.WithoutRemedies(), func(d diag.Diagnostic) bool { return d.ID == idGlobStale && d.Severity != diag.Error })
}

// WriteRemedies lists what would bring a boot under its budget.
func (r *Result) WriteRemedies(w io.Writer) {
	if r.Budget == nil || len(r.Budget.Remedies) == 0 {
		return
	}
	fmt.Fprintln(w, "remedies, cheapest first:")
	for i, remedy := range r.Budget.Remedies {
		fmt.Fprintf(w, "  %d. %s\n", i+1, diag.Printable(remedy.Text))
	}
}
