package repo

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/store"
)

// CompileOptions are what the verbs that compile have in common.
type CompileOptions struct {
	Each    compiler.Options // of each pack, without what differs from pack to pack
	Overlay string           // absolute; "" writes into the packs
	Alone   bool             // nobody needs more of a compiled pack than its counts, outputs and findings
	Once    bool             // nobody looks for the splits of a pack among its files once it is compiled

	Disk       *store.Disk // remembers the results of packs; nil remembers nothing
	Contribute func(p *pack.Pack) []compiler.Contributor
	Enough     func(p *pack.Pack, state store.Digest) bool // nil: the result alone is
	Compiled   func(ctx context.Context, m *Member) error  // is called after each compile, several at once; may be nil
	// Restore gives a pack the outputs of a compile elsewhere, and returns nil if there are
	// none: the pack is opened again then, and what it returns called. It may be nil.
	Restore func(ctx context.Context, m *Member) (opened func(p *pack.Pack))
	// Early is compiler.Options.Early, for each pack; may be nil.
	Early func(ctx context.Context, m *Member, r *compiler.Result) error
}

// PacksAtOnce is how many packs compile at the same time; each of them works on
// its files in parallel.
const PacksAtOnce = 4

// LockWait is how long a run waits for another run that writes the same files.
const LockWait = 10 * time.Second

// Compile compiles the packs in parallel. A pack that is not sound enough to be
// written is inspected; its findings are in the member. Packs that somebody has touched
// since an earlier run come first: somebody may be waiting for them.
func (r *Packs) Compile(ctx context.Context, o CompileOptions) error {
	for _, touched := range []bool{true, false} {
		group, running := errgroup.WithContext(ctx)
		group.SetLimit(PacksAtOnce)
		for _, m := range r.Members {
			if (m.Before == nil) == touched {
				group.Go(func() error { return m.compile(running, o) })
			}
		}
		if err := group.Wait(); err != nil {
			return ExplainWrite(err)
		}
	}
	return nil
}

// compile compiles a pack, or inspects one that is not sound enough to be written.
func (m *Member) compile(ctx context.Context, o CompileOptions) error {
	if m.Unusable() {
		return m.Inspect(ctx, o)
	}
	if o.Once {
		defer func() { m.Pack.Release(pack.SplitsDir) }() // it may be another Pack by then
	}
	taken, err := m.takeOver(ctx, o)
	if d := m.Fault(err, ""); d != nil {
		m.Opened = append(slices.Clip(m.Opened), *d)
		return nil
	}
	if taken || err != nil {
		return err
	}
	options := optionsOf(m, o)
	if o.Early != nil {
		options.Early = func(r *compiler.Result) error { return o.Early(ctx, m, r) }
	}
	result, err := compiler.Compile(ctx, m.Pack, options)
	if d := m.Fault(err, options.OutDir); d != nil {
		err := m.Inspect(ctx, o)
		m.Opened = append(slices.Clip(m.Opened), *d)
		return err
	}
	if err != nil {
		return fmt.Errorf("compile %s: %w", m.Dir, err)
	}
	m.Result, m.Dry, m.Out = result, options.DryRun, cmp.Or(m.paths.Rel(options.OutDir), m.Dir)
	if o.Compiled != nil && !result.Reused {
		err = o.Compiled(ctx, m)
	}
	releaseResult(m, o)
	return err
}

// takeOver takes the result of an earlier run for a pack unchanged since, or the outputs of a
// compile elsewhere; taken says that this is all that is needed. Otherwise the pack is as it is
// now.
func (m *Member) takeOver(ctx context.Context, o CompileOptions) (taken bool, err error) {
	if m.Before != nil {
		if state := m.Before.State; state.Known() && o.Enough != nil && o.Enough(m.Pack, state) {
			m.Result, m.Dry, m.Out = m.Before.Again(), o.Each.DryRun, m.Dir
			return true, nil
		}
		if err := m.reopen(); err != nil {
			return false, err
		}
	}
	if o.Restore == nil {
		return false, nil
	}
	opened := o.Restore(ctx, m)
	if opened == nil {
		return false, nil
	}
	if err := m.reopen(); err != nil {
		return false, err
	}
	opened(m.Pack)
	return false, nil
}

// releaseResult drops what nobody asks for once the pack is compiled.
func releaseResult(m *Member, o CompileOptions) {
	if o.Alone {
		m.Result = m.Result.Trim()
	}
	if o.Disk == nil {
		return
	}
	group := PackGroup + m.Name()
	if m.Result.Reused { // nobody asks for more of the pack: memory must not grow with their number
		o.Disk.Release(group)
	} else {
		o.Disk.Group(group).Flush() // its result outlives this run, and leaves memory
	}
}

// optionsOf are those of a compile of the pack.
func optionsOf(m *Member, o CompileOptions) compiler.Options {
	c := o.Each
	c.Opened, c.Wait, c.Policy, c.Lint = m.Opened, LockWait, m.Policy, true
	if o.Disk != nil {
		c.Store = o.Disk.Group(PackGroup + m.Name())
	}
	if m.Pack != nil && o.Contribute != nil {
		c.Contribute = o.Contribute(m.Pack)
	}
	if o.Enough != nil {
		c.Enough = func(state store.Digest) bool { return o.Enough(m.Pack, state) }
	}
	if o.Overlay != "" {
		c.OutDir = filepath.Join(o.Overlay, m.Name())
	} else {
		c.StateDir = m.State()
	}
	return c
}

// Inspect compiles what there is of a pack without writing anything, so that the
// faults of all its files are known in one run.
func (m *Member) Inspect(ctx context.Context, o CompileOptions) error {
	p, found, err := pack.Inspect(m.path, m.mapped...)
	if m.Fault(err, "") != nil {
		return nil // opening it has found that
	}
	if err != nil {
		return fmt.Errorf("inspect %s: %w", m.Dir, err)
	}
	if p == nil {
		return nil // no pack at all
	}
	defer p.Close()
	inspect := CompileOptions{Each: o.Each, Overlay: o.Overlay}
	inspect.Each.DryRun, inspect.Each.Visit = true, nil
	options := optionsOf(m, inspect)
	options.Opened, options.Lint = found, false // there is enough to say
	if o.Disk != nil {                          // not with the result of the pack, which is needed once it is sound again
		options.Store = o.Disk.Group(inspectedGroup + m.Dir)
		defer o.Disk.Release(inspectedGroup + m.Dir)
	}
	result, err := compiler.Compile(ctx, p, options)
	if d := m.Fault(err, options.OutDir); d != nil {
		m.Opened = append(found, *d)
		return nil
	}
	if err != nil {
		return fmt.Errorf("inspect %s: %w", m.Dir, err)
	}
	m.Opened = result.Diagnostics
	return nil
}
