package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/repo"
)

// Library opens packs for the resolver, without reading more of them than it
// asks for.
type Library struct {
	ws     *repo.Repo
	cfg    repo.Config
	roots  []*os.Root
	shared fs.FS             // the repository root, when there are many packs
	dirs   packDirs          // inside packs
	names  map[string]string // of packs, by directory, once read
	From   *elsewhere        // packs from elsewhere; nil when none are asked for, nor locked

	Unpulled []string // what packgen.lock holds and the cache does not, and why, a sentence each
}

// NewLibrary returns a library that has opened nothing yet.
func NewLibrary(w *repo.Repo, cfg repo.Config) *Library {
	return &Library{ws: w, cfg: cfg, names: map[string]string{}}
}

// Close releases what the library has opened.
func (l *Library) Close() {
	if l.From != nil {
		l.From.Close()
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
	if l.From == nil {
		e, err := NewElsewhere(l.ws, l.cfg, offline)
		if err != nil {
			return nil, err
		}
		l.From = e
	}
	l.From.offline = offline
	list, err := l.From.packs(ctx, from)
	if err != nil || len(names) == 0 {
		return list, err
	}
	own, err := l.Packs(ctx, names)
	return append(own, list...), err
}

// Damaged drops damaged packs from elsewhere; again says that there were any.
func (l *Library) Damaged(ctx context.Context) (again bool, err error) {
	if l.From == nil {
		return false, nil
	}
	return l.From.damaged(ctx)
}

// IsFrom reports the directory, as messages name it, of a pack from elsewhere.
// Nothing is written there.
func (l *Library) IsFrom(dir string) bool {
	return l.From != nil && slices.ContainsFunc(l.From.open, func(a *remote.Artifact) bool { return a.Name == dir })
}

// Packs returns the packs that are named, or all that the repository has and that
// packgen.lock holds when none is; then the resolver chooses among them.
func (l *Library) Packs(ctx context.Context, names []string) ([]resolver.Pack, error) {
	dirs, faults, err := pack.Find(l.ws.Paths.Dir, l.cfg.Packs)
	if err != nil {
		return nil, fmt.Errorf("find packs: %w", err)
	}
	if len(names) == 0 {
		l.ws.Show(faults)
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
	if repo.Holds(l.ws.Paths.Dir, schema.LockName) {
		for _, dir := range dirs {
			own[l.NameOf(dir)] = true
		}
		list = append(list, l.locked(ctx, func(name string) bool { return !own[name] })...)
	}
	if len(list) > 0 {
		return list, nil
	}
	err := fmt.Errorf("no packs found: nothing matches %s in %s", strings.Join(l.cfg.Packs, ", "), l.ws.Paths.Dir)
	if len(l.Unpulled) > 0 {
		return nil, diag.WithHint(fmt.Errorf("%w, and what %s holds cannot be read: %s", err, schema.LockName, strings.Join(l.Unpulled, "; ")), "run packgen pull")
	}
	return nil, diag.WithHint(err, "name a pack by its directory with --pack DIR, or other places under packs: in %s; packgen pull REF brings one from elsewhere", repo.ConfigName)
}

// named opens the pack of a name or directory: one's own, otherwise one of the lock.
func (l *Library) named(ctx context.Context, name string, dirs []string) (resolver.Pack, error) {
	dir, err := l.find(name, dirs)
	if err == nil && l.NameOf(dir) == name {
		return l.Open(dir, "")
	}
	if repo.Holds(l.ws.Paths.Dir, schema.LockName) {
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
	if dir := l.ws.Paths.Abs(l.ws.Paths.GivenPack(name)); repo.Holds(dir, pack.EntryName) {
		return l.ws.Paths.Rel(dir), nil
	}
	if l.From != nil {
		known = append(known, l.From.lockedPacks()...)
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
	if name, ok := l.names[dir]; ok {
		return name
	}
	name := path.Base(dir)
	if entry, _, err := pack.ReadEntry(regularfile.Dir(l.ws.Paths.Abs(dir)), dir); err == nil && entry != nil && entry.Meta.Name != "" {
		name = entry.Meta.Name
	}
	l.names[dir] = name
	return name
}

// Open opens a pack directory; with an overlay, what was compiled there is
// before what the pack holds. Below the repository root it is one's own.
func (l *Library) Open(dir string, activation resolver.Activation) (resolver.Pack, error) {
	base, err := l.packRoot(dir)
	if err != nil {
		return resolver.Pack{}, fmt.Errorf("open pack %s: %w", dir, err)
	}
	p := resolver.Pack{FS: base, Dir: dir, Activation: activation, Own: fs.ValidPath(dir), Known: l.remembered(dir)}
	if p.Mappings, err = l.mappings(dir); err != nil {
		return resolver.Pack{}, fmt.Errorf("open pack %s: %w", dir, err)
	}
	if l.cfg.Overlay == "" {
		if p.Own {
			p.Cache = sectionCache{l.stateOf(dir), l.ws.Paths.Abs(dir)}
		}
		return p, nil
	}
	over, err := l.root(filepath.Join(l.ws.Paths.Abs(l.cfg.Overlay), l.NameOf(dir)))
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return resolver.Pack{}, fmt.Errorf("open the overlay of %s: %w", dir, err)
	}
	p.FS = overlaid{base, over}
	return p, nil
}

// mappings opens the folders that the configuration maps into a pack. One that cannot be
// opened is left to the pack, which leaves it out.
func (l *Library) mappings(dir string) ([]pack.Mapping, error) {
	list := l.ws.Mappings(dir)
	for i := range list {
		m := &list[i]
		m.Pack = l.ws.Paths.Abs(dir)
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

// remembered returns the hashes of the files of a pack that are unchanged since the last
// compile.
func (l *Library) remembered(dir string) func(pack.File) string {
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
		return l.root(l.ws.Paths.Abs(dir))
	}
	if l.shared == nil {
		var err error
		if l.shared, err = l.root(l.ws.Paths.Dir); err != nil {
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

// Outputs is the directory below which runs of a pack are written.
func (l *Library) Outputs(used resolver.Activated) string {
	if l.cfg.Overlay != "" {
		return filepath.Join(l.ws.Paths.Abs(l.cfg.Overlay), used.Name)
	}
	return l.ws.Paths.Abs(used.Dir)
}

// maxRecords is how many records of one second get names of their own.
const maxRecords = 1000

// WriteRecord writes the record of a resolution to a new file in runs/ and
// returns its path. It never replaces a file, and writes nothing in a dry run.
func (l *Library) WriteRecord(dir string, r *resolver.Resolution, now time.Time, dryRun bool) (string, error) {
	if now.IsZero() {
		now = time.Now()
	}
	runs := filepath.Join(dir, "runs")
	if info, err := os.Lstat(runs); err == nil && !info.IsDir() {
		return "", diag.Refuse(diag.WithHint(fmt.Errorf("%s is not a directory: records are not written through a link", l.ws.Paths.Rel(runs)), "move it away"))
	}
	for n := 1; n <= maxRecords; n++ {
		id := resolver.RecordID(now, n)
		record, err := r.Record(id)
		if err != nil {
			return "", err
		}
		data, err := schema.Encode(record)
		if err != nil {
			return "", err
		}
		name := filepath.Join(runs, id+".json")
		if dryRun {
			if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
				return name, nil
			}
			continue
		}
		if err := createBelow(dir, "runs/"+id+".json", data); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
	return "", errors.New("there are too many records of this second")
}

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
