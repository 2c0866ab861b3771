package suites

import (
	"context"
	"fmt"

	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/workspace"
	"github.com/packgen/packgen/resolver/workspace/library"
)

// Needed are the sections of one pack that need a question.
type Needed struct {
	Pack     string
	Sections int // all sections of the pack
	Needs    []eval.Need
}

// QuestionsNeeded lists, for each of the named packs, or all, the sections without a
// question of their author.
func QuestionsNeeded(ctx context.Context, w *workspace.Workspace, cfg workspace.Config, names []string) ([]Needed, error) {
	all, chosen, err := w.OpenForCheck(cfg.Packs, names)
	if err != nil {
		return nil, err
	}
	defer all.Close()
	l := library.NewLibrary(w, cfg)
	defer l.Close()
	var list []Needed
	for _, m := range chosen.Members {
		if m.Pack == nil {
			continue
		}
		p, err := l.Open(m.Dir, resolver.Explicit)
		if err != nil {
			return nil, err
		}
		suite, _, err := ContextSuite(m)
		if err != nil {
			return nil, err
		}
		var results []eval.ContextResult
		if suite != nil {
			report, err := measure(ctx, p, m, suite, eval.ContextOptions{Misses: true})
			if err != nil {
				return nil, err
			}
			results = report.Results
		}
		needs, total, err := eval.Needs(ctx, p, results, eval.RecordedQueries(m.Pack))
		if err != nil {
			return nil, fmt.Errorf("list the sections of %s: %w", m.Dir, err)
		}
		list = append(list, Needed{m.Name(), total, needs})
	}
	return list, nil
}
