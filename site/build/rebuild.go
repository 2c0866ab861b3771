package build

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/repo"
	live "github.com/packgen/packgen/site/server"
)

// Rebuilder builds a site again and again.
type Rebuilder struct {
	ws     *repo.Repo
	dryRun bool // not even compiled views are written

	known   map[string]bool             // findings of the first build, which were there before
	routes  map[string]uint64           // of the last good build: how each entry of the index is found
	Routing string                      // what the last build changed about that
	Opened  func(files int)             // is called with the number of files before a build; may be nil
	runs    map[string]string           // run records that this serve wrote last, by pack directory
	before  *Run                        // the last one; nil when nothing of it can be used
	good    map[string]*compiler.Result // of each pack, when it was shown last
	tools   *tools                      // of that run
}

// NewRebuilder returns a rebuilder of the site of a repository.
func NewRebuilder(w *repo.Repo, dryRun bool) *Rebuilder {
	return &Rebuilder{ws: w, dryRun: dryRun, known: map[string]bool{}, runs: map[string]string{}, good: map[string]*compiler.Result{}}
}

// Build makes the site for what has changed since the last time; it is meant for
// live.Options.Build.
func (s *Rebuilder) Build(ctx context.Context, change live.Change, sink live.Sink) (live.Built, error) {
	s.Routing = ""
	if err := s.ws.Load(); err != nil {
		return live.Built{}, err
	}
	b, err := s.prepare(ctx, change)
	if err != nil {
		return live.Built{}, err
	}
	if s.Opened != nil {
		s.Opened(b.Repository.Files())
	}
	b.into, b.serve = sink, serving{screen: sink, edited: s.edited(b, change), good: s.good}
	var routes map[string]uint64
	b.indexed = func(e *loadout.Entry) {
		if routes == nil {
			routes = map[string]uint64{}
		}
		routes[e.ID] = routeOf(e)
	}
	err = b.Do(ctx)
	s.dropRuns(b)
	if err != nil {
		return live.Built{}, err
	}
	s.tools.flush(b.Repository)
	failed := b.Blocked()
	if !failed {
		s.Routing, s.routes = routingChange(s.routes, routes), routes
		for _, m := range b.out.shown {
			s.good[m.Name()] = m.Result
		}
	}
	return live.Built{Findings: s.shown(b), Failed: failed}, nil
}

// prepare opens what has changed, and takes over the rest from the run before.
func (s *Rebuilder) prepare(ctx context.Context, change live.Change) (*Run, error) {
	untouched := s.untouched(change)
	before := s.before
	s.before = nil
	taken := map[*pack.Pack]bool{}
	var places *repo.Packs
	if untouched != nil && !slices.ContainsFunc(change.Paths, isEntry) {
		places = before.Repository
	}
	b, err := prepare(ctx, s.ws, Options{DryRun: s.dryRun}, places, func(dir string) *repo.Member {
		m := untouched[dir]
		if m != nil {
			taken[m.Pack] = true
		}
		return m
	})
	if before != nil {
		repo.CloseRoles(before.roles)
		for _, m := range before.Repository.Members {
			if m.Pack != nil && (err != nil || !taken[m.Pack]) {
				m.Pack.Close()
			}
		}
	}
	if err != nil {
		return nil, err
	}
	s.before = b
	context, err := b.context()
	if s.tools != nil && (err != nil || untouched == nil || s.tools.context != context) {
		s.tools.close()
		s.tools = nil
	}
	if s.tools == nil && err == nil {
		s.tools, err = b.newTools(ctx, true)
	}
	b.tools = s.tools
	return b, err
}

// isEntry reports a file that makes a directory a pack.
func isEntry(path string) bool { return filepath.Base(path) == pack.EntryName }

// untouched are the packs of the run before that a change has left alone, by directory:
// none when it is about anything but packs that were there.
func (s *Rebuilder) untouched(change live.Change) map[string]*repo.Member {
	if s.before == nil || change.Rescan || len(change.Paths) == 0 && !change.Asked {
		return nil
	}
	list := map[string]*repo.Member{}
	for _, m := range s.before.Repository.Members {
		if m.Pack != nil && m.Last() != nil {
			list[m.Dir] = m
		}
	}
	for _, path := range change.Paths {
		found := false
		for _, m := range s.before.Repository.Members {
			if strings.HasPrefix(path, s.ws.Paths.Abs(m.Dir)+string(filepath.Separator)) {
				delete(list, m.Dir)
				found = true
			}
		}
		if !found {
			return nil
		}
	}
	return list
}

// edited are the files of packs that a change names, as their packs call them.
func (s *Rebuilder) edited(b *Run, change live.Change) map[*repo.Member][]string {
	list := map[*repo.Member][]string{}
	for _, path := range change.Paths {
		for _, m := range b.Repository.Members {
			if name, ok := strings.CutPrefix(path, s.ws.Paths.Abs(m.Dir)+string(filepath.Separator)); ok {
				list[m] = append(list[m], filepath.ToSlash(name))
			}
		}
	}
	return list
}

// Close ends the rebuilder.
func (s *Rebuilder) Close() {
	if s.before != nil {
		s.before.Close()
	}
	if s.tools != nil {
		s.tools.close()
	}
}

