package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/fetch"
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
// for: *ChooseError and *fetch.ChooseError for several packs, *OfflineError,
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
