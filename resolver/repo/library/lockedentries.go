package library

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/repo"
)

// LockedEntries are the index entries of the packs that packgen.lock holds.
type LockedEntries struct {
	Layer    loadout.Layer     // paths are those that an agent can open
	Origins  map[string]Origin // of them, by id
	Unpulled []string          // packs that the cache does not hold, a sentence each
	Unbuilt  string            // says that the packs of the repository have no index; "" where they have

	own map[string]string // directories of the repository's own packs, by name
}

// ReadLocked reads the entries of the packs that packgen.lock holds, out of the cache; nil
// where nothing is locked. The index that packgen pull wrote is read when it is of this
// lock, otherwise it is made again.
func ReadLocked(ctx context.Context, w *repo.Repo, cfg repo.Config) (*LockedEntries, error) {
	if !repo.Holds(w.Paths.Dir, schema.LockName) {
		return nil, nil
	}
	e, err := NewElsewhere(w, cfg, true)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	if len(e.Lock.References) == 0 {
		return nil, nil
	}
	text, lock := listOf(w)
	found := &LockedEntries{Origins: map[string]Origin{}}
	found.own = ownPacks(w, cfg)
	refs := slices.DeleteFunc(firstOfEach(e.Lock), func(ref *schema.LockedRef) bool { return found.own[ref.Pack] != "" })
	for _, ref := range refs {
		if _, err := e.Cache.Below(ref.Tree); err != nil {
			found.Unpulled = append(found.Unpulled, fmt.Sprintf("%s is in %s and was not pulled here: run packgen pull", diag.Printable(ref.Pack), schema.LockName))
		}
	}
	if !isMarked(e.Cache, text, lock) {
		var gone []string
		if text, gone, err = e.makeLockedIndex(ctx, e.Lock); err != nil {
			return nil, err
		}
		if len(gone) == 0 {
			_ = e.keepLockedIndex(e.Lock, text) // where nothing can be written it is made again
		}
	}
	ix, err := indexjson.Read(text)
	if err != nil {
		return nil, repo.ReadIndexError(hook.LockedIndex, err)
	}
	found.Layer = loadout.Layer{Name: layers.Locked, Path: filepath.Join(w.Paths.Dir, filepath.FromSlash(hook.LockedIndex)), Index: ix}
	e.show(found, refs)
	return found, nil
}

// ownPacks are the directories of the repository's own packs, by name: they take the place of
// locked ones.
func ownPacks(w *repo.Repo, cfg repo.Config) map[string]string {
	own := map[string]string{}
	l := NewLibrary(w, cfg)
	dirs, _, _ := pack.Find(w.Paths.Dir, cfg.Packs) // what cannot be read has no name
	for _, dir := range dirs {
		own[l.NameOf(dir)] = dir
	}
	return own
}

// show gives the entries the paths that an agent can open, and says where each is from. What
// is in no tree of the references is left out.
func (e *elsewhere) show(found *LockedEntries, refs []*schema.LockedRef) {
	type tree struct {
		origin Origin
		dir    string // what its paths begin with
	}
	trees := map[string]tree{} // by where they are in the cache
	for _, ref := range refs {
		below, err := e.Cache.Below(ref.Tree)
		if err != nil {
			continue
		}
		t := tree{Origin{ref.Pack, ref.Version, ref.Ref, ref.Tree, true}, filepath.Join(e.Cache.Dir(), below)}
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

// Served says of each pack that the cache holds where it is from.
func (f *LockedEntries) Served() []string {
	names := map[string]bool{}
	for _, from := range f.Origins {
		names[from.String()] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// OriginOf is where the pack of an entry is from; ok is false for one of no pack, and where
// nothing is locked. An entry of the repository may have the id of a locked one.
func (f *LockedEntries) OriginOf(e *loadout.Entry) (from Origin, ok bool) {
	if f == nil {
		return from, false
	}
	if locked := f.Layer.Index.Lookup(e.ID); locked != nil && locked.Path == e.Path {
		from, ok = f.Origins[e.ID]
		return from, ok
	}
	rest, ok := strings.CutPrefix(e.Path, "packs/")
	if !ok {
		return from, false
	}
	name, _, _ := strings.Cut(rest, "/")
	return Origin{Pack: name, From: cmp.Or(f.own[name], "packs/"+name)}, true
}

// OriginsOf says where the entries of results are from, by their ids.
func (f *LockedEntries) OriginsOf(lists ...[]loadout.Result) map[string]Origin {
	from := map[string]Origin{}
	for _, r := range slices.Concat(lists...) {
		if at, ok := f.OriginOf(r.Entry); ok {
			from[r.Entry.ID] = at
		}
	}
	return from
}

// Remark shows what the cache does not hold.
func (f *LockedEntries) Remark(w *repo.Repo) {
	for _, why := range f.Unpulled {
		w.Remark("warning: %s", why)
	}
}

// With is a matcher over the built index of the repository, where there is one, and the
// locked entries, and the name of both. need says which entries of a large index are needed.
func (f *LockedEntries) With(w *repo.Repo, cfg repo.Config, need *loadout.Need) (m repo.Layered, name string, err error) {
	m, name = repo.Layered{repo.Scan{Ix: f.Layer.Index}}, schema.LockName
	index := filepath.Join(cfg.Out, "index.json")
	if !repo.Holds(w.Paths.Abs(cfg.Out), "index.json") {
		if w.HasPacks(cfg) {
			f.Unbuilt = fmt.Sprintf("the packs of this repository have no index at %s: run packgen build", index)
			w.Remark("warning: %s", f.Unbuilt)
		}
		return m, name, nil
	}
	name = index + " and " + name
	r := indexfile.OpenPrebuilt(w.Paths.Abs(index))
	defer r.Close()
	if ix, _ := r.Select(need); ix != nil {
		return append(m, repo.Scan{Ix: ix}), name, nil
	}
	own, err := w.ReadMatcher(index)
	return append(m, own), name, err
}
