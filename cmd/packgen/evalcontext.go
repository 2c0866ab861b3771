package main

import (
	"fmt"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/eval/suites"
)

// printContexts prints the results of each pack's queries with their own budgets, then the
// curve.
func (e evalPrinter) printContexts() {
	if len(e.Contexts) == 0 {
		return
	}
	right := map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true}
	t := &columns.Table{Right: right}
	t.Add("CONTEXT", "QUERIES", "RECALL", "PARAPHRASED", "PRECISION", "TOKENS", "OVER BUDGET", "FALSE ANSWERS")
	curve := &columns.Table{Right: map[int]bool{1: true}}
	curve.Add("CURVE", "BUDGET", "RECALL", "PRECISION", "TOKENS")
	for _, c := range e.Contexts {
		s := &c.Report.Summary
		name := diag.Printable(c.Pack)
		t.Add(name, amount.Grouped(s.Cases), share(s.Recall), share(s.ParaphraseRecall), share(s.Precision), amount.Grouped(int(s.Tokens+0.5)),
			amount.Grouped(s.Violations), fmt.Sprintf("%d of %d", s.FalseAnswers, s.Unanswerable))
		for _, p := range c.Report.Curve {
			at := suites.AtBudget(p)
			curve.Add(name, amount.Grouped(p.Budget), at[0].String(), at[1].String(), at[2].String())
		}
	}
	fmt.Fprintln(e.stdout)
	t.Write(e.stdout)
	fmt.Fprintln(e.stdout)
	e.printTotals()
	if e.Curve {
		fmt.Fprintln(e.stdout)
		curve.Write(e.stdout)
	}
	p := e.painterFor(e.stdout)
	for _, c := range e.Contexts {
		c.WriteMisses(e.stdout, p.Red)
	}
}

// printTotals prints the figures of each half over all packs, with the intervals that hold
// 95 % of the resamples.
func (e evalPrinter) printTotals() {
	t := &columns.Table{Right: map[int]bool{1: true}}
	t.Add("TOTAL", "QUERIES", "RECALL", "PRECISION", "TOKENS", "REFUSED")
	totals := e.Totals()
	for at := 0; at+4 <= len(totals); at += 4 {
		row := []string{totals[at].Half, amount.Grouped(totals[at+2].Of)}
		for _, f := range totals[at : at+4] {
			row = append(row, f.String())
		}
		t.Add(row...)
	}
	t.Write(e.stdout)
}

func share(ratio float64) string { return fmt.Sprintf("%.2f", ratio) }
