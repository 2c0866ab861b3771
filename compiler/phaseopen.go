package compiler

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
)

// contract is what a pack says of itself that decides how its files are read.
type contract struct {
	profile, mode, grounding string
	documents                bool // documents/ is a primary source
	wiki                     bool // wiki/ is one
	apart                    apart
	policy                   policy.Local
}

func contractOf(p *pack.Pack) contract {
	k := contract{profile: p.Meta.EffectiveProfile(), mode: p.Meta.EffectiveMode(), grounding: p.Meta.EffectiveGrounding(), apart: newApart(&p.Meta)}
	k.documents, k.wiki = k.profile != "wiki-first", k.profile != "document-first"
	return k
}

// opened is a pack whose outputs are locked: where every phase starts from.
type opened struct {
	contract
	pack  *pack.Pack
	opt   Options
	out   *outputs
	cache *cache
}

// open locks the outputs of a pack, finishes what an interrupted run left, and finds
// what is remembered of earlier compiles.
func open(ctx context.Context, p *pack.Pack, o Options) (*opened, error) {
	c := &opened{contract: contractOf(p), pack: p, opt: o}
	c.policy = o.Policy
	var err error
	if c.out, err = openOutputs(ctx, p, o); err != nil {
		return nil, err
	}
	c.cache = openCache(c)
	return c, nil
}

func (c *opened) close() {
	c.cache.close()
	c.out.close()
}

// parallel calls work for 0 to n-1 on as many goroutines as the options allow
// and stops at the first error or when the context ends.
func (c *opened) parallel(ctx context.Context, n int, work func(int) error) error {
	g, running := errgroup.WithContext(ctx)
	g.SetLimit(c.opt.Jobs)
	for i := range n {
		if running.Err() != nil {
			break
		}
		g.Go(func() error {
			if err := running.Err(); err != nil {
				return err
			}
			return work(i)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}
