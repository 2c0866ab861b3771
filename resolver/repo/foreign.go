package repo

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/hook"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
)

// Elsewhere opens packs from elsewhere: those that references lead to, and those that
// packgen.lock holds. What it opened is open until it is closed.
type Elsewhere interface {
	// Open opens the packs of references; offline asks no server.
	Open(ctx context.Context, refs []string, offline bool) ([]Foreign, error)
	// Kept opens the packs of the lock whose names are wanted, from the cache alone: the place
	// that a pack came from is not looked at. What cannot be opened is left out, and said in
	// missing.
	Kept(ctx context.Context, wanted func(name string) bool) (list []Foreign, missing []string)
	// Locked are the names of the packs of the lock.
	Locked() []string
	// Entries are the index entries of the packs of the lock; nil where nothing is locked.
	Entries(ctx context.Context) (*LockedEntries, error)
	// DropDamaged drops packs that turned out to be damaged while they were read, and says
	// whether there were any: then all is closed, and to be opened again.
	DropDamaged(ctx context.Context) (bool, error)
	Close()
}

// Foreign is a pack from elsewhere.
type Foreign struct {
	Pack   resolver.Pack // its directory is its name
	Origin Origin
	Tree   string // the directory of the cache that holds its files; "" for one that the cache does not hold
}

// Origin says where a pack that answered is from.
type Origin struct {
	Pack    string `json:"pack"`
	Version string `json:"version,omitempty"`
	From    string `json:"from"`           // a directory of the repository, or the reference
	Tree    string `json:"tree,omitempty"` // of what a reference leads to
	Locked  bool   `json:"locked"`         // packgen.lock holds it
}

// String is the origin as people read it.
func (o Origin) String() string {
	name := o.Pack
	if o.Version != "" {
		name += " " + o.Version
	}
	if !o.Locked {
		return name + ", from " + o.From
	}
	return name + ", locked from " + o.From
}

// LockedLink is where a locked pack is linked to, below the root of a repository.
func LockedLink(pack string) string { return hook.LockedLink(pack) }

// LockedEntries are the index entries of the packs that packgen.lock holds.
type LockedEntries struct {
	Layer    loadout.Layer     // paths are those that an agent can open
	Origins  map[string]Origin // of them, by id
	Unpulled []string          // packs that the cache does not hold, a sentence each
	Unbuilt  string            // says that the packs of the repository have no index; "" where they have
	Own      map[string]string // directories of the repository's own packs, by name
}

// ReadLocked reads the entries of the packs that packgen.lock holds; nil where nothing is
// locked.
func ReadLocked(ctx context.Context, w *Repo) (*LockedEntries, error) {
	if !Holds(w.Paths.Dir, schema.LockName) {
		return nil, nil
	}
	e, err := w.Elsewhere(w)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return e.Entries(ctx)
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
	return Origin{Pack: name, From: cmp.Or(f.Own[name], "packs/"+name)}, true
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
func (f *LockedEntries) Remark(w *Repo) {
	for _, why := range f.Unpulled {
		w.Remark("warning: %s", why)
	}
}

// With is a matcher over the built index of the repository, where there is one, and the
// locked entries, and the name of both. need says which entries of a large index are needed.
func (f *LockedEntries) With(w *Repo, need *loadout.Need) (m Layered, name string, err error) {
	m, name = Layered{Scan{Ix: f.Layer.Index}}, schema.LockName
	index := filepath.Join(w.Config.Out, "index.json")
	if !Holds(w.Paths.Abs(w.Config.Out), "index.json") {
		if w.HasPacks() {
			f.Unbuilt = fmt.Sprintf("the packs of this repository have no index at %s: run packgen build", index)
			w.Remark("warning: %s", f.Unbuilt)
		}
		return m, name, nil
	}
	name = index + " and " + name
	r := indexfile.OpenPrebuilt(w.Paths.Abs(index))
	defer r.Close()
	if ix, _ := r.Select(need); ix != nil {
		return append(m, Scan{Ix: ix}), name, nil
	}
	own, err := ReadMatcher(w.Paths, index)
	return append(m, own), name, err
}
