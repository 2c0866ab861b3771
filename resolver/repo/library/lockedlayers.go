package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/repo"
)

// LockedLayers are the indexes of all packs of the lock before and after a pull, those that
// changed last; nil and nil when the pull changed none. What was locked is read from
// the cache alone: the place that it came from has something else by now.
func (e *elsewhere) LockedLayers(ctx context.Context, list []*Pulled) (before, after []loadout.Layer, err error) {
	changed := map[string]*Pulled{} // by reference
	for _, p := range list {
		if p.Err == nil && p.Artifact != nil && p.State != "locked" {
			changed[p.Artifact.Entry.Ref] = p
		}
	}
	if len(changed) == 0 {
		return nil, nil, nil
	}
	for i := range e.Lock.References {
		ref := &e.Lock.References[i]
		ix, err := e.keptIndex(ctx, ref, &e.cfg.Loadout)
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("the cache does not hold it")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read %s as it was locked: %w", diag.Printable(ref.Pack), err)
		}
		layer := loadout.Layer{Name: ref.Ref, Index: ix}
		before = append(before, layer)
		if changed[ref.Ref] == nil {
			after = append(after, layer)
		}
	}
	for _, p := range list {
		if p.Artifact == nil || changed[p.Artifact.Entry.Ref] != p {
			continue
		}
		ix, err := buildIndex(ctx, p.Artifact, &e.cfg.Loadout)
		if err != nil {
			return nil, nil, fmt.Errorf("index %s: %w", diag.Printable(p.Artifact.Name), err)
		}
		after = append(after, loadout.Layer{Name: p.Artifact.Entry.Ref, Index: ix})
	}
	return before, after, nil
}

// keptIndex makes the index of a pack that the cache keeps.
func (e *elsewhere) keptIndex(ctx context.Context, locked *schema.LockedRef, cfg *repo.LoadoutConfig) (*loadout.Index, error) {
	a, err := e.kept(ctx, locked)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	return buildIndex(ctx, a, cfg)
}

// kept opens what the lock holds of a reference, from the cache. The caller closes it.
func (e *elsewhere) kept(ctx context.Context, locked *schema.LockedRef) (*remote.Artifact, error) {
	ref, err := remote.ParseRef(locked.Ref)
	if err != nil {
		return nil, err
	}
	return remote.Kept(ctx, ref, e.options(target{ref, locked}))
}
