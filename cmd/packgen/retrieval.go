package main

import (
	"context"
	"fmt"

	"github.com/packgen/packgen/compiler/diag"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/workspace"
	"github.com/packgen/packgen/resolver/workspace/library"
	"github.com/packgen/packgen/site"
)

// curveBudgets are the token budgets at which retrieval is measured.
func curveBudgets() []int { return []int{250, 500, 1000, 2000, 4000, resolver.DefaultBudget} }

// contextSuite reads the queries of a pack; nil when it has none, or none that
// can be read.
func contextSuite(m *workspace.Member) (*eval.ContextSuite, []diag.Diagnostic, error) {
	if !m.Pack.Has(eval.ContextPath) {
		return nil, nil, nil
	}
	data, err := m.Pack.ReadFile(eval.ContextPath)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s of %s: %w", eval.ContextPath, m.Dir, err)
	}
	suite, faults := eval.ReadContextSuite(eval.ContextPath, data)
	for i := range faults {
		faults[i].Pack = m.Name()
	}
	return suite, faults, nil
}

// measureQueries runs the queries of a pack through the context resolver, as they find
// it compiled.
func measureQueries(ctx context.Context, l *library.Library, m *workspace.Member, suite *eval.ContextSuite) (*eval.ContextReport, error) {
	p, err := l.Open(m.Dir, resolver.Explicit)
	if err != nil {
		return nil, err
	}
	report, err := eval.Context(ctx, p, suite, eval.ContextOptions{Budgets: curveBudgets()})
	if err != nil {
		return nil, fmt.Errorf("resolve the queries of %s: %w", m.Dir, err)
	}
	return report, nil
}

// retrieval measures the packs that have queries, for their pages. A suite with
// faults is left to check and eval, which report them. A dry run measures
// nothing new: it sees the packs as they were compiled last.
func (b *buildRun) retrieval(ctx context.Context) (map[string]site.Retrieval, error) {
	cfg := b.cfg
	cfg.Overlay = b.overlay
	l := library.NewLibrary(b.ws, cfg)
	defer l.Close()
	found := map[string]site.Retrieval{}
	for _, m := range b.repo.Members {
		if m.Result == nil || m.Result.Reused || m.Unusable() {
			continue
		}
		suite, _, err := contextSuite(m)
		if err != nil {
			return nil, err
		}
		if suite == nil {
			continue
		}
		report, err := measureQueries(ctx, l, m, suite)
		if err != nil {
			return nil, err
		}
		r := site.Retrieval{Queries: len(suite.Cases)}
		for _, at := range report.Curve {
			r.Curve = append(r.Curve, site.RecallAt{Budget: at.Budget, Recall: at.Recall, Precision: at.Precision})
		}
		found[m.Name()] = r
	}
	return found, nil
}
