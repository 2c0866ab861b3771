package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/signature"
)

// Options say how a reference is opened.
type Options struct {
	Dir      string            // relative paths are relative to it; "" is the working directory
	Cache    *Cache            // required
	Locked   *schema.LockedRef // what the reference must lead to; nil when it is not locked
	Offline  bool              // nothing is fetched: the lock and the cache must do
	Identify bool              // work out the tree of a pack that is being worked on, too
	Fetch    fetch.Options     // of the network
	Limits   archive.Limits    // of archives
	Progress func(Progress)    // may be nil; called from one goroutine at a time

	Signatures Signatures // that are asked for

	// Mappings returns the folders that are read as documents of the pack in a directory,
	// which somebody works on; nil says that no pack has any.
	Mappings func(dir string) ([]pack.Mapping, error)
}

// Progress is how far a download or an archive has come.
type Progress struct {
	Doing string // "fetch" or "unpack"
	Done  int64  // bytes
	Total int64  // bytes, -1 when unknown
}

// Artifact is an opened pack from elsewhere. Close releases it.
type Artifact struct {
	Ref      Ref
	Name     string           // of the pack
	FS       fs.FS            // its files, pack.json among them; each is verified when it is read, unless it is in a pack that is being worked on
	Entry    schema.LockedRef // what a lock holds of it; without a tree for a pack that is being worked on, unless asked for
	Locked   bool             // the lock holds it
	Fetched  bool             // it came from its place in this call, not from the cache
	Cached   bool             // its files are those of the cache
	Manifest []byte           // its pack.json; nil for a pack that is being worked on

	cache    *Cache
	verified *verifiedFS // nil for a pack that is being worked on
	closers  []func()

	bundles     func(context.Context) ([][]byte, error) // its signatures; nil where they are to be asked for
	manifestOCI string                                  // digest of the manifest of the registry that named its pack.json in this call
	checked     bool                                    // its signature was required
}

// Open opens the pack that a reference leads to: from the cache when what it
// means is known there, otherwise from its place, verified, and kept.
//
// With Options.Locked, that very pack is opened or the error is a
// *MismatchError; nothing is fetched when the cache has it. Other errors to look
// for: *chooseError and *fetch.ChooseError for several packs, *OfflineError,
// *archive.Refusal, *SignatureError, *DamageError, *fetch.Error and
// *fetch.MismatchError.
func Open(ctx context.Context, ref Ref, o Options) (*Artifact, error) {
	if _, err := o.ruleFor(ref); err != nil { // before anything is fetched
		return nil, err
	}
	a, err := open(ctx, ref, o)
	if err != nil {
		return nil, err
	}
	if a.Locked = o.Locked != nil; a.checked {
		return a, nil
	}
	if err := o.requireSignature(ctx, a); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

func open(ctx context.Context, ref Ref, o Options) (*Artifact, error) {
	switch ref.Kind {
	case Directory:
		return o.openDirectory(ctx, ref)
	case ArchiveFile:
		return o.openFile(ctx, ref, o.path(ref.Path))
	}
	return o.openRemote(ctx, ref)
}

func (o *Options) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(o.Dir, filepath.FromSlash(name))
}

// Close releases what an artifact holds.
func (a *Artifact) Close() {
	for _, f := range a.closers {
		f()
	}
	a.closers = nil
}

// Damage returns the first damage that was found while files were read, nil when
// there was none.
func (a *Artifact) Damage() *DamageError {
	if a.verified == nil {
		return nil
	}
	return a.verified.damage.Load()
}

// Drop closes an artifact and removes its damaged tree from the cache, so that
// it is fetched when it is opened again.
func (a *Artifact) Drop(ctx context.Context) error {
	a.Close()
	if !a.Cached {
		return nil
	}
	if err := a.cache.drop(ctx, a.Entry.Tree); err != nil {
		return cacheFault("drop a damaged tree of the cache: %w", err)
	}
	return nil
}

// Verify reads every file; the error is a *DamageError when one is not what it
// should be.
func (a *Artifact) Verify(ctx context.Context) error {
	if a.verified == nil {
		return nil
	}
	return a.verified.whole(ctx)
}

// Files lists the files of the tree in path order; nil for a pack that is being worked on,
// unless its tree was asked for.
func (a *Artifact) Files() []archive.File {
	if a.verified == nil {
		return nil
	}
	return a.verified.listing()
}

