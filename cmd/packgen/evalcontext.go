package main

import (
	"context"
	"fmt"
	"os"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver"
	"github.com/packgen/packgen/resolver/eval"
)

// curveBudgets are the token budgets at which --curve measures.
func curveBudgets() []int { return []int{250, 500, 1000, 2000, 4000, resolver.DefaultBudget} }

// contextRun is what the queries of one pack gave.
type contextRun struct {
	pack   string
	report *eval.ContextReport
}

// runContext runs the queries of a pack through the context resolver. They
// measure; they fail nothing.
func (e *evaluation) runContext(ctx context.Context, m *member) error {
	if !m.pack.Has(eval.ContextPath) {
		return nil
	}
	data, err := m.pack.ReadFile(eval.ContextPath)
	if err != nil {
		return fmt.Errorf("read %s of %s: %w", eval.ContextPath, m.dir, err)
	}
	suite, faults := eval.ReadContextSuite(eval.ContextPath, data)
	for i := range faults {
		faults[i].Pack = m.name()
	}
	e.faults = append(e.faults, faults...)
	if suite == nil {
		return nil
	}
	if !m.pack.Has("compiled/index.json") {
		e.faults = append(e.faults, diag.Diagnostic{
			ID: "outputs-outdated", Severity: diag.Warning, Pack: m.name(), Path: "compiled/index.json",
			Message: "The pack is not compiled, so that no context can be resolved.", Hint: "run packgen compile",
		})
		return nil
	}
	dir := e.path(m.dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open %s: %w", m.dir, err)
	}
	defer root.Close()
	report, err := eval.Context(ctx, resolver.Pack{FS: root.FS(), Dir: m.dir}, suite, eval.ContextOptions{Budgets: curveBudgets()})
	if err != nil {
		return fmt.Errorf("resolve the queries of %s: %w", m.dir, err)
	}
	e.contexts = append(e.contexts, contextRun{m.name(), report})
	return nil
}

// printContexts prints the curve of each pack.
func (e *evaluation) printContexts() {
	if len(e.contexts) == 0 {
		return
	}
	t := &table{right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true}}
	t.add("CONTEXT", "BUDGET", "CASES", "RECALL", "PRECISION", "TOKENS")
	for _, c := range e.contexts {
		for _, p := range c.report.Curve {
			t.add(diag.Printable(c.pack), grouped(p.Budget), grouped(c.report.Summary.Cases),
				fmt.Sprintf("%.2f", p.Recall), fmt.Sprintf("%.2f", p.Precision), grouped(int(p.Tokens+0.5)))
		}
	}
	fmt.Fprintln(e.stdout)
	t.write(e.stdout)
}
