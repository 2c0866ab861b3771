package build

import (
	"context"

	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site/page"
)

// retrieval measures how well the context queries of a pack find it, for its page; ok is
// false for a pack without queries, or with faults in them: check and eval report those. A
// dry run measures the pack as it was compiled last.
func (b *Run) retrieval(ctx context.Context, m *repo.Member) (r page.Retrieval, ok bool, err error) {
	if m.Result == nil || m.Result.Reused || m.Unusable() {
		return r, false, nil
	}
	suite, _, err := eval.ContextSuiteOf(m)
	if err != nil || suite == nil {
		return r, false, err
	}
	w := *b.ws
	w.Config.Overlay = b.overlay
	l := repo.NewLibrary(&w)
	defer l.Close()
	report, err := eval.MeasureQueries(ctx, l.Open, m, suite)
	if err != nil {
		return r, false, err
	}
	r.Queries = len(suite.Cases)
	for _, at := range report.Curve {
		r.Curve = append(r.Curve, page.RecallAt{Budget: at.Budget, Recall: at.Recall, Precision: at.Precision})
	}
	return r, true, nil
}
