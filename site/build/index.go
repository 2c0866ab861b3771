package build

import (
	"context"
	"fmt"

	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
	"github.com/packgen/packgen/site"
)

// putIndexes hands the loadout index to the transaction, and returns that of the
// project; nil when there is none.
func (b *Run) putIndexes(ctx context.Context, t *tools, tx publish.Target) (site.Index, *loadout.Index, error) {
	ix, err := b.putIndex(ctx, t, tx)
	if err != nil {
		return ix, nil, err
	}
	project, err := b.projectIndex(ctx, t.builder)
	if err != nil {
		return ix, nil, err
	}
	return ix, project, b.inspectProject(project)
}

// putIndex builds the loadout index and hands it to the transaction.
func (b *Run) putIndex(ctx context.Context, t *tools, tx publish.Target) (site.Index, error) {
	tasks, err := b.tasks()
	if err != nil {
		return site.Index{}, err
	}
	suites, err := b.suites()
	if err != nil {
		return site.Index{}, err
	}
	facts, err := t.pages.PutIndex(tx, site.Evals{Tasks: tasks, Suites: suites}, func(least func(int), visit func(e *loadout.Entry) error) (*loadout.Index, error) {
		entries := 0
		earlier, kept := b.earlier(t.builder, tx)
		results := append(b.results(), earlier...)
		ix, faults, err := t.builder.Each(ctx, results, index.Options{Generated: b.now, Kept: kept, Counted: least}, func(e *loadout.Entry) error {
			entries++
			if b.indexed != nil {
				b.indexed(e)
			}
			return visit(e)
		})
		if err != nil {
			return nil, err
		}
		b.raise(b.aboutShown(faults))
		b.Index = &IndexReport{entries, ix.Budget.AlwaysLoaded, ix.Budget.OnDemandTotal}
		return ix, ctx.Err()
	})
	if err != nil {
		return site.Index{}, fmt.Errorf("build the loadout index: %w", err)
	}
	b.raise(index.Oversize(index.Sizes{Entries: facts.Entries, Text: facts.Text, LeftOut: facts.LeftOut}))
	return facts, nil
}