// fromCache opens what is cached; nil when it is not. A damaged tree is dropped.
func (o *Options) fromCache(ctx context.Context, ref Ref, e *schema.LockedRef) (*Artifact, error) {
	var manifest []byte
	if e.Manifest != "" {
		var err error
		if manifest, err = o.Cache.manifest(e.Manifest); err != nil {
			return nil, nil // missing files are fetched
		}
	}
	tree, err := o.Cache.find(e.Tree)
	var damage *DamageError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.As(err, &damage):
		return nil, o.Cache.drop(ctx, e.Tree)
	case err != nil:
		return nil, err
	}
	tree.show(manifest)
	entry := *e
	entry.Ref = ref.Text
	return &Artifact{
		Ref: ref, Name: e.Pack, FS: tree.verifiedFS, Entry: entry, Manifest: manifest,
		cache: o.Cache, verified: tree.verifiedFS, closers: []func(){tree.release}, Cached: true,
	}, nil
}

// Kept opens what an entry of a lock holds, which is Options.Locked, from the cache alone,
// whatever its reference leads to by now. Without it in the cache the error is
// fs.ErrNotExist. A signature is asked for as Open asks for it.
func Kept(ctx context.Context, ref Ref, o Options) (*Artifact, error) {
	o.Offline = true
	if _, err := o.ruleFor(ref); err != nil {
		return nil, err
	}
	a, err := o.fromCache(ctx, ref, o.Locked)
	if err == nil && a == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	a.Locked = true
	if err := o.requireSignature(ctx, a); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// check compares what came with the lock.
func (o *Options) check(e *schema.LockedRef) error {
	want := o.Locked
	switch {
	case want == nil:
	case want.Pack != e.Pack:
		return &MismatchError{e.Ref, "pack", want.Pack, e.Pack}
	case want.Tree != e.Tree:
		return &MismatchError{e.Ref, "tree", want.Tree, e.Tree}
	case want.Manifest != e.Manifest:
		return &MismatchError{e.Ref, "pack.json", orNone(want.Manifest), orNone(e.Manifest)}
	}
	return nil
}

func orNone(digest string) string {
	if digest == "" {
		return "none"
	}
	return digest
}

// settle checks a cached artifact against the lock, and closes it when it is
// another one. It is good as the entry of the lock, which keeps what it says of
// run and digest.
func (o *Options) settle(a *Artifact) (*Artifact, error) {
	if err := o.check(&a.Entry); err != nil {
		a.Close()
		return nil, err
	}
	if o.Locked != nil {
		a.Entry = *o.Locked
	}
	return a, nil
}

// kept opens what was just put into the cache.
func (o *Options) kept(ctx context.Context, ref Ref, e *schema.LockedRef) (*Artifact, error) {
	a, err := o.fromCache(ctx, ref, e)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, fmt.Errorf("open %s: the cache lost it at once: %w", ref, os.ErrNotExist)
	}
	a.Fetched = true
	return o.settle(a)
}

// unpack unpacks an archive in a workspace, takes the pack that is meant, and
// puts it into the cache. The entry comes with what is known of the archive.
func (o *Options) unpack(ctx context.Context, w *workspace, name string, ref Ref, e schema.LockedRef) (*Artifact, error) {
	dir, found, x, err := o.extract(ctx, w, name, ref, "outer")
	if err != nil {
		return nil, err
	}
	e.Format = x.Format
	came, beside := x.Signatures, ""
	if found.Archive != "" {
		outer := found
		inner := filepath.Join(dir, filepath.FromSlash(outer.Archive))
		if dir, found, _, err = o.extract(ctx, w, inner, ref, "inner"); err != nil {
			return nil, err
		}
		if found.Archive != "" || found.Tree != outer.Tree || found.ManifestSHA256 != outer.ManifestSHA256 {
			return nil, &archive.Refusal{
				Rule: archive.RuleManifest, Archive: ref.Text, Path: outer.Archive,
				Message: "it does not hold the pack that the pack.json beside it describes",
			}
		}
		beside = inner
	}
	if err := o.keepBundles(came, beside, found.ManifestSHA256); err != nil {
		return nil, err
	}
	return o.keep(ctx, w, filepath.Join(dir, filepath.FromSlash(found.Dir)), found, ref, e)
}

// keepBundles puts the signatures that came with a pack into the cache: those beside an
// archive in another, and the one in the folder of a site.
func (o *Options) keepBundles(came [][]byte, beside, manifest string) error {
	if beside != "" {
		if data, err := atomicfile.Read(beside+signature.Ending, signature.MaxBundle); err == nil {
			came = append(came, data)
		}
	}
	for _, data := range came {
		if err := o.Cache.addBundle(manifest, o.Cache.bundles(manifest), data); err != nil {
			return cacheFault("keep a signature in the cache: %w", err)
		}
	}
	return nil
}

