package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/boot"
)

// reportRows is the number of rows shown of a long list without -v.
const reportRows = 20

func (a *app) printBootReport(name string, r *boot.Report) {
	p := painterFor(a.stdout)
	fmt.Fprintf(a.stdout, "%s  mode %s\n\n", p.bold(diag.Printable(name)), r.Boot.Mode)
	a.printCosts(r)
	a.printSections(r)
	a.printFiles(r)
	a.printStale(r)
	a.printUnreached(r)
	a.printRepeated(r)
	a.printHeavy(r)
	if b := r.Boot.Budget; b != nil {
		fmt.Fprintf(a.stdout, "\nbudget: %s of %s tokens\n", amount.Grouped(b.Actual), amount.Grouped(b.Cap))
	}
	a.printRemedies(r.Boot)
}

// costTable returns a table whose columns are the fields of [boot.Cost].
func costTable(head string) *table {
	t := &table{right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true}}
	t.add(head, "SAID", "REFS", "RENDERED", "BRIEFS", "SKILLS")
	return t
}

func (t *table) addCost(name string, c boot.Cost) {
	t.add(name, amount.Grouped(c.Said), amount.Grouped(c.Refs), amount.Grouped(c.Rendered), amount.Grouped(c.Briefs), amount.Grouped(c.Skills))
}

// printCosts compares this boot with the other choices.
func (a *app) printCosts(r *boot.Report) {
	t := costTable("TOKENS")
	t.addCost("this boot", r.Boot.Cost)
	t.addCost("no boot.yml", r.All)
	for _, u := range r.Usecases {
		name := "all subjects"
		if u.Slug != "" {
			name = "  " + diag.Printable(u.Slug)
		}
		t.addCost(name, u.Cost)
	}
	t.write(a.stdout)
}

func (a *app) printSections(r *boot.Report) {
	if len(r.Sections) == 0 {
		return
	}
	fmt.Fprintln(a.stdout)
	t := costTable("SECTION")
	for _, s := range r.Sections {
		t.addCost(diag.Printable(s.Kind), s.Cost)
	}
	t.write(a.stdout)
}

// printFiles lists the items, the most expensive first.
func (a *app) printFiles(r *boot.Report) {
	if len(r.Files) == 0 {
		return
	}
	files := slices.Clone(r.Files)
	paid := func(f boot.FileCost) int {
		switch f.State {
		case "said":
			return f.Content
		case "ref":
			return f.Line
		}
		return 0
	}
	slices.SortStableFunc(files, func(x, y boot.FileCost) int {
		return cmp.Or(cmp.Compare(paid(y), paid(x)), cmp.Compare(y.Content, x.Content))
	})
	fmt.Fprintln(a.stdout)
	t := &table{right: map[int]bool{0: true, 1: true}}
	t.add("PAID", "CONTENT", "STATE", "SECTION", "FILE")
	shown := a.rows(len(files))
	for _, f := range files[:shown] {
		name := f.Path
		if f.Twin {
			name += " (.min)"
		}
		t.add(amount.Grouped(paid(f)), amount.Grouped(f.Content), f.State, diag.Printable(f.Home), diag.Printable(name))
	}
	t.write(a.stdout)
	a.more(len(files) - shown)
}

// rows returns how many of n rows are shown.
func (a *app) rows(n int) int {
	if a.verbose {
		return n
	}
	return min(n, reportRows)
}

func (a *app) more(n int) {
	if n > 0 {
		fmt.Fprintf(a.stdout, "  and %s more; -v shows all\n", amount.Grouped(n))
	}
}

// printList prints one part of the report, or nothing when it has no rows.
func printList[T any](a *app, title string, list []T, row func(T) string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(a.stdout, "\n%s\n", title)
	shown := a.rows(len(list))
	for _, v := range list[:shown] {
		fmt.Fprintf(a.stdout, "  %s\n", diag.Printable(row(v)))
	}
	a.more(len(list) - shown)
}

func (a *app) printStale(r *boot.Report) {
	printList(a, "globs that match nothing:", r.Stale, func(s boot.StaleGlob) string {
		text := fmt.Sprintf("boot.yml:%d:%d: %s in %s of %s", s.Line, s.Column, s.Glob, s.List, s.Section)
		if s.Hint != "" {
			text += "; " + s.Hint
		}
		return text
	})
}

func (a *app) printUnreached(r *boot.Report) {
	printList(a, "files that no section reaches:", r.Unreached, func(p string) string { return p })
}

func (a *app) printRepeated(r *boot.Report) {
	printList(a, "files that several sections say:", r.Repeated, func(i boot.RepeatedItem) string {
		text := i.Path + ": "
		for n, s := range i.Sections {
			if n > 0 {
				text += ", "
			}
			text += s
		}
		return text
	})
}

func (a *app) printHeavy(r *boot.Report) {
	printList(a, "references that outweigh what they point at:", r.Heavy, func(h boot.HeavyRef) string {
		return fmt.Sprintf("%s: the line costs %d, the content %d", h.Path, h.Line, h.Content)
	})
}
