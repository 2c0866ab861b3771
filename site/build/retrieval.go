package build

import (
	"context"

	"github.com/packgen/packgen/resolver/eval/suites"
	"github.com/packgen/packgen/resolver/workspace/library"
	"github.com/packgen/packgen/site"
)

// retrieval measures the packs that have queries, for their pages. A suite with
// faults is left to check and eval, which report them. A dry run measures
// nothing new: it sees the packs as they were compiled last.
func (b *Run) retrieval(ctx context.Context) (map[string]site.Retrieval, error) {
	cfg := b.cfg
	cfg.Overlay = b.overlay
	l := library.NewLibrary(b.ws, cfg)
	defer l.Close()
	found := map[string]site.Retrieval{}
	for _, m := range b.Repository.Members {
		if m.Result == nil || m.Result.Reused || m.Unusable() {
			continue
		}
		suite, _, err := suites.ContextSuite(m)
		if err != nil {
			return nil, err
		}
		if suite == nil {
			continue
		}
		report, err := suites.MeasureQueries(ctx, l, m, suite)
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
