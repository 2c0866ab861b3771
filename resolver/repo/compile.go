package repo

import (
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
	DryRun  bool
	Force   bool
	Runs    RunsConfig
	Whole   bool // record every run, and everything in its record
	Trigger string
	Overlay string    // absolute; "" writes into the packs
	Now     time.Time // zero is the clock
	Visit   func(*compiler.Unit) error
	Alone   bool // nobody needs more of a compiled pack than its counts, outputs and findings
	Once    bool // nobody looks for the splits of a pack among its files once it is compiled

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

// Compile compiles the packs in parallel. A pack that is not sound enough to be
// written is inspected; its findings are in the member. Packs that somebody has touched
// since an earlier run come first: somebody may be waiting for them.
func (w *Repo) Compile(ctx context.Context, r *Packs, o CompileOptions) error {
	var touched, rest []*Member
	for _, m := range r.Members {
		if m.Before == nil {
			touched = append(touched, m)
		} else {
			rest = append(rest, m)
		}
	}
	if err := w.compile(ctx, touched, o); err != nil {
		return err
	}
	return w.compile(ctx, rest, o)
}

func (w *Repo) compile(ctx context.Context, members []*Member, o CompileOptions) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(PacksAtOnce)
	for _, m := range members {
		group.Go(func() error {
			if m.Unusable() {
				return w.Inspect(ctx, m, o)
			}
			if o.Once {
				defer func() { m.Pack.Release(pack.SplitsDir) }() // it may be another Pack by then
			}
			again, err := w.takeOver(m, o)
			if d := packFault(w.Paths, m, "", err); d != nil {
				m.Opened = append(slices.Clip(m.Opened), *d)
				return nil
			}
			if again || err != nil {
				return err
			}
			if err := w.restore(ctx, m, o); err != nil {
				return err
			}
			options := compilerOptions(w.Paths, m, o)
			if o.Early != nil {
				options.Early = func(r *compiler.Result) error { return o.Early(ctx, m, r) }
			}
			result, err := compiler.Compile(ctx, m.Pack, options)
			if d := packFault(w.Paths, m, options.OutDir, err); d != nil {
				err := w.Inspect(ctx, m, o)
				m.Opened = append(slices.Clip(m.Opened), *d)
				return err
			}
			if err != nil {
				return fmt.Errorf("compile %s: %w", m.Dir, err)
			}
			m.Result, m.Dry, m.Out = result, options.DryRun, m.Dir
			if options.OutDir != "" {
				m.Out = w.Paths.Rel(options.OutDir)
			}
			if o.Compiled != nil && !result.Reused {
				err = o.Compiled(ctx, m)
			}
			group := PackGroup + m.Name()
			if o.Alone {
				m.Result = result.Trim()
			}
			switch {
			case o.Disk == nil:
			case m.Result.Reused: // nobody asks for more of the pack: memory must not grow with their number
				o.Disk.Release(group)
			default:
				o.Disk.Group(group).Flush() // its result outlives this run, and leaves memory
			}
			return err
		})
	}
	return ExplainWrite(group.Wait())
}

// takeOver takes the result of an earlier run for a pack unchanged since.
// Where more of the pack is needed than that, it is opened again.
func (w *Repo) takeOver(m *Member, o CompileOptions) (bool, error) {
	if m.Before == nil {
		return false, nil
	}
	if state := m.Before.State; state.Known() && o.Enough != nil && o.Enough(m.Pack, state) {
		m.Result, m.Dry, m.Out = m.Before.Again(), o.DryRun, m.Dir
		return true, nil
	}
	return false, w.openAgain(m)
}

// restore gives a pack the outputs of a compile elsewhere, if there are any.
func (w *Repo) restore(ctx context.Context, m *Member, o CompileOptions) error {
	if o.Restore == nil {
		return nil
	}
	opened := o.Restore(ctx, m)
	if opened == nil {
		return nil
	}
	err := w.openAgain(m)
	if err == nil {
		opened(m.Pack)
	}
	return err
}

// openAgain opens a pack as it is now.
func (w *Repo) openAgain(m *Member) error {
	p, found, err := pack.Open(w.Paths.Abs(m.Dir), w.Mappings(m.Dir)...)
	if err != nil {
		return fmt.Errorf("open pack %s: %w", m.Dir, err)
	}
	m.Pack.Close()
	m.Pack, m.Opened, m.Before = p, found, nil
	return nil
}

// PacksAtOnce is how many packs compile at the same time; each of them works on
// its files in parallel.
const PacksAtOnce = 4

// compilerOptions translates the options for one pack.
func compilerOptions(paths Paths, m *Member, o CompileOptions) compiler.Options {
	c := compiler.Options{
		Trigger: o.Trigger, DryRun: o.DryRun, Force: o.Force, RecordUnchanged: o.Whole, KeepRuns: int(o.Runs.Keep), Now: o.Now,
		Opened: m.Opened, Visit: o.Visit, Wait: LockWait, Policy: m.Policy, Lint: true,
	}
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
		return c
	}
	c.StateDir = paths.PackState(m)
	return c
}

// LockWait is how long a run waits for another run that writes the same files.
const LockWait = 10 * time.Second
