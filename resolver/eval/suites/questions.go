package suites

import (
	"context"
	"fmt"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/secret"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/repo"
)

// Need is a section without a question of its author.
type Need struct {
	Pack    string   `json:"pack"`
	Path    string   `json:"path"`
	Section string   `json:"section"` // as questions: and evals name it
	Tokens  int      `json:"tokens"`
	Lost    int      `json:"lost"`    // queries of evals that do not find it
	Queries []string `json:"queries"` // recorded queries that came nearest to it
}

// QuestionsNeeded lists, for each of the named packs, or all, the sections without a
// question of their author, at most limit of a pack unless that is 0, with a note a
// pack that counts them.
func QuestionsNeeded(ctx context.Context, w *repo.Repo, open Open, names []string, limit int) (list []Need, notes []string, err error) {
	all, chosen, err := w.OpenForCheck(names)
	if err != nil {
		return nil, nil, err
	}
	defer all.Close()
	list = []Need{}
	for _, m := range chosen.Members {
		if m.Pack == nil {
			continue
		}
		p, err := open(m.Dir, resolver.Explicit)
		if err != nil {
			return nil, nil, err
		}
		suite, _, err := ContextSuite(m)
		if err != nil {
			return nil, nil, err
		}
		var results []eval.ContextResult
		if suite != nil {
			report, err := measure(ctx, p, m, suite, eval.ContextOptions{Misses: true})
			if err != nil {
				return nil, nil, err
			}
			results = report.Results
		}
		needs, total, err := eval.Needs(ctx, p, results, eval.RecordedQueries(m.Pack))
		if err != nil {
			return nil, nil, fmt.Errorf("list the sections of %s: %w", m.Dir, err)
		}
		for i, n := range needs {
			if limit > 0 && i == limit {
				break
			}
			need := Need{m.Name(), n.Path, n.Document, n.Tokens, n.Lost, []string{}}
			if n.SectionInfo.Section != "" {
				need.Section += "#" + n.SectionInfo.Section
			}
			for _, q := range n.Queries {
				need.Queries = append(need.Queries, secret.Redact(q))
			}
			list = append(list, need)
		}
		notes = append(notes, fmt.Sprintf("%s: %s of %s sections have no question", m.Name(), amount.Grouped(len(needs)), amount.Grouped(total)))
	}
	return list, notes, nil
}
