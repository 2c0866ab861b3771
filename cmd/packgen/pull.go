package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/workspace"
)

// pullAtOnce is how many references are opened at the same time.
const pullAtOnce = 4

// pullFlags are the flags of the pull verb.
type pullFlags struct {
	pullOptions
	offline bool
}

// pullOptions say what is pulled, and what becomes of it.
type pullOptions struct {
	update     bool   // ask again what the references mean
	frozen     bool   // the lock must not change
	dryRun     bool   // write neither the lock nor out
	out        string // the directory that packs are also written to; "" for none
	failOn     string // the mildest severity of a finding that refuses a pack: error, warning or never
	failAlways bool   // failOn was asked for: it holds for what is locked too
}

// newPull is the pull verb.
func newPull(a *app) *cobra.Command {
	var f pullFlags
	cmd := &cobra.Command{
		Use:   "pull [REF...]",
		Short: "Fetch packs from elsewhere, verify them and lock them",
		Long: `pull brings packs from elsewhere into the cache and writes what each reference
stands for into packgen.lock: the hash over the files of the pack, and where they
came from. A locked pack is trusted as far as a pack from elsewhere can be, and
stays the same until --update. Without a reference everything in packgen.lock is
brought.

A reference is dir:PATH or a directory, file.tar.gz, file.tar or file.zip, the
address of a site or of such a file, gha://OWNER/REPO/ARTIFACT[?branch=&workflow=&run=]
or gitlab://GROUP/PROJECT/JOB[?ref=]; #NAME after it names one pack of several.
What is locked can also be named by its pack.

The text of each pack is looked through for instructions to a model, characters
that nobody sees and secrets. What is found is printed and written into
packgen.lock; --fail-on says from which severity on the pack is refused. What is
locked was looked at when it was locked: it is refused only when --fail-on is given.

What differs from packgen.lock ends with exit code 3 and both hashes; nothing is
overwritten. Tokens come from GITHUB_TOKEN, GH_TOKEN, GITLAB_TOKEN and CI_JOB_TOKEN.`,
		Example: "  packgen pull https://example.org/packs/#handbook\n  packgen pull --frozen\n  packgen pull --update handbook",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.failAlways = cmd.Flags().Changed("fail-on")
			return a.runPull(cmd.Context(), f, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.update, "update", false, "ask again what the references mean, or everything in packgen.lock, and lock that")
	flags.BoolVar(&f.frozen, "frozen", false, "fail when packgen.lock would change, and leave it alone")
	flags.BoolVar(&f.offline, "offline", false, "fetch nothing: what is locked must be in the cache")
	a.registerTimeout(flags)
	flags.BoolVar(&f.dryRun, "dry-run", false, "fetch and verify, say what would change, and write neither packgen.lock nor --out")
	flags.StringVar(&f.out, "out", "", "also write each pack to `DIR`/NAME, which must not be there yet")
	flags.StringVar(&f.failOn, "fail-on", "error", "the mildest `SEVERITY` of a finding in its text that refuses a pack: error, warning, never")
	cmd.MarkFlagsMutuallyExclusive("update", "offline")
	return cmd
}

// pulled is what became of one reference.
type pulled struct {
	target
	artifact *remote.Artifact
	err      error
	found    []diag.Diagnostic // in its text
	state    string            // locked, added, updated
	out      string            // where its files went
}

// runPull does what the pull verb says.
func (a *app) runPull(ctx context.Context, f pullFlags, args []string) error {
	if err := oneOf("--fail-on", f.failOn, "error", "warning", "never"); err != nil {
		return err
	}
	e, err := newElsewhere(&a.Workspace, f.offline)
	if err != nil {
		return err
	}
	defer e.close()
	list, changed, err := e.pullAndLock(ctx, f.pullOptions, args)
	if err != nil {
		return err
	}
	return a.reportPull(f, list, changed)
}

// pullAndLock brings references, or all of the lock without any, and writes the
// lock when none of them has an error of its own.
func (e *elsewhere) pullAndLock(ctx context.Context, f pullOptions, args []string) (list []*pulled, changed bool, err error) {
	targets, err := e.pullTargets(args)
	if err != nil {
		return nil, false, err
	}
	for _, t := range targets {
		list = append(list, &pulled{target: t})
	}
	if f.frozen && !f.update {
		for _, p := range list {
			if p.locked == nil {
				p.err = frozenError(p.ref.String(), "added")
			}
		}
	}
	e.stages.Begin("pull")
	err = e.pullAll(ctx, f, list)
	e.stages.End()
	if err != nil || anyFailed(list) {
		return list, false, err
	}
	entries := entriesOf(list)
	changes := remote.Changes(e.lock, entries)
	if f.frozen {
		for _, p := range list {
			if p.state != "locked" {
				p.err = frozenError(p.ref.String(), p.state)
			}
		}
		if anyFailed(list) {
			return list, false, nil
		}
	}
	if err := e.writeOut(ctx, f, list); err != nil {
		return nil, false, err
	}
	changed = len(changes) > 0
	if !f.dryRun && !f.frozen {
		if changed, err = e.cache.WriteLock(ctx, e.ws.Dir, entries); err != nil {
			return nil, false, workspace.ExplainWrite(err)
		}
	}
	return list, changed, nil
}

// pullTargets are the references given, or all of the lock.
func (e *elsewhere) pullTargets(args []string) ([]target, error) {
	if len(args) > 0 {
		return e.targets(args)
	}
	if len(e.lock.References) == 0 {
		return nil, diag.WithHint(errors.New("there is nothing to pull: "+schema.LockName+" holds no reference"), "For example: packgen pull https://example.org/packs/#handbook")
	}
	refs := make([]string, len(e.lock.References))
	for i, r := range e.lock.References {
		refs[i] = r.Ref
	}
	return e.targets(refs)
}

// frozenError says that a lock would change that is frozen.
func frozenError(ref, how string) error {
	return diag.Refuse(diag.WithHint(fmt.Errorf("%s would change: %s would be %s, and it is frozen", schema.LockName, ref, how),
		"Run packgen pull without --frozen, and commit %s.", schema.LockName))
}

// pullAll opens and verifies every reference that has no error yet. Its own error
// is that of an ended context.
func (e *elsewhere) pullAll(ctx context.Context, f pullOptions, list []*pulled) error {
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(pullAtOnce)
	for _, p := range list {
		if p.err != nil {
			continue
		}
		group.Go(func() error {
			want := p.target
			if f.update {
				want.locked = nil
			}
			p.artifact, p.err = e.pull(running, want)
			if p.err == nil {
				p.state = e.stateOf(&p.artifact.Entry)
				p.err = p.inspect(running, f)
			}
			return running.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// inspect looks through the text of a pack. The error is that of a pack that is
// refused for what was found.
func (p *pulled) inspect(ctx context.Context, f pullOptions) error {
	a := p.artifact
	var err error
	if p.found, err = check.Pulled(ctx, a.Name, a.FS, a.Files()); err != nil {
		return err
	}
	a.Entry.Inspection = check.Inspection(p.found)
	if f.failOn == "never" || p.state == "locked" && !f.failAlways {
		return nil
	}
	grave := diag.Count(p.found, diag.Error)
	if f.failOn == "warning" {
		grave += diag.Count(p.found, diag.Warning)
	}
	if grave == 0 {
		return nil
	}
	return diag.Refuse(diag.WithHint(fmt.Errorf("%s: %s in its text", p.ref, amount.Counted(grave, "finding")),
		"Read what is named above. packgen pull --fail-on never %s takes the pack as it is, and writes what was found into %s.", diag.ShellWord(p.ref.String()), schema.LockName))
}

// stateOf compares an entry with the lock.
func (e *elsewhere) stateOf(entry *schema.LockedRef) string {
	switch {
	case remote.Locked(e.lock, entry.Ref) == nil:
		return "added"
	case len(remote.Changes(e.lock, []schema.LockedRef{*entry})) > 0:
		return "updated"
	}
	return "locked"
}

// pull opens one reference and reads all of it. A damaged tree of the cache is
// fetched again, once.
func (e *elsewhere) pull(ctx context.Context, t target) (*remote.Artifact, error) {
	for again := false; ; again = true {
		a, err := e.get(ctx, t, true)
		if err != nil {
			return nil, err
		}
		err = a.Verify(ctx)
		if err == nil {
			return a, nil
		}
		if again || a.Damage() == nil || t.ref.Kind == remote.Directory {
			return nil, explainElsewhere(err)
		}
		if err := a.Drop(ctx); err != nil {
			return nil, err
		}
	}
}

func anyFailed(list []*pulled) bool {
	for _, p := range list {
		if p.err != nil {
			return true
		}
	}
	return false
}

func entriesOf(list []*pulled) []schema.LockedRef {
	entries := make([]schema.LockedRef, len(list))
	for i, p := range list {
		entries[i] = p.artifact.Entry
	}
	return entries
}
