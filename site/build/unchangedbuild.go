package build

import (
	"encoding/json"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/store"
)

// overall is the action that makes what the site has beside the pages of the packs:
// the index, the start page, the lists. It depends on the states of all packs and on
// the configuration. When all of that is as it was and the files are untouched,
// nothing of it is done.
type overall struct {
	store store.Store
	key   store.Digest // unknown where it depends on more
	pages bool         // the pages of some pack are still to be made
	made  bool         // it was done in this run
}

// openOverall makes the key of the action.
func (b *Run) openOverall(s store.Store) *overall {
	c := &b.ws.Config
	w := &overall{store: s}
	if b.Flags.Force || len(c.Roles) > 0 || c.Site.CSS != "" || c.Site.TS != "" || c.Site.Report != "" || c.Site.Dates || c.Loadout.Project != "" {
		return w
	}
	if len(b.out.shown) < len(b.Repository.Members) || len(b.out.kept) > 0 {
		return w // pages of an earlier site depend on that
	}
	own, err := b.ownTasks()
	if err != nil {
		return w
	}
	parts := []any{compiler.Version, compiler.Program(), b.ws.Getenv("SOURCE_DATE_EPOCH"), *c, string(own)}
	for _, m := range b.Repository.Members {
		if m.Result == nil || !m.Result.State.Known() {
			return w
		}
		w.pages = w.pages || !m.Result.Reused
		parts = append(parts, m.Dir, m.Result.State.String())
	}
	if key, err := json.Marshal(parts); err == nil { // no two lists of texts read alike in it
		w.key = store.Key("whole", string(key))
	}
	return w
}

// recall gives the build the result of the action, when it is known and all its
// files are where they should be.
func (w *overall) recall(b *Run, tx publish.Target) bool {
	return b.into == nil && w.take(b, func(files []publish.Kept) bool { return tx.Keep(files...) })
}

// take gives the build the result of the action when it is known, and keep has put all of
// its files where they should be.
func (w *overall) take(b *Run, keep func(files []publish.Kept) bool) bool {
	if !w.key.Known() || w.pages {
		return false
	}
	found, ok := w.store.Action(w.key)
	if !ok || len(found) != 1 {
		return false
	}
	data, ok := w.store.Blob(found[0])
	if !ok {
		return false
	}
	r := store.ReadBytes(data)
	var ix IndexReport
	if json.Unmarshal([]byte(r.Str()), &ix) != nil {
		return false
	}
	raised, files := r.Findings(), publish.UnpackKept(r)
	if !r.Done() || !keep(files) {
		return false
	}
	b.Index = &ix
	b.raise(raised)
	return true
}

// keep remembers the result of the action, once its files are in place.
func (w *overall) keep(b *Run) {
	if b.into != nil || !w.key.Known() || b.Flags.DryRun {
		return
	}
	if _, ok := w.store.Action(w.key); ok {
		return
	}
	ix, err := json.Marshal(b.Index)
	if err != nil {
		return
	}
	x := store.NewWriter(1 << 12)
	x.Str(string(ix))
	x.Findings(b.raised)
	publish.PackKept(x, b.Summary.Outside("packs/"))
	w.store.SetAction(w.key, store.Result{w.store.SetBlob(x.Bytes())})
}