// extract unpacks one archive and chooses the pack.
func (o *Options) extract(ctx context.Context, w *workspace, name string, ref Ref, as string) (dir string, found archive.Found, x *archive.Extracted, err error) {
	dir = filepath.Join(w.dir, as)
	options := archive.Options{Limits: o.Limits}
	if o.Progress != nil {
		options.Progress = func(done, total int64) { o.Progress(Progress{"unpack", done, total}) }
	}
	if x, err = archive.Extract(ctx, name, dir, options); err == nil {
		var list []archive.Found
		if list, err = archive.Packs(regularfile.Dir(dir), x.Files); err == nil {
			found, err = choose(ref, list)
		}
	}
	var refusal *archive.Refusal
	var choice *chooseError
	switch {
	case errors.As(err, &refusal):
		err = ofReference(ref, err) // not the file in the cache
	case err != nil && !errors.As(err, &choice):
		err = cacheFault("unpack %s in the cache: %w", ref, err)
	}
	if err != nil {
		return "", archive.Found{}, nil, err
	}
	return dir, found, x, nil
}

// ofReference names the reference in a refusal.
func ofReference(ref Ref, err error) error {
	var refusal *archive.Refusal
	if errors.As(err, &refusal) {
		named := *refusal
		named.Archive = ref.Text
		return &named
	}
	return err
}

// choose returns the pack that is named, or the only one.
func choose(ref Ref, list []archive.Found) (archive.Found, error) {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.Name
		if f.Name == ref.Pack {
			return f, nil
		}
	}
	if len(list) == 1 && ref.Pack == "" {
		return list[0], nil
	}
	return archive.Found{}, &chooseError{ref.Text, ref.Pack, names}
}

// keep puts an unpacked pack into the cache, when it is what the lock holds.
func (o *Options) keep(ctx context.Context, w *workspace, dir string, found archive.Found, ref Ref, e schema.LockedRef) (*Artifact, error) {
	e.Pack, e.Version, e.Tree, e.Manifest = found.Name, invisible.Line(found.Manifest.Version), found.Tree, found.ManifestSHA256
	if err := o.check(&e); err != nil {
		return nil, err
	}
	if err := checkName(ref, regularfile.Dir(dir), found.Name); err != nil {
		return nil, err
	}
	record := filepath.Join(dir, schema.PackManifestName)
	manifest, err := atomicfile.Read(record, schema.MaxPackManifest)
	if err == nil && archive.SHA256(manifest) != e.Manifest {
		err = fmt.Errorf("%s changed meanwhile", schema.PackManifestName)
	}
	if err == nil {
		err = regularfile.Remove(record)
	}
	if err == nil {
		err = o.Cache.addManifest(manifest)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = o.Cache.add(ctx, w, found.Files, dir, e.Tree)
	}
	if err == nil && e.Digest != "" {
		err = o.Cache.remember(digestKey(e.Digest, ref.Pack), &e)
	}
	if err != nil {
		return nil, cacheFault("keep %s in the cache: %w", path.Base(ref.Text), err)
	}
	return o.kept(ctx, ref, &e)
}

// checkName refuses a pack whose KNOWLEDGE.md does not have the name that its
// pack.json says: it would be locked under one name and used under another.
func checkName(ref Ref, fsys fs.FS, name string) error {
	refuse := func(format string, args ...any) error {
		return &archive.Refusal{
			Rule: archive.RuleManifest, Archive: ref.Text, Path: schema.PackManifestName, Message: fmt.Sprintf(format, args...),
			Hint: "publish the pack with packgen build or packgen pack",
		}
	}
	entry, _, err := pack.ReadEntry(fsys, "")
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && entry == nil:
		return refuse("the files beside it are not a pack: there is no %s that can be read", pack.EntryName)
	case err != nil:
		return fmt.Errorf("read %s of %s: %w", pack.EntryName, ref, err)
	case entry.Meta.Name != name:
		return refuse("it names the pack %q, and %s names it %q", name, pack.EntryName, entry.Meta.Name)
	}
	return nil
}

// digestKey is the record of what an archive holds.
func digestKey(digest, pack string) string { return recordKey("archive", digest, pack) }

// MaxTrust caps what a pack from elsewhere may declare of its trust.
const MaxTrust = "external"

// Approved reports a pack that may be used without being allowed for the one run:
// its tree is in the lock of the repository.
func (a *Artifact) Approved() bool { return a.Locked }

// Views returns the statuses of views that its pack.json holds and that are not
// "passed", by path. They were worked out where the sources were available, which an
// archive leaves out. The digest of pack.json was verified when it was read.
func (a *Artifact) Views() map[string]schema.Status {
	var m struct {
		Views []schema.PublishedView `json:"views"`
	}
	if json.Unmarshal(a.Manifest, &m) != nil {
		return nil // a pack that is being worked on has none; others were decoded once
	}
	statuses := map[string]schema.Status{}
	for _, v := range m.Views {
		if v.Status != schema.Passed {
			statuses[v.Path] = v.Status
		}
	}
	return statuses
}
