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
// used is reported to every query from then on.
type Collection struct {
	catalog []*candidate   // as read; each query works on copies
	opened  []keptContents // by place in the catalog
}

// keptContents is a pack as it was read, and as an earlier process has cached it.
type keptContents struct {
	open     sync.Once
	contents *contents
	err      error

	recall sync.Once
	cached *contents // nil for nothing that holds
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
	return &Collection{list, make([]keptContents, len(packs))}, nil
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
	m := &competition{Collection: o, req: &req, useCache: true}
	chosen, err := m.choose(ctx)
	if err != nil {
		return nil, fmt.Errorf("resolve: %w", err)
	}
	resolutions := make([]*Resolution, len(budgets))
	for i, budget := range budgets {
		var raised bool
		req.Budget, raised = effectiveBudget(budget)
		list := slices.Clone(chosen)
		if len(list) > 0 {
			list[0].raised = raised
		}
		resolutions[i] = assemble(list, m.asked, &req)
	}
	return resolutions, nil
}

// candidates are copies of the packs as the catalog knows them, for one query.
func (o *Collection) candidates() []*candidate {
	list := make([]*candidate, len(o.catalog))
	for i, c := range o.catalog {
		own := *c
		list[i] = &own
	}
	return list
}

// cached opens an activated pack from what is kept of it, once; nil where that is not
// enough.
func (o *Collection) cached(c *candidate) *contents {
	kept := &o.opened[c.place]
	kept.recall.Do(func() { kept.cached = openFromCache(&c.Pack, c.entry) })
	return kept.cached
}

// contents opens an activated pack, once.
func (o *Collection) contents(c *candidate) (*contents, error) {
	kept := &o.opened[c.place]
	kept.open.Do(func() {
		kept.contents, kept.err = openContents(&c.Pack, c.Cache)
	})
	return kept.contents, kept.err
}
