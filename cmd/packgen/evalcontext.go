package main

import (
	"fmt"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/secret"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/eval"
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
	e.printTotals()
	if e.Curve {
		fmt.Fprintln(e.stdout)
		curve.write(e.stdout)
	}
	p := painterFor(e.stdout)
	for _, c := range e.Contexts {
		for _, f := range c.Below {
			fmt.Fprintf(e.stdout, "\n%s %s: %s of the validation half is %s, and the suite asks for %s\n",
				p.red("below"), diag.Printable(c.Pack), f.Name, share(f.Value), share(f.Least))
		}
		for i := range c.Report.Results {
			e.printLost(&c.Report.Results[i], c.Pack)
		}
	}
}

// printTotals prints the figures of each half over all packs, with the intervals into
// which they fall for 19 of 20 resamples.
func (e evalPrinter) printTotals() {
	t := &table{right: map[int]bool{1: true}}
	t.add("TOTAL", "QUERIES", "RECALL", "PRECISION", "TOKENS", "REFUSED")
	for _, half := range []eval.Half{eval.Train, eval.Validation} {
		results := e.ContextResults(half)
		row := []string{half.String(), amount.Grouped(len(results))}
		for _, f := range eval.Figures(results) {
			row = append(row, figure(f))
		}
		t.add(row...)
	}
	t.write(e.stdout)
}

// figure prints a figure with its interval.
func figure(f eval.Figure) string {
	switch {
	case f.Of == 0:
		return "-"
	case f.Name == "tokens":
		return fmt.Sprintf("%.0f (%.0f to %.0f)", f.Value, f.Low, f.High)
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", f.Value, f.Low, f.High)
}

// printLost says what kept the lost sections of a query out.
func (e evalPrinter) printLost(r *eval.ContextResult, pack string) {
	if len(r.Misses) == 0 {
		return
	}
	fmt.Fprintf(e.stdout, "\n%s %s: %q\n", painterFor(e.stdout).red("lost"), diag.Printable(pack), diag.Printable(secret.Redact(r.Case.Query)))
	for _, m := range r.Misses {
		fmt.Fprintf(e.stdout, "  %s: %s\n", diag.Printable(m.Section), ruleText(&m))
		if len(m.Lacks) > 0 {
			fmt.Fprintf(e.stdout, "      lacks %s\n", bracketed(m.Lacks))
		}
		for i, above := range m.Above {
			fmt.Fprintf(e.stdout, "      %d. %.2f %s\n", i+1, above.Score, diag.Printable(above.Path))
		}
	}
}

// ruleText says which rule dropped a section.
func ruleText(m *resolver.Miss) string {
	at := fmt.Sprintf("place %d, score %.2f, best %.2f", m.Place, m.Score, m.Best)
	switch m.Rule {
	case resolver.BySplit:
		return "the pack has no such section"
	case resolver.ByWords:
		return "no word in common"
	case resolver.ByBudget:
		return at + "; it does not fit the budget"
	case resolver.ByStop:
		return at + "; below the stop"
	case resolver.ByPlace:
		return at + "; enough better sections"
	}
	return at + "; the profile or the context map looks elsewhere"
}

func share(ratio float64) string { return fmt.Sprintf("%.2f", ratio) }
