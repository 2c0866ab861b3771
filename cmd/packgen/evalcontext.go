package main

import (
	"context"
	"fmt"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/eval/suites"
	"github.com/packgen/packgen/resolver/workspace"
	"github.com/packgen/packgen/resolver/workspace/library"
)

// contextRun is what the queries of one pack gave.
type contextRun struct {
	pack   string
	report *eval.ContextReport
}

// runContext runs the queries of a pack through the context resolver. They
// measure; they fail nothing.
func (e *evaluation) runContext(ctx context.Context, m *workspace.Member) error {
	suite, faults, err := suites.ContextSuite(m)
	e.faults = append(e.faults, faults...)
	if err != nil || suite == nil {
		return err
	}
	if !m.Pack.Has("compiled/index.json") {
		e.faults = append(e.faults, diag.Diagnostic{
			ID: "outputs-outdated", Severity: diag.Warning, Pack: m.Name(), Path: "compiled/index.json",
			Message: "The pack is not compiled, so that no context can be resolved.", Hint: "run packgen compile",
		})
		return nil
	}
	l := library.NewLibrary(e.ws, e.cfg)
	defer l.Close()
	report, err := suites.MeasureQueries(ctx, l, m, suite)
	if err != nil {
		return err
	}
	e.contexts = append(e.contexts, contextRun{m.Name(), report})
	return nil
}

// printContexts prints how the queries of each pack fared, with their own
// budgets, then the curve.
func (e evalPrinter) printContexts() {
	if len(e.contexts) == 0 {
		return
	}
	right := map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true}
	t := &table{right: right}
	t.add("CONTEXT", "QUERIES", "RECALL", "PARAPHRASED", "PRECISION", "TOKENS", "OVER BUDGET", "FALSE ANSWERS")
	curve := &table{right: right}
	curve.add("CURVE", "BUDGET", "RECALL", "PRECISION", "TOKENS")
	for _, c := range e.contexts {
		s := &c.report.Summary
		name := diag.Printable(c.pack)
		t.add(name, amount.Grouped(s.Cases), share(s.Recall), share(s.ParaphraseRecall), share(s.Precision), amount.Grouped(int(s.Tokens+0.5)),
			amount.Grouped(s.Violations), fmt.Sprintf("%d of %d", s.FalseAnswers, s.Unanswerable))
		for _, p := range c.report.Curve {
			curve.add(name, amount.Grouped(p.Budget), share(p.Recall), share(p.Precision), amount.Grouped(int(p.Tokens+0.5)))
		}
	}
	fmt.Fprintln(e.stdout)
	t.write(e.stdout)
	fmt.Fprintln(e.stdout)
	curve.write(e.stdout)
}

func share(ratio float64) string { return fmt.Sprintf("%.2f", ratio) }
