package library

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/repo"
)

// sitePacks begins the paths of an index as a site has them.
const sitePacks = "packs/"

// maxList is the largest index of locked packs that is looked at, in bytes.
const maxList = 32 << 20

// indexLocked writes the index of all locked packs when the lock has changed, or packgen
// did not write that of the checkout.
func (e *elsewhere) indexLocked(ctx context.Context, changed bool) error {
	if list, lock := listOf(e.ws); !changed && isMarked(e.Cache, list, lock) {
		return nil
	}
	return e.writeLockedIndex(ctx)
}

// listOf reads the index of the locked packs of a repository, and its lock; nil where there
// is none.
func listOf(w *repo.Repo) (list, lock []byte) {
	list, err := atomicfile.Read(filepath.Join(w.Paths.Dir, filepath.FromSlash(hook.LockedIndex)), maxList)
	if err != nil {
		return nil, nil
	}
	if lock, err = atomicfile.Read(filepath.Join(w.Paths.Dir, schema.LockName), schema.MaxLock); err != nil {
		return nil, nil
	}
	return list, lock
}

// isMarked reports whether packgen wrote an index of locked packs for a lock.
func isMarked(c *remote.Cache, list, lock []byte) bool {
	if list == nil {
		return false
	}
	_, err := os.Lstat(hook.ListMark(c.Dir(), list, lock))
	return err == nil
}

// writeLockedIndex writes the index of all locked packs, for the prompt hook: it
// opens no archive and compiles nothing. A pack that is not in the cache, or cannot
// be indexed, is left out.
func (e *elsewhere) writeLockedIndex(ctx context.Context) error {
	lock, _, err := remote.ReadLock(e.ws.Paths.Dir)
	if err != nil {
		return err
	}
	text, _, err := e.makeLockedIndex(ctx, lock)
	if err != nil {
		return err
	}
	return e.keepLockedIndex(lock, text)
}

// makeLockedIndex makes the index of all packs of a lock that the cache holds; gone are the
// names of those that it does not.
func (e *elsewhere) makeLockedIndex(ctx context.Context, lock *schema.Lock) (text []byte, gone []string, err error) {
	local := &elsewhere{ws: e.ws, Lock: lock, Cache: e.Cache, cfg: e.cfg, offline: true, stages: e.stages, policy: e.policy, asker: e.asker}
	defer local.Close()
	var list []loadout.Layer
	for _, ref := range firstOfEach(lock) {
		below, err := e.Cache.Below(ref.Tree)
		if err != nil {
			gone = append(gone, ref.Pack)
			continue
		}
		ix, err := local.keptIndex(ctx, ref, &e.cfg.Loadout)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err != nil {
			continue
		}
		list = append(list, loadout.Layer{Name: ref.Pack, Index: inCache(ix, filepath.Join(e.Cache.Dir(), below), below)})
	}
	merged, err := loadout.Merge(list, loadout.MergeOptions{Generated: "1970-01-01T00:00:00.000Z"})
	if err != nil {
		return nil, nil, fmt.Errorf("merge the indexes of locked packs: %w", err)
	}
	for _, l := range list {
		if l.Index.Tokenizer == loadout.Unicode {
			merged.SetTokenizer(loadout.Unicode)
		}
	}
	return indexjson.Write(&merged.Index), gone, nil
}

// firstOfEach returns the references of a lock that count: of several to packs of one name the
// first.
func firstOfEach(lock *schema.Lock) []*schema.LockedRef {
	var list []*schema.LockedRef
	for i := range lock.References {
		ref := &lock.References[i]
		if !slices.ContainsFunc(list, func(have *schema.LockedRef) bool { return have.Pack == ref.Pack }) {
			list = append(list, ref)
		}
	}
	return list
}

// keepLockedIndex writes the index of the packs of a lock, its mark, and the links to packs.
func (e *elsewhere) keepLockedIndex(lock *schema.Lock, text []byte) error {
	written, err := atomicfile.Read(filepath.Join(e.ws.Paths.Dir, schema.LockName), schema.MaxLock)
	if err != nil {
		return err
	}
	if err := e.ws.MakeState(); err != nil {
		return repo.ExplainWrite(err)
	}
	for name, data := range map[string][]byte{hook.ListMark(e.Cache.Dir(), text, written): nil, filepath.Join(e.ws.Paths.Dir, filepath.FromSlash(hook.LockedIndex)): text} {
		if err := atomicfile.Write(name, data); err != nil {
			return repo.ExplainWrite(err)
		}
	}
	e.linkLocked(lock)
	return nil
}

// linkLocked links each locked pack to its files in the cache, by its name beside the index,
// and removes the links of packs that the lock lacks. Where no link can be made, pointers
// have the path in the cache.
func (e *elsewhere) linkLocked(lock *schema.Lock) {
	targets := map[string]string{} // by the name of the link
	for i := range lock.References {
		ref := &lock.References[i]
		if below, err := e.Cache.Below(ref.Tree); err == nil && targets[ref.Pack] == "" && filepath.IsLocal(ref.Pack) && filepath.Base(ref.Pack) == ref.Pack {
			targets[ref.Pack] = filepath.Join(e.Cache.Dir(), below)
		}
	}
	dir := filepath.Join(e.ws.Paths.Dir, filepath.FromSlash(path.Dir(hook.LockedIndex)))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		target, err := os.Readlink(name)
		switch {
		case err != nil: // it is not a link
		case target == targets[entry.Name()]:
			delete(targets, entry.Name())
		default:
			_ = regularfile.Remove(name) // otherwise no pointer leads through it
		}
	}
	for name, target := range targets {
		_ = regularfile.Symlink(target, filepath.Join(e.ws.Paths.Dir, filepath.FromSlash(hook.LockedLink(name)))) // see above
	}
}

// inCache returns the entries of an index whose files are in a tree of the cache,
// with paths from the root of the cache.
func inCache(ix *loadout.Index, tree, below string) *loadout.Index {
	out := *ix
	out.Head, out.Entries = "", nil
	for _, e := range ix.Entries {
		_, name, ok := strings.Cut(strings.TrimPrefix(e.Path, sitePacks), "/")
		if !ok {
			continue
		}
		if info, err := os.Lstat(filepath.Join(tree, filepath.FromSlash(name))); err != nil || !info.Mode().IsRegular() {
			continue
		}
		e.Path, e.Raw = path.Join(filepath.ToSlash(below), name), ""
		out.Entries = append(out.Entries, e)
	}
	return &out
}
