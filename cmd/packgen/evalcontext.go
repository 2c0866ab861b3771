package main

import (
	"fmt"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
)

// printContexts prints how the queries of each pack fared, with their own
// budgets, then the curve.
func (e evalPrinter) printContexts() {
	if len(e.Contexts) == 0 {
		return
	}
	right := map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true}
	t := &table{right: right}
	t.add("CONTEXT", "QUERIES", "RECALL", "PARAPHRASED", "PRECISION", "TOKENS", "OVER BUDGET", "FALSE ANSWERS")
	curve := &table{right: right}
	curve.add("CURVE", "BUDGET", "RECALL", "PRECISION", "TOKENS")
	for _, c := range e.Contexts {
		s := &c.Report.Summary
		name := diag.Printable(c.Pack)
		t.add(name, amount.Grouped(s.Cases), share(s.Recall), share(s.ParaphraseRecall), share(s.Precision), amount.Grouped(int(s.Tokens+0.5)),
			amount.Grouped(s.Violations), fmt.Sprintf("%d of %d", s.FalseAnswers, s.Unanswerable))
		for _, p := range c.Report.Curve {
			curve.add(name, amount.Grouped(p.Budget), share(p.Recall), share(p.Precision), amount.Grouped(int(p.Tokens+0.5)))
		}
	}
	fmt.Fprintln(e.stdout)
	t.write(e.stdout)
	fmt.Fprintln(e.stdout)
	curve.write(e.stdout)
}

func share(ratio float64) string { return fmt.Sprintf("%.2f", ratio) }
