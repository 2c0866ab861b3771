package library

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/repo"
)

// pullAtOnce is how many references are opened at the same time.
const pullAtOnce = 4

// PullOptions say what is pulled, and what becomes of it.
type PullOptions struct {
	Update     bool   // ask again what the references mean
	Frozen     bool   // the lock must not change
	DryRun     bool   // write neither the lock nor out
	Out        string // the directory that packs are also written to; "" for none
	FailOn     string // the mildest severity of a finding that refuses a pack: error, warning or never
	FailAlways bool   // failOn was asked for: it holds for what is locked too
	Downgrade  bool   // packs may be older than those that are locked
}

// Pulled is what became of one reference.
type Pulled struct {
	target
	Artifact *remote.Artifact
	Err      error
	Found    []diag.Diagnostic // in its text
	State    string            // locked, added, updated
	Out      string            // where its files went
}

// PullAndLock brings references, or all of the lock without any, and writes the
// lock when none of them has an error of its own.
func (e *elsewhere) PullAndLock(ctx context.Context, f PullOptions, args []string) (list []*Pulled, changed bool, err error) {
	targets, err := e.pullTargets(args)
	if err != nil {
		return nil, false, err
	}
	for _, t := range targets {
		list = append(list, &Pulled{target: t})
	}
	if f.Frozen && !f.Update {
		for _, p := range list {
			if p.locked == nil {
				p.Err = frozenError(p.Ref.String(), "added", f.Update)
			}
		}
	}
	e.downgrade = f.Downgrade
	e.stages.Begin("pull")
	err = e.pullAll(ctx, f, list)
	e.stages.End()
	if err != nil || anyFailed(list) {
		return list, false, err
	}
	entries := entriesOf(list)
	changes := remote.Changes(e.Lock, entries)
	if f.Frozen {
		for _, p := range list {
			if p.State != "locked" {
				p.Err = frozenError(p.Ref.String(), p.State, f.Update)
			}
		}
		if anyFailed(list) {
			return list, false, nil
		}
	}
	if err := e.placesOut(f, list); err != nil {
		return nil, false, err
	}
	changed = len(changes) > 0
	if err := keepAll(ctx, f, list); err != nil {
		return nil, false, err
	}
	if !f.DryRun && !f.Frozen {
		if changed, err = e.Cache.WriteLock(ctx, e.ws.Paths.Dir, entries); err != nil {
			return nil, false, repo.ExplainWrite(err)
		}
	}
	// Last: a pull that is killed before can be run again, one that finds its packs cannot.
	if err := e.writeOut(ctx, f, list); err != nil {
		return nil, false, err
	}
	if !f.DryRun {
		if err := e.indexLocked(ctx, changed); err != nil {
			e.ws.Remark("warning: the prompt hook does not see the locked packs: %s", err)
		}
	}
	return list, changed, nil
}

// pullTargets are the references given, or all of the lock.
func (e *elsewhere) pullTargets(args []string) ([]target, error) {
	if len(args) > 0 {
		return e.targets(args)
	}
	if len(e.Lock.References) == 0 {
		return nil, diag.WithHint(errors.New(schema.LockName+" holds no reference"), "try packgen pull https://example.org/packs/#handbook")
	}
	refs := make([]string, len(e.Lock.References))
	for i, r := range e.Lock.References {
		refs[i] = r.Ref
	}
	return e.targets(refs)
}

// frozenError says that a lock would change that is frozen.
func frozenError(ref, how string, update bool) error {
	command := "pull without --frozen"
	if update {
		command = "lock update"
	}
	return diag.Refuse(diag.WithHint(fmt.Errorf("%s would change: %s would be %s, and it is frozen", schema.LockName, ref, how),
		"run packgen %s, and commit %s", command, schema.LockName))
}

// pullAll opens and verifies every reference that has no error yet. Its own error
// is that of an ended context.
func (e *elsewhere) pullAll(ctx context.Context, f PullOptions, list []*Pulled) error {
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(pullAtOnce)
	for _, p := range list {
		if p.Err != nil {
			continue
		}
		group.Go(func() error {
			want := p.target
			if f.Update {
				want.locked = nil
			}
			p.Artifact, p.Err = e.pull(running, want)
			if p.Err == nil {
				p.State = e.stateOf(&p.Artifact.Entry)
				p.Err = p.inspect(running, f)
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
func (p *Pulled) inspect(ctx context.Context, f PullOptions) error {
	a := p.Artifact
	var err error
	if p.Found, err = check.Pulled(ctx, a.Name, a.FS, a.Files()); err != nil {
		return err
	}
	a.Entry.Inspection = check.Inspection(p.Found)
	if f.FailOn == "never" || p.State == "locked" && !f.FailAlways {
		return nil
	}
	refusing := diag.Count(p.Found, diag.Error)
	if f.FailOn == diag.Warning.String() {
		refusing += diag.Count(p.Found, diag.Warning)
	}
	if refusing == 0 {
		return nil
	}
	return diag.Refuse(diag.WithHint(fmt.Errorf("%s: %s in its text", p.Ref, amount.Counted(refusing, "finding")),
		"read what is named above; packgen pull --fail-on never %s takes the pack as it is, and writes what was found into %s", diag.ShellWord(p.Ref.String()), schema.LockName))
}

// stateOf compares an entry with the lock.
func (e *elsewhere) stateOf(entry *schema.LockedRef) string {
	switch {
	case remote.Locked(e.Lock, entry.Ref) == nil:
		return "added"
	case len(remote.Changes(e.Lock, []schema.LockedRef{*entry})) > 0:
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
		if again || a.Damage() == nil || t.Ref.Kind == remote.Directory {
			return nil, explainElsewhere(err)
		}
		if err := a.Drop(ctx); err != nil {
			return nil, err
		}
	}
}

// keepAll puts what was pulled from directories into the cache, where what is locked is
// read from.
func keepAll(ctx context.Context, f PullOptions, list []*Pulled) error {
	if f.DryRun {
		return nil
	}
	for _, p := range list {
		if err := p.Artifact.Keep(ctx); err != nil {
			return explainElsewhere(err)
		}
	}
	return nil
}

func anyFailed(list []*Pulled) bool {
	for _, p := range list {
		if p.Err != nil {
			return true
		}
	}
	return false
}

func entriesOf(list []*Pulled) []schema.LockedRef {
	entries := make([]schema.LockedRef, len(list))
	for i, p := range list {
		entries[i] = p.Artifact.Entry
	}
	return entries
}
