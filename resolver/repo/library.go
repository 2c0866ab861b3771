package repo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/hook"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
)

// Library opens packs for the resolver, without reading more of them than it
// asks for.
type Library struct {
	w         *Repo
	roots     []*os.Root
	shared    fs.FS             // the repository root, when there are many packs
	dirs      packDirs          // inside packs
	names     map[string]string // of packs, by directory, once read
	elsewhere Elsewhere         // nil when no pack from elsewhere is asked for, nor locked
	foreign   []Foreign         // the packs from elsewhere that are open

	Unpulled []string // what packgen.lock holds and the cache does not, and why, a sentence each
}

// NewLibrary returns a library that has opened nothing yet.
func NewLibrary(w *Repo) *Library { return &Library{w: w, names: map[string]string{}} }

// Close releases what the library has opened.
func (l *Library) Close() {
	if l.elsewhere != nil {
		l.elsewhere.Close()
	}
	l.dirs.close()
	for _, root := range l.roots {
		root.Close() // only read: an error of Close loses nothing
	}
}

// Choose returns the packs that are named and those from elsewhere, or what the repository
// serves when there are neither: its packs and those that packgen.lock holds.
func (l *Library) Choose(ctx context.Context, from []string, offline bool, names []string) ([]resolver.Pack, error) {
	if len(from) == 0 {
		return l.Packs(ctx, names)
	}
	if err := openElsewhere(l); err != nil {
		return nil, err
	}
	opened, err := l.elsewhere.Open(ctx, from, offline)
	if err != nil {
		return nil, err
	}
	list := l.add(opened)
	for i := range list {
		list[i].Activation = resolver.Explicit
	}
	if len(names) == 0 {
		return list, nil
	}
	own, err := l.Packs(ctx, names)
	return append(own, list...), err
}

// openElsewhere makes the packs from elsewhere known.
func openElsewhere(l *Library) (err error) {
	if l.elsewhere == nil {
		l.elsewhere, err = l.w.Elsewhere(l.w)
	}
	return err
}

// add takes packs from elsewhere.
func (l *Library) add(opened []Foreign) []resolver.Pack {
	list := make([]resolver.Pack, len(opened))
	for i, f := range opened {
		list[i] = f.Pack
	}
	l.foreign = append(l.foreign, opened...)
	return list
}

// locked opens the packs of packgen.lock whose names are wanted, from the cache alone. What
// cannot be opened is left out with a remark.
func (l *Library) locked(ctx context.Context, wanted func(name string) bool) []resolver.Pack {
	var opened []Foreign
	missing := []string{}
	if err := openElsewhere(l); err != nil {
		missing = append(missing, schema.LockName+": "+err.Error()+withHint(err))
	} else {
		opened, missing = l.elsewhere.Kept(ctx, wanted)
	}
	for _, why := range missing {
		if !slices.Contains(l.Unpulled, why) {
			l.Unpulled = append(l.Unpulled, why)
			l.w.Remark("warning: %s", why)
		}
	}
	for _, f := range opened {
		l.names[f.Pack.Dir] = f.Pack.Dir
	}
	return l.add(opened)
}

// withHint is what to do about an error, after a colon.
func withHint(err error) string {
	if hint := diag.HintOf(err); hint != "" {
		return ": " + hint
	}
	return ""
}

// Damaged drops damaged packs from elsewhere; again says that there were any.
func (l *Library) Damaged(ctx context.Context) (again bool, err error) {
	if l.elsewhere == nil {
		return false, nil
	}
	if again, err = l.elsewhere.DropDamaged(ctx); again {
		l.foreign = nil
	}
	return again, err
}

// Foreign returns the pack from elsewhere of a directory, as messages name it; nil for one of
// the repository. Nothing is written in a pack from elsewhere.
func (l *Library) Foreign(dir string) *Foreign {
	i := slices.IndexFunc(l.foreign, func(f Foreign) bool { return f.Pack.Dir == dir })
	if i < 0 {
		return nil
	}
	return &l.foreign[i]
}

// Origins says where the packs of a resolution are from, in their order; nothing while all
// packs are the repository's own.
func (l *Library) Origins(r *resolver.Resolution) []Origin {
	var list []Origin
	for i := range r.Activated {
		used := &r.Activated[i]
		if from, ok := l.OriginOf(used.Dir); ok && !used.Blocked {
			list = append(list, from)
		}
	}
	return list
}