// dropRuns removes the run record, and its ledger, that this serve wrote before the newest one of a
// pack: a record for each save would be hundreds a day. Records of other runs stay.
func (s *Rebuilder) dropRuns(b *Run) {
	if s.dryRun || b.overlay != "" {
		return
	}
	for _, m := range b.Repository.Members {
		if m.Result == nil || m.Result.RunPath == "" {
			continue
		}
		if earlier := s.runs[m.Dir]; earlier != "" && earlier != m.Result.RunPath {
			// One that cannot be removed is one more record.
			for _, name := range []string{earlier, schema.RunLedgerPath(earlier)} {
				_ = regularfile.Remove(filepath.Join(s.ws.Paths.Abs(m.Dir), filepath.FromSlash(name)))
			}
		}
		s.runs[m.Dir] = m.Result.RunPath
	}
}

// shownOnPage is how many findings a page shows at once.
const shownOnPage = 20

// shown are the findings to put over the pages: errors, and what the first build
// did not have.
func (s *Rebuilder) shown(b *Run) []live.Finding {
	first := len(s.known) == 0
	s.known[""] = true
	dirs := b.Repository.Dirs()
	lines := diag.NewLines(func(d diag.Diagnostic) ([]byte, error) {
		m := b.Repository.Find(d.Pack, "")
		if m == nil || m.Pack == nil {
			return nil, os.ErrNotExist
		}
		return m.Pack.ReadFile(d.Path)
	})
	var list []live.Finding
	for _, d := range b.Repository.Findings() {
		key := d.Pack + "\x00" + d.Path + "\x00" + d.Record()
		if first {
			s.known[key] = true
		}
		if d.Severity != diag.Error && s.known[key] || d.Severity == diag.Info || len(list) == shownOnPage {
			continue
		}
		frame := diag.Frame(d, lines)
		if dir := dirs[d.Pack]; dir != "" {
			d.Path = dir + "/" + d.Path
		}
		f := live.Finding{Finding: diag.Findings([]diag.Diagnostic{d})[0], Frame: frame}
		list = append(list, f)
	}
	return list
}

// routeOf sums up how an entry of an index is found.
func routeOf(e *loadout.Entry) uint64 {
	h := fnv.New64a()
	for _, word := range e.Keywords {
		h.Write([]byte(word + "\x00"))
	}
	h.Write([]byte{1})
	for _, word := range e.Patterns {
		h.Write([]byte(word + "\x00"))
	}
	fmt.Fprint(h, "\x01", e.Priority)
	return h.Sum64()
}

// routingChange says how the index changed; "" when entries are found as before,
// or there was no index before.
func routingChange(before, now map[string]uint64) string {
	if before == nil || now == nil {
		return ""
	}
	var added, removed, changed int
	for id, route := range now {
		old, known := before[id]
		switch {
		case !known:
			added++
		case old != route:
			changed++
		}
	}
	for id := range before {
		if _, stays := now[id]; !stays {
			removed++
		}
	}
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{added, "added"}, {removed, "removed"}, {changed, "found by other words"}} {
		if part.n > 0 {
			parts = append(parts, amount.Entries(part.n)+" "+part.what)
		}
	}
	return strings.Join(parts, ", ")
}

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

// Watched says what a build reads: the places of packs and roles, the
// configuration, the site's own styles and scripts. What a build writes is left
// out.
func Watched(w *repo.Repo, poll bool) live.WatchOptions {
	config, _ := w.ConfigFile()
	again := *w // a build may use the workspace meanwhile
	o := live.WatchOptions{Poll: poll, Files: []string{w.Paths.Abs(config)}, Again: func() (live.WatchOptions, bool) {
		err := again.Load()
		return Watched(&again, poll), err == nil
	}}
	for _, pattern := range append(append([]string{}, w.Config.Packs...), w.Config.Roles...) {
		base, _ := doublestar.SplitPattern(filepath.ToSlash(pattern))
		if !strings.ContainsAny(pattern, "*?[{") {
			base = pattern
		}
		o.Dirs = addDir(o.Dirs, w.Paths.Abs(base))
	}
	for _, d := range w.Config.Documents {
		o.Dirs = addDir(o.Dirs, w.Paths.Abs(d.From))
	}
	for _, name := range []string{w.Config.Site.CSS, w.Config.Site.TS} {
		if name == "" {
			continue
		}
		// What it imports is beside it. The root itself is not watched as a whole:
		// it holds more than a build reads.
		o.Files = append(o.Files, w.Paths.Abs(name))
		if dir := filepath.Dir(w.Paths.Abs(name)); dir != w.Paths.Dir {
			o.Dirs = addDir(o.Dirs, dir)
		}
	}
	out := w.Paths.Abs(w.Config.Out)
	o.Ignore = func(path string) bool {
		return path == out || strings.HasPrefix(path, out+string(filepath.Separator)) || isPackOutput(path)
	}
	return o
}

// addDir adds a directory that no other one of the list holds.
func addDir(dirs []string, dir string) []string {
	for _, d := range dirs {
		if dir == d || strings.HasPrefix(dir, d+string(filepath.Separator)) {
			return dirs
		}
	}
	return append(dirs, dir)
}

// isPackOutput reports whether a path is in a directory that compile writes.
func isPackOutput(path string) bool {
	for dir := path; ; {
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		if pack.Layer(filepath.Base(dir)).IsOutput() {
			if _, err := os.Lstat(filepath.Join(parent, pack.EntryName)); err == nil {
				return true
			}
		}
		dir = parent
	}
}
