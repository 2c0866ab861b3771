package context

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/packgen/packgen/resolver/context/rank"
)

// Collection is some packs that are open for many queries: each is read when a
// query first activates it, and kept. The files must not change meanwhile. Its
// methods may be called from several goroutines.
//
// Older run records are read when they are needed; that one of them cannot be
// used is said to every query from then on.
type Collection struct {
	catalog []*candidate // as read; each query works on copies
	shelves []keptShelf  // by place in the catalog
}

// keptShelf is a pack as it was read, and as an earlier process has kept it.
type keptShelf struct {
	open  sync.Once
	shelf *shelf
	err   error

	recall sync.Once
	warm   *shelf // nil for nothing that holds
}

// Open reads the front matter of every pack and nothing else. Errors are those of
// [Resolve].
func Open(ctx context.Context, packs []Pack) (*Collection, error) {
	if len(packs) == 0 {
		return nil, errors.New("resolve: no packs are given")
	}
	if slices.ContainsFunc(packs, func(p Pack) bool { return p.FS == nil }) {
		return nil, errors.New("resolve: a pack has no file system")
	}
	list, err := catalog(ctx, packs)
	if err != nil {
		return nil, fmt.Errorf("resolve: %w", err)
	}
	return &Collection{list, make([]keptShelf, len(packs))}, nil
}

// Resolve is the function [Resolve] over the collection.
func (o *Collection) Resolve(ctx context.Context, req Request) (*Resolution, error) {
	list, err := o.ResolveAt(ctx, req, []int{req.Budget})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// ResolveAt is Resolve for several budgets, which take the place of the
// request's: packs are ranked once. Each resolution is the one that Resolve gives
// for its budget.
func (o *Collection) ResolveAt(ctx context.Context, req Request, budgets []int) ([]*Resolution, error) {
	if req.Scorer == nil {
		req.Scorer = rank.BM25F{}
	}
	list := make([]*candidate, len(o.catalog))
	for i, c := range o.catalog {
		own := *c
		list[i] = &own
	}
	active := activate(list, &req)
	chosen, err := o.chooseAll(ctx, active, &req, true)
	if err != nil {
		return nil, fmt.Errorf("resolve: %w", err)
	}
	resolutions := make([]*Resolution, len(budgets))
	for i, budget := range budgets {
		var raised bool
		req.Budget, raised = effectiveBudget(budget)
		if len(active) > 0 {
			active[0].raised = raised
		}
		resolutions[i] = assemble(chosen, &req)
	}
	return resolutions, nil
}

// warm opens an activated pack from what is kept of it, once; nil where that is not
// enough.
func (o *Collection) warm(c *candidate) *shelf {
	kept := &o.shelves[c.place]
	kept.recall.Do(func() { kept.warm = openWarm(&c.Pack, c.entry) })
	return kept.warm
}

// shelf opens an activated pack, once.
func (o *Collection) shelf(c *candidate) (*shelf, error) {
	kept := &o.shelves[c.place]
	kept.open.Do(func() {
		kept.shelf, kept.err = openShelf(&c.Pack, c.Memory)
	})
	return kept.shelf, kept.err
}
