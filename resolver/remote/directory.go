package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
)

// maxPlaces is how many directories are looked at for packs.
const maxPlaces = 10_000

// place is a directory that holds a pack.
type place struct {
	dir     string // in the directory of the reference
	name    string // of the pack
	archive bool   // its files are in the pack.tar.gz of a site
	working bool   // it has no pack.json: somebody works on it
}

// openDirectory opens a pack in a directory: one that is being worked on, one
// that was unpacked, or one of a published site.
func (o *Options) openDirectory(ctx context.Context, ref Ref) (*Artifact, error) {
	dir := o.path(ref.Path)
	root, err := regularfile.Root(dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", ref, reasonOf(err))
	}
	at, err := findPlace(ref, regularfile.FS(root))
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	if at.archive {
		root.Close() // only read: an error of Close loses nothing
		return o.openFile(ctx, ref, filepath.Join(dir, filepath.FromSlash(at.dir), archive.ArchiveName))
	}
	below := root
	if at.dir != "." {
		below, err = regularfile.RootIn(root, at.dir)
		root.Close() // see above
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", ref, reasonOf(err))
		}
	}
	a := &Artifact{
		Ref: ref, Name: at.name, FS: regularfile.FS(below), cache: o.Cache, closers: []func(){func() { below.Close() }},
		Entry: schema.LockedRef{Ref: ref.Text, Pack: at.name, Source: ref.source(), Format: "dir"},
	}
	if at.working {
		err = o.working(ctx, a, filepath.Join(dir, filepath.FromSlash(at.dir)))
	} else {
		err = a.unpacked()
	}
	if err == nil && a.Entry.Tree != "" {
		err = o.check(&a.Entry)
	}
	if err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// findPlace finds the pack that is meant: in the directory itself, in one below
// it, or in one below packs/.
func findPlace(ref Ref, fsys fs.FS) (place, error) {
	list := []string{"."}
	if isPack(fsys, ".") == 0 {
		list = slices.Concat(dirsBelow(fsys, "."), dirsBelow(fsys, "packs"))
	}
	var found []place
	for _, dir := range list[:min(len(list), maxPlaces)] {
		kind := isPack(fsys, dir)
		if kind == 0 {
			continue
		}
		p, err := lookAt(ref, fsys, dir, kind)
		if err != nil {
			return place{}, err
		}
		found = append(found, p)
	}
	names := make([]string, len(found))
	for i, p := range found {
		names[i] = p.name
	}
	slices.Sort(names)
	fits := slices.DeleteFunc(found, func(p place) bool { return ref.Pack != "" && p.name != ref.Pack })
	if len(fits) != 1 {
		return place{}, &ChooseError{ref.Text, ref.Pack, names}
	}
	return fits[0], nil
}

type packKind uint8

const (
	publishedPack packKind = iota + 1
	workingPack
)

// isPack says what a directory holds, 0 for no pack.
func isPack(fsys fs.FS, dir string) packKind {
	has := func(name string) bool {
		info, err := fs.Stat(fsys, path.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	}
	switch {
	case has(schema.PackManifestName):
		return publishedPack
	case has(pack.EntryName):
		return workingPack
	}
	return 0
}

func dirsBelow(fsys fs.FS, dir string) []string {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			list = append(list, path.Join(dir, e.Name()))
		}
	}
	return list
}

// lookAt reads the name of a pack.
func lookAt(ref Ref, fsys fs.FS, dir string, kind packKind) (place, error) {
	p := place{dir: dir, working: kind == workingPack}
	if p.working {
		p.name = path.Base(dir)
		if entry, _, err := pack.ReadEntry(fsysAt(fsys, dir), ""); err == nil && entry != nil && entry.Meta.Name != "" {
			p.name = entry.Meta.Name
		}
		return p, nil
	}
	m, _, err := readManifest(ref, fsysAt(fsys, dir))
	if err != nil {
		return p, err
	}
	p.name = m.Name
	info, err := fs.Stat(fsys, path.Join(dir, archive.ArchiveName))
	p.archive = err == nil && info.Mode().IsRegular() && !slices.ContainsFunc(m.Files, func(f schema.PublishedFile) bool { return f.Path == archive.ArchiveName })
	return p, nil
}

func fsysAt(fsys fs.FS, dir string) fs.FS {
	if sub, err := fs.Sub(fsys, dir); err == nil {
		return sub
	}
	return fsys
}

