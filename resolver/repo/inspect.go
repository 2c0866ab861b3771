package repo

import (
	"context"
	"fmt"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/pack"
)

// Inspect compiles what there is of a pack without writing anything, so that the
// faults of all its files are known in one run.
func (w *Repo) Inspect(ctx context.Context, m *Member, o CompileOptions) error {
	p, found, err := pack.Inspect(w.Paths.Abs(m.Dir), w.Mappings(m.Dir)...)
	if packFault(w.Paths, m, "", err) != nil {
		return nil // opening it has found that
	}
	if err != nil {
		return fmt.Errorf("inspect %s: %w", m.Dir, err)
	}
	if p == nil {
		return nil // no pack at all
	}
	defer p.Close()
	options := compilerOptions(w.Paths, m, o)
	options.Lint = false // there is enough to say
	options.DryRun, options.Visit, options.Opened, options.Contribute, options.Enough, options.Store = true, nil, found, nil, nil, nil
	if o.Disk != nil { // not with the result of the pack, which is needed once it is sound again
		options.Store = o.Disk.Group(inspectedGroup + m.Dir)
		defer o.Disk.Release(inspectedGroup + m.Dir)
	}
	result, err := compiler.Compile(ctx, p, options)
	if d := packFault(w.Paths, m, options.OutDir, err); d != nil {
		m.Opened = append(found, *d)
		return nil
	}
	if err != nil {
		return fmt.Errorf("inspect %s: %w", m.Dir, err)
	}
	m.Opened = result.Diagnostics
	return nil
}