// OriginOf is where the pack of a directory is from, as messages name it; ok is false while
// all packs are the repository's own.
func (l *Library) OriginOf(dir string) (from Origin, ok bool) {
	if len(l.foreign) == 0 {
		return from, false
	}
	if f := l.Foreign(dir); f != nil {
		return f.Origin, true
	}
	return Origin{Pack: l.NameOf(dir), From: dir}, true
}

// Remedy lists the ways to use a refused pack, one per line. Packs from
// elsewhere that are not locked are named.
func (l *Library) Remedy(allowed bool) []string {
	var lines []string
	for _, f := range l.foreign {
		if f.Pack.Unapproved && !allowed {
			lines = append(lines, fmt.Sprintf("%s comes from elsewhere: packgen pull %s locks it, --allow-untrusted uses it this once",
				diag.Printable(f.Pack.Dir), diag.ShellWord(f.Origin.From)))
		}
	}
	if lines == nil {
		lines = append(lines, "try other words with --also, or name a pack with --pack; --allow, --confirm and --allow-untrusted lift a refusal")
	}
	return lines
}

// Catalog lists the packs that are served, without those that are archived; nothing where
// there are none, or none that can be read: packs may come later.
func Catalog(ctx context.Context, l *Library) []schema.CatalogEntry {
	packs, err := l.Packs(ctx, nil)
	if err != nil {
		return nil
	}
	entries, err := resolver.Catalog(ctx, packs)
	if err != nil {
		return nil
	}
	return entries
}

// Packs returns the packs that are named, or all that the repository has and that
// packgen.lock holds when none is; then the resolver chooses among them.
func (l *Library) Packs(ctx context.Context, names []string) ([]resolver.Pack, error) {
	dirs, faults, err := pack.Find(l.w.Paths.Dir, l.w.Config.Packs)
	if err != nil {
		return nil, fmt.Errorf("find packs: %w", err)
	}
	if len(names) == 0 {
		l.w.Show(faults)
		return l.all(ctx, dirs)
	}
	var list []resolver.Pack
	for _, name := range names {
		p, err := l.named(ctx, name, dirs)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(have resolver.Pack) bool { return have.Dir == p.Dir }) {
			p.Activation = resolver.Explicit
			list = append(list, p)
		}
	}
	return list, nil
}

// all opens the packs in directories, and after them those of the lock.
func (l *Library) all(ctx context.Context, dirs []string) ([]resolver.Pack, error) {
	list := make([]resolver.Pack, len(dirs))
	own := map[string]bool{}
	for i, dir := range dirs {
		var err error
		if list[i], err = l.Open(dir, ""); err != nil {
			return nil, err
		}
	}
	if Holds(l.w.Paths.Dir, schema.LockName) {
		for _, dir := range dirs {
			own[l.NameOf(dir)] = true
		}
		list = append(list, l.locked(ctx, func(name string) bool { return !own[name] })...)
	}
	if len(list) > 0 {
		return list, nil
	}
	err := fmt.Errorf("no packs found: nothing matches %s in %s", strings.Join(l.w.Config.Packs, ", "), l.w.Paths.Dir)
	if len(l.Unpulled) > 0 {
		return nil, diag.WithHint(fmt.Errorf("%w, and what %s holds cannot be read: %s", err, schema.LockName, strings.Join(l.Unpulled, "; ")), "run packgen pull")
	}
	return nil, diag.WithHint(err, "name a pack by its directory with --pack DIR, or other places under packs: in %s; packgen pull REF brings one from elsewhere", ConfigName)
}

// named opens the pack of a name or directory: one's own, otherwise one of the lock.
func (l *Library) named(ctx context.Context, name string, dirs []string) (resolver.Pack, error) {
	dir, err := l.find(name, dirs)
	if err == nil && l.NameOf(dir) == name {
		return l.Open(dir, "")
	}
	if Holds(l.w.Paths.Dir, schema.LockName) {
		if found := l.locked(ctx, func(pack string) bool { return pack == name }); len(found) > 0 {
			return found[0], nil
		}
	}
	if dir, err = l.find(name, dirs); err != nil { // again: it knows the names of the lock now
		return resolver.Pack{}, err
	}
	return l.Open(dir, "")
}

