package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/signature"
)

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
	var choice *ChooseError
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
	return archive.Found{}, &ChooseError{ref.Text, ref.Pack, names}
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
