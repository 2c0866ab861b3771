package elsewhere

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/repo"
)

// Entries implements [repo.Elsewhere], out of the cache. The index that packgen pull wrote is
// read when it is of this lock, otherwise it is made again.
func (e *Places) Entries(ctx context.Context) (*repo.LockedEntries, error) {
	if len(e.Lock.References) == 0 {
		return nil, nil
	}
	found := &repo.LockedEntries{Origins: map[string]repo.Origin{}, Own: ownPacks(e.ws)}
	refs := slices.DeleteFunc(firstOfEach(e.Lock), func(ref *schema.LockedRef) bool { return found.Own[ref.Pack] != "" })
	for _, ref := range refs {
		if _, err := e.Cache.Below(ref.Tree); err != nil {
			found.Unpulled = append(found.Unpulled, unpulled(ref))
		}
	}
	text, lock := listOf(e.ws)
	if !isMarked(e.Cache, text, lock) {
		var gone []string
		var err error
		if text, gone, err = makeLockedIndex(ctx, e, e.Lock); err != nil {
			return nil, err
		}
		if len(gone) == 0 {
			_ = keepLockedIndex(e, e.Lock, text) // where nothing can be written it is made again
		}
	}
	ix, err := indexjson.Read(text)
	if err != nil {
		return nil, repo.ReadIndexError(hook.LockedIndex, err)
	}
	found.Layer = loadout.Layer{Name: layers.Locked, Path: filepath.Join(e.ws.Paths.Dir, filepath.FromSlash(hook.LockedIndex)), Index: ix}
	show(e, found, refs)
	return found, nil
}

// ownPacks are the directories of the repository's own packs, by name: they take the place of
// locked ones.
func ownPacks(w *repo.Repo) map[string]string {
	own := map[string]string{}
	l := repo.NewLibrary(w)
	dirs, _, _ := pack.Find(w.Paths.Dir, w.Config.Packs) // what cannot be read has no name
	for _, dir := range dirs {
		own[l.NameOf(dir)] = dir
	}
	return own
}

// show gives the entries the paths that an agent can open, and says where each is from. What
// is in no tree of the references is left out.
func show(e *Places, found *repo.LockedEntries, refs []*schema.LockedRef) {
	type tree struct {
		origin repo.Origin
		dir    string // what its paths begin with
	}
	trees := map[string]tree{} // by where they are in the cache
	for _, ref := range refs {
		below, err := e.Cache.Below(ref.Tree)
		if err != nil {
			continue
		}
		t := tree{repo.Origin{Pack: ref.Pack, Version: ref.Version, From: ref.Ref, Tree: ref.Tree, Locked: true}, filepath.Join(e.Cache.Dir(), below)}
		link := hook.LockedLink(ref.Pack)
		if target, err := os.Readlink(filepath.Join(e.ws.Paths.Dir, filepath.FromSlash(link))); err == nil && target == t.dir {
			t.dir = link
		}
		trees[filepath.ToSlash(below)] = t
	}
	ix := found.Layer.Index
	ix.Head = ""
	entries := ix.Entries
	ix.Entries = nil
	for _, entry := range entries {
		const depth = 3 // trees/HASH/tree/FILE
		parts := strings.SplitN(entry.Path, "/", depth+1)
		if len(parts) <= depth {
			continue
		}
		t, ok := trees[path.Join(parts[:depth]...)]
		if !ok {
			continue
		}
		entry.Path, entry.Raw = filepath.ToSlash(t.dir)+"/"+parts[depth], ""
		ix.Entries = append(ix.Entries, entry)
		found.Origins[entry.ID] = t.origin
	}
}

// sitePacks begins the paths of an index as a site has them.
const sitePacks = "packs/"

// maxList is the largest index of locked packs that is looked at, in bytes.
const maxList = 32 << 20

// indexLocked writes the index of all locked packs, for the prompt hook, when the lock has
// changed, or packgen did not write that of the checkout. A pack that is not in the cache, or
// cannot be indexed, is left out.
func indexLocked(ctx context.Context, e *Places, changed bool) error {
	if list, written := listOf(e.ws); !changed && isMarked(e.Cache, list, written) {
		return nil
	}
	lock, _, err := remote.ReadLock(e.ws.Paths.Dir)
	if err != nil {
		return err
	}
	text, _, err := makeLockedIndex(ctx, e, lock)
	if err != nil {
		return err
	}
	return keepLockedIndex(e, lock, text)
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

// makeLockedIndex makes the index of all packs of a lock that the cache holds; gone are the
// names of those that it does not.
func makeLockedIndex(ctx context.Context, e *Places, lock *schema.Lock) (text []byte, gone []string, err error) {
	var list []loadout.Layer
	for _, ref := range firstOfEach(lock) {
		below, err := e.Cache.Below(ref.Tree)
		if err != nil {
			gone = append(gone, ref.Pack)
			continue
		}
		ix, err := e.keptIndex(ctx, ref)
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
func keepLockedIndex(e *Places, lock *schema.Lock, text []byte) error {
	written, err := atomicfile.Read(filepath.Join(e.ws.Paths.Dir, schema.LockName), schema.MaxLock)
	if err != nil {
		return err
	}
	if err := repo.MakeState(e.ws.Paths); err != nil {
		return repo.ExplainWrite(err)
	}
	for name, data := range map[string][]byte{hook.ListMark(e.Cache.Dir(), text, written): nil, filepath.Join(e.ws.Paths.Dir, filepath.FromSlash(hook.LockedIndex)): text} {
		if err := atomicfile.Write(name, data); err != nil {
			return repo.ExplainWrite(err)
		}
	}
	linkLocked(e, lock)
	return nil
}

// linkLocked links each locked pack to its files in the cache, by its name beside the index,
// and removes the links of packs that the lock lacks. Where no link can be made, pointers
// have the path in the cache.
func linkLocked(e *Places, lock *schema.Lock) {
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

// LockedLayers are the indexes of all packs of the lock before and after a pull, those that
// changed last; nil and nil when the pull changed none. What was locked is read from
// the cache alone: the place that it came from has something else by now.
func (e *Places) LockedLayers(ctx context.Context, list []*Pulled) (before, after []loadout.Layer, err error) {
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
		ix, err := e.keptIndex(ctx, ref)
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
		ix, err := buildIndex(ctx, p.Artifact, &e.ws.Config.Loadout)
		if err != nil {
			return nil, nil, fmt.Errorf("index %s: %w", diag.Printable(p.Artifact.Name), err)
		}
		after = append(after, loadout.Layer{Name: p.Artifact.Entry.Ref, Index: ix})
	}
	return before, after, nil
}

// keptIndex makes the index of a pack that the cache keeps.
func (e *Places) keptIndex(ctx context.Context, locked *schema.LockedRef) (*loadout.Index, error) {
	a, err := e.kept(ctx, locked)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	return buildIndex(ctx, a, &e.ws.Config.Loadout)
}

// kept opens what the lock holds of a reference, from the cache. The caller closes it.
func (e *Places) kept(ctx context.Context, locked *schema.LockedRef) (*remote.Artifact, error) {
	ref, err := remote.ParseRef(locked.Ref)
	if err != nil {
		return nil, err
	}
	return remote.Kept(ctx, ref, e.options(target{ref, locked}))
}
