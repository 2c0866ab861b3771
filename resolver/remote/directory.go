package remote

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
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
		return place{}, &chooseError{ref.Text, ref.Pack, names}
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

// A listing is kept beside each tree of the cache. It starts with the text that
// the tree hash is the hash of, "<sha256>  <path>" in path order, so that one
// hash over it shows whether it is whole; a blank line and the sizes, in bytes,
// follow. A wrong size is found when the file is read.

// errListing is the error of a listing that is not what its tree hash says.
var errListing = errors.New("the listing does not fit the tree hash")

// appendListing writes the listing of files that are in path order.
func appendListing(dst []byte, files []archive.File) []byte {
	for _, f := range files {
		dst = append(dst, f.SHA256...)
		dst = append(dst, "  "...)
		dst = append(dst, f.Path...)
		dst = append(dst, '\n')
	}
	dst = append(dst, '\n')
	for _, f := range files {
		dst = strconv.AppendInt(dst, f.Size, 10)
		dst = append(dst, '\n')
	}
	return dst
}

// parseListing reads a listing whose hash must be that of the tree.
func parseListing(data []byte, tree string) ([]archive.File, error) {
	end := bytes.Index(data, []byte("\n\n")) + 1
	if end == 0 {
		return nil, errListing
	}
	sum := sha256.Sum256(data[:end])
	if "h1:"+base64.StdEncoding.EncodeToString(sum[:]) != tree {
		return nil, errListing
	}
	text := string(data)
	names, sizes := text[:end], text[end+1:]
	files := make([]archive.File, 0, bytes.Count(data[:end], []byte("\n")))
	for names != "" {
		var line, size string
		var whole bool
		line, names, _ = strings.Cut(names, "\n")
		size, sizes, whole = strings.Cut(sizes, "\n")
		digest, name, ok := strings.Cut(line, "  ")
		n, err := strconv.ParseInt(size, 10, 64)
		if !ok || !whole || err != nil || n < 0 || packpath.CheckPublished(name) != nil {
			return nil, errListing
		}
		if last := len(files) - 1; last >= 0 && files[last].Path >= name {
			return nil, errListing
		}
		files = append(files, archive.File{Path: name, Size: n, SHA256: digest})
	}
	if sizes != "" {
		return nil, errListing
	}
	return files, nil
}

// treeHex is the name of a tree on disk: its hash in hex.
func treeHex(tree string) (string, error) {
	text, ok := strings.CutPrefix(tree, "h1:")
	sum, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(sum) != sha256.Size {
		return "", errors.New("not a tree hash: " + strconv.Quote(shorten(tree)))
	}
	return hex.EncodeToString(sum), nil
}

// openFile opens a pack from an archive on disk. The archive is hashed each time:
// one that was written again is another one.
func (o *Options) openFile(ctx context.Context, ref Ref, name string) (*Artifact, error) {
	a, err := o.readFile(ctx, ref, name)
	if err == nil {
		a.bundles = bundleBeside(name)
	}
	return a, err
}

func (o *Options) readFile(ctx context.Context, ref Ref, name string) (*Artifact, error) {
	digest, err := o.digestOf(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", ref, err)
	}
	e := schema.LockedRef{Ref: ref.Text, Source: ref.source(), Digest: digest}
	if a, err := o.known(ctx, ref, e); a != nil || err != nil {
		return a, err
	}
	key := digestKey(digest, ref.Pack)
	done, err := o.Cache.alone(ctx, key)
	if err != nil {
		return nil, err
	}
	defer done()
	if a, err := o.known(ctx, ref, e); a != nil || err != nil {
		return a, err
	}
	w, err := o.Cache.workspace()
	if err != nil {
		return nil, err
	}
	a, err := o.unpack(ctx, w, name, ref, e)
	return a, closeAfter(w, a, err)
}

// closeAfter closes a workspace; an error of that closes the artifact as well.
func closeAfter(w *workspace, a *Artifact, err error) error {
	if closing := w.close(); closing != nil && err == nil {
		a.Close()
		return cacheFault("clean the cache: %w", closing)
	}
	return err
}

// known opens the pack of an archive whose digest has been seen before; nil when
// it was not, or is no longer cached.
func (o *Options) known(ctx context.Context, ref Ref, e schema.LockedRef) (*Artifact, error) {
	have := o.Cache.record(digestKey(e.Digest, ref.Pack))
	if have == nil || ref.Pack != "" && have.Pack != ref.Pack {
		return nil, nil
	}
	if o.Locked != nil && have.Tree != o.Locked.Tree {
		return nil, nil // the archive itself decides
	}
	e.Pack, e.Version, e.Format, e.Tree, e.Manifest = have.Pack, have.Version, have.Format, have.Tree, have.Manifest
	a, err := o.fromCache(ctx, ref, &e)
	if a == nil || err != nil {
		return nil, err
	}
	return o.settle(a)
}

// digestOf returns "sha256:" and the digest of a file that is not larger than an
// archive may be.
func (o *Options) digestOf(ctx context.Context, name string) (string, error) {
	f, info, err := regularfile.Open(name)
	if err != nil {
		return "", reasonOf(err)
	}
	defer f.Close()
	limit := o.Limits.ArchiveBytes
	if limit <= 0 {
		limit = archive.DefaultArchiveBytes
	}
	if info.Size() > limit {
		return "", &archive.Refusal{Rule: archive.RuleTooLarge, Message: fmt.Sprintf("the archive is larger than %s", bytesize.Text(limit)), Hint: "raise pull.archive_bytes in packgen.yaml only if you trust where the archive comes from"}
	}
	h := sha256.New()
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		_, err := io.CopyN(h, f, hashPiece)
		if errors.Is(err, io.EOF) {
			return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return "", reasonOf(err)
		}
	}
}

// hashPiece is how many bytes are hashed before an ended context is noticed.
const hashPiece = 8 << 20

// reasonOf is an error without the path, which the message names as it was
// written.
func reasonOf(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