// find returns the directory of a pack that is named by its name or directory.
func (l *Library) find(name string, dirs []string) (string, error) {
	known := make([]string, len(dirs))
	for i, dir := range dirs {
		known[i] = l.NameOf(dir)
	}
	if i := slices.Index(known, name); i >= 0 {
		return dirs[i], nil
	}
	if dir := l.w.Paths.Abs(l.w.Paths.GivenPack(name)); Holds(dir, pack.EntryName) {
		return l.w.Paths.Rel(dir), nil
	}
	if l.elsewhere != nil {
		known = append(known, l.elsewhere.Locked()...)
	}
	err := fmt.Errorf("no pack is named %q, and no directory of that name holds one", name)
	if near := nearest.Name(name, known); near != "" {
		return "", diag.WithHint(err, "did you mean %s?", diag.Printable(near))
	}
	if len(known) == 0 {
		return "", diag.WithHint(err, "name a directory with a %s", pack.EntryName)
	}
	return "", diag.WithHint(err, "name one of %s", diag.Printable(strings.Join(known[:min(len(known), 20)], ", ")))
}

// NameOf is the name of the pack in a directory, or the directory's own. It is
// read once: with many packs named, each is looked for among all of them.
func (l *Library) NameOf(dir string) string {
	if _, ok := l.names[dir]; !ok {
		l.names[dir] = nameOf(l.w.Paths, dir)
	}
	return l.names[dir]
}

// nameOf reads the name of the pack in a directory.
func nameOf(paths Paths, dir string) string {
	if entry, _, err := pack.ReadEntry(regularfile.Dir(paths.Abs(dir)), dir); err == nil && entry != nil && entry.Meta.Name != "" {
		return entry.Meta.Name
	}
	return path.Base(dir)
}

// Open opens a pack directory; with an overlay, what was compiled there is
// before what the pack holds. Below the repository root it is one's own.
func (l *Library) Open(dir string, activation resolver.Activation) (resolver.Pack, error) {
	base, err := l.packRoot(dir)
	if err != nil {
		return resolver.Pack{}, fmt.Errorf("open pack %s: %w", dir, err)
	}
	p := resolver.Pack{FS: base, Dir: dir, Activation: activation, Own: fs.ValidPath(dir), Known: rememberedOf(l, dir)}
	if p.Mappings, err = mappingsOf(l, dir); err != nil {
		return resolver.Pack{}, fmt.Errorf("open pack %s: %w", dir, err)
	}
	if l.w.Config.Overlay == "" {
		if p.Own {
			p.Cache = sectionCache{l.stateOf(dir), l.w.Paths.Abs(dir)}
		}
		return p, nil
	}
	over, err := l.root(filepath.Join(l.w.Paths.Abs(l.w.Config.Overlay), l.NameOf(dir)))
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return resolver.Pack{}, fmt.Errorf("open the overlay of %s: %w", dir, err)
	}
	p.FS = overlaid{base, over}
	return p, nil
}