// readManifest reads the pack.json at the root of a file system; its tree hash
// fits its files.
func readManifest(ref Ref, fsys fs.FS) (*schema.PackManifest, []byte, error) {
	refuse := func(format string, args ...any) error {
		return &archive.Refusal{
			Rule: archive.RuleManifest, Archive: ref.Text, Path: schema.PackManifestName, Message: fmt.Sprintf(format, args...),
			Hint: "unpack the archive again, or remove pack.json from a pack that is being worked on",
		}
	}
	f, err := fsys.Open(schema.PackManifestName)
	if err != nil {
		return nil, nil, refuse("it cannot be read: %v", reasonOf(err))
	}
	defer f.Close()
	data, err := atomicfile.ReadOpen(f, schema.PackManifestName, schema.MaxPackManifest)
	if err != nil {
		return nil, nil, refuse("it cannot be read: %v", reasonOf(err))
	}
	m, err := archive.ReadManifest(data)
	if err != nil {
		return nil, nil, ofReference(ref, err)
	}
	if got := archive.TreeHash(archive.ManifestFiles(m)); got != m.Tree {
		return nil, nil, refuse("its files make the tree %s, not %s", got, m.Tree)
	}
	return m, data, nil
}

// unpacked sets up a pack with a pack.json: files that it does not list are hidden,
// and every file is verified when it is read.
func (a *Artifact) unpacked() error {
	m, data, err := readManifest(a.Ref, a.FS)
	if err != nil {
		return err
	}
	a.Manifest = data
	a.Entry.Version, a.Entry.Tree, a.Entry.Manifest = invisible.Line(m.Version), m.Tree, archive.SHA256(data)
	a.verify(archive.ManifestFiles(m))
	a.verified.show(data)
	return checkName(a.Ref, a.FS, m.Name)
}

// verify lets the artifact show these files alone.
func (a *Artifact) verify(files []archive.File) {
	a.verified = &verifiedFS{place: a.Ref.Text, files: files, open: a.FS.Open}
	a.FS = a.verified
}

// working sets up the pack that is being worked on in a directory. Its tree is that of what
// would be published; it is only worked out where somebody asks, or a folder that lies
// elsewhere is a part of it.
func (o *Options) working(ctx context.Context, a *Artifact, dir string) error {
	var mappings []pack.Mapping
	var err error
	if o.Mappings != nil {
		if mappings, err = o.Mappings(dir); err != nil {
			return fmt.Errorf("open %s: %w", a.Ref, err)
		}
	}
	if o.Locked == nil && !o.Identify && len(mappings) == 0 {
		return nil
	}
	p, _, err := pack.OpenFS(a.FS, "", mappings...)
	if err != nil {
		return fmt.Errorf("open %s: %w", a.Ref, err)
	}
	if p == nil {
		return fmt.Errorf("open %s: its %s cannot be read", a.Ref, pack.EntryName)
	}
	a.closers = append(a.closers, func() { p.Close() })
	names, _ := archive.Published(p, archive.PublishOptions{}) // check reports what is left out
	files := make([]archive.File, len(names))
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(wholeAtOnce)
	for i, name := range names {
		group.Go(func() error {
			if err := running.Err(); err != nil {
				return err
			}
			f, _ := p.Stat(name)
			sum, err := p.SHA256(name)
			files[i] = archive.File{Path: name, Size: f.Size, SHA256: sum}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("open %s: %w", a.Ref, err)
	}
	a.Entry.Version, a.Entry.Tree = invisible.Line(p.Meta.Version), archive.TreeHash(files)
	a.verify(files)
	a.verified.open = func(name string) (fs.File, error) {
		f, _, err := p.OpenFile(name) // a listed file may have another name on the disk, or lie elsewhere
		return f, err
	}
	return nil
}

// Keep puts the files of a pack that lies in a directory into the cache: what is locked
// stays the same whatever becomes of the directory. A pack of the cache is kept already.
func (a *Artifact) Keep(ctx context.Context) error {
	if a.Cached || a.verified == nil {
		return nil
	}
	if have, err := a.cache.find(a.Entry.Tree); err == nil {
		err = have.whole(ctx)
		have.release()
		if err == nil {
			return nil
		}
	}
	w, err := a.cache.workspace()
	if err != nil {
		return err
	}
	return errors.Join(a.keepIn(ctx, w), w.close())
}

// keepIn writes the files in a workspace and moves them into the cache.
func (a *Artifact) keepIn(ctx context.Context, w *workspace) error {
	dir := filepath.Join(w.dir, "tree")
	files := a.verified.listing()
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := a.verified.read(f)
		if err != nil {
			return err
		}
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := regularfile.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return cacheFault("keep %s in the cache: %w", a.Ref, err)
		}
		if err := regularfile.WriteFile(name, data, 0o666); err != nil {
			return cacheFault("keep %s in the cache: %w", a.Ref, err)
		}
	}
	if a.Manifest != nil {
		if err := a.cache.addManifest(a.Manifest); err != nil {
			return cacheFault("keep %s in the cache: %w", a.Ref, err)
		}
	}
	if err := a.cache.add(ctx, w, files, dir, a.Entry.Tree); err != nil {
		return cacheFault("keep %s in the cache: %w", a.Ref, err)
	}
	return nil
}