// mappingsOf opens the folders that the configuration maps into a pack. One that cannot be
// opened is left to the pack, which leaves it out.
func mappingsOf(l *Library, dir string) ([]pack.Mapping, error) {
	list := l.w.Mappings(dir)
	for i := range list {
		m := &list[i]
		m.Pack = l.w.Paths.Abs(dir)
		root, err := l.root(m.Dir)
		switch {
		case err == nil:
			m.FS = root
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return list, nil
}

// rememberedOf returns the hashes of the files of a pack that are unchanged since the last
// compile.
func rememberedOf(l *Library, dir string) func(pack.File) string {
	state := l.stateOf(dir)
	known := sync.OnceValue(func() func(pack.File) string { return compiler.Remembered(state()) })
	return func(f pack.File) string { return known()(f) }
}

// maxRoots is how many directories are kept open. Beyond, packs are read through
// the repository root, which takes longer for each file.
const maxRoots = 200

// packRoot opens the directory of a pack.
func (l *Library) packRoot(dir string) (fs.FS, error) {
	if len(l.roots) < maxRoots || !fs.ValidPath(dir) {
		return l.root(l.w.Paths.Abs(dir))
	}
	if l.shared == nil {
		var err error
		if l.shared, err = l.root(l.w.Paths.Dir); err != nil {
			return nil, err
		}
	}
	return fs.Sub(l.shared, dir)
}

func (l *Library) root(dir string) (fs.FS, error) {
	root, err := regularfile.Root(dir)
	if err != nil {
		return nil, err
	}
	l.roots = append(l.roots, root)
	return packFS{root, regularfile.FS(root), &l.dirs}, nil
}

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

// maxOpenDirs is how many directories inside packs are kept open at once, over
// all packs. The files of a pack are read by directory, so few are enough.
const maxOpenDirs = 64

// packDirs keeps directories inside packs open while their files are read. An
// os.Root walks a path from its top for every file, which for many small files
// costs more than reading them.
type packDirs struct {
	lock sync.Mutex
	open []openDir // the one used last at the end
}

type openDir struct {
	of   *os.Root // of the pack
	name string
	root *os.Root
}

// find returns a directory that is open. It may be closed by the time that it is
// used: then reading fails, and the caller opens the path from its root.
func (d *packDirs) find(of *os.Root, name string) *os.Root {
	d.lock.Lock()
	defer d.lock.Unlock()
	i := slices.IndexFunc(d.open, func(o openDir) bool { return o.of == of && o.name == name })
	if i < 0 {
		return nil
	}
	found := d.open[i]
	d.open = append(slices.Delete(d.open, i, i+1), found)
	return found.root
}

// keep takes a directory and closes the least recently used one.
// Another goroutine may have opened the same one meanwhile: both are good.
func (d *packDirs) keep(of *os.Root, name string, root *os.Root) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.open = append(d.open, openDir{of, name, root})
	if len(d.open) > maxOpenDirs {
		d.open[0].root.Close() // only read: an error of Close loses nothing
		d.open = slices.Delete(d.open, 0, 1)
	}
}

// close closes every directory.
func (d *packDirs) close() {
	for _, o := range d.open {
		o.root.Close() // see above
	}
	d.open = nil
}

// packFS is the directory of a pack as a file system from which nothing outside
// can be reached: an os.Root with its open directories.
type packFS struct {
	root *os.Root
	fsys fs.FS // of the root
	dirs *packDirs
}

// dir returns an open directory; nil when the path has to be opened from its root.
func (p packFS) dir(name string) *os.Root {
	if name == "." {
		return p.root
	}
	if dir := p.dirs.find(p.root, name); dir != nil {
		return dir
	}
	above := p.dir(path.Dir(name))
	if above == nil {
		return nil
	}
	dir, err := regularfile.RootIn(above, path.Base(name))
	if err != nil {
		return nil
	}
	p.dirs.keep(p.root, name, dir)
	return dir
}

// Open opens a file. What fails in the open directory is tried from the top,
// which has the last word: a link may lead out of the one and stay in the other.
func (p packFS) Open(name string) (fs.File, error) {
	if above := path.Dir(name); above != "." && fs.ValidPath(name) {
		if dir := p.dir(above); dir != nil {
			if f, err := regularfile.FS(dir).Open(path.Base(name)); err == nil {
				return f, nil
			}
		}
	}
	return p.fsys.Open(name)
}

// ReadDir lists a directory.
func (p packFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if fs.ValidPath(name) {
		if dir := p.dir(name); dir != nil {
			if list, err := fs.ReadDir(regularfile.FS(dir), "."); err == nil {
				return list, nil
			}
		}
	}
	return fs.ReadDir(p.fsys, name)
}

// Lstat describes a file without following a link.
func (p packFS) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(p.fsys, name) }

// ReadLink returns where a link leads.
func (p packFS) ReadLink(name string) (string, error) { return fs.ReadLink(p.fsys, name) }

// overlaid is a pack whose compiled files lie elsewhere: below compiled/,
// indexes/ and runs/ the second file system is before the first.
type overlaid struct{ base, over fs.FS }

// pick returns the file system that serves a name.
func (o overlaid) pick(name string) fs.FS {
	if pack.LayerOf(name).IsOutput() {
		if _, err := fs.Stat(o.over, name); err == nil {
			return o.over
		}
	}
	return o.base
}

// Open opens a file.
func (o overlaid) Open(name string) (fs.File, error) { return o.pick(name).Open(name) }

// Lstat describes a file without following a link.
func (o overlaid) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(o.pick(name), name) }

// ReadLink returns where a link leads.
func (o overlaid) ReadLink(name string) (string, error) { return fs.ReadLink(o.pick(name), name) }

// ReadDir lists a directory: the root has what both hold. Outputs of one run
// belong together, so compiled/ and indexes/ come from one side; runs/ is the
// history, of both.
func (o overlaid) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." && name != string(pack.Runs) {
		return fs.ReadDir(o.pick(name), name)
	}
	entries, err := fs.ReadDir(o.base, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	over, overErr := fs.ReadDir(o.over, name)
	if overErr != nil && (err != nil || !errors.Is(overErr, fs.ErrNotExist)) {
		return nil, overErr
	}
	for _, e := range over {
		layer := name == string(pack.Runs) || pack.Layer(e.Name()).IsOutput()
		if layer && !slices.ContainsFunc(entries, func(have fs.DirEntry) bool { return have.Name() == e.Name() }) {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, nil
}
