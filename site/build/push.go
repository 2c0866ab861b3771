package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/registry"
	"github.com/packgen/packgen/resolver/remote/signature"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/resolver/repo/library"
)

// PushOptions say what is pushed, and where.
type PushOptions struct {
	ArchiveOptions
	Ref    string   // oci://HOST/NAME[:TAG]
	Tags   []string // more tags
	All    bool     // every pack, and a catalog of them
	Source string   // the address where the packs are worked on; "" means what the CI system says
}

// Push compiles packs and writes them to a registry: the one that is named, the only
// one, or with All every pack and an index of them. No list means that findings, which
// the repository has, forbid it. The caller closes the repository.
func Push(ctx context.Context, w *repo.Repo, f PushOptions, names []string) (r *repo.Packs, list []registry.Pushed, err error) {
	ref, err := pushTarget(f)
	if err != nil {
		return nil, nil, err
	}
	cfg, err := w.LoadConfig()
	if err != nil {
		return nil, nil, err
	}
	if f.All {
		r, err = w.Open(cfg.Packs)
	} else {
		r, err = w.OpenOne(cfg.Packs, names)
	}
	if err != nil {
		return nil, nil, err
	}
	dir, err := scratch.NewDir("push")
	if err != nil {
		r.Close()
		return nil, nil, fmt.Errorf("make a place for the archives: %w", err)
	}
	opened := r
	defer func() {
		if err = errors.Join(err, dir.Remove()); err != nil {
			opened.Close()
		}
	}()
	if f.All {
		r.DropArchived()
	}
	signing, err := newSigner(w, f.SignOptions)
	if err != nil {
		return r, nil, err
	}
	st := w.Follow()
	defer st.End()
	var packs []registry.Pack
	err = compiled(ctx, w, cfg, f.ArchiveOptions, r, st, func(overlay string) error {
		for _, m := range r.Members {
			if failed(r) {
				return nil
			}
			p, err := archived(cfg, f, m, overlay, dir.Path)
			if err != nil {
				return err
			}
			if signing != nil && p.Manifest != nil && !f.DryRun {
				p.Bundle, p.Signer, err = signing.sign(ctx, signature.Pack{Name: p.Name, Version: p.Version, Tree: p.Tree, Manifest: archive.SHA256(p.Manifest), Archive: p.SHA256})
				if err != nil {
					return err
				}
			}
			r.Add(oversizeArchive(p.Name+".tar.gz", p.Bytes, true))
			p.Source = cmp.Or(f.Source, sourceOf(w.Getenv))
			packs = append(packs, p)
		}
		return nil
	})
	if err != nil || failed(r) {
		return r, nil, err
	}
	st.Begin("push")
	tags := append([]string{ref.Registry.Tag}, f.Tags...)
	fetching := library.Fetching(w, cfg.Pull)
	if dir, err := remote.CacheDir(w.Getenv); err == nil { // without it, everything is sent
		fetching.Uploads = remote.NewCache(dir).Uploads()
	}
	list, err = registry.Push(ctx, fetch.New(fetching), ref.Registry, packs, registry.Options{Tags: tags, Catalog: f.All, DryRun: f.DryRun})
	return r, list, err
}

// pushTarget reads the reference that is written to.
func pushTarget(f PushOptions) (remote.Ref, error) {
	const form = "write oci://HOST/NAME:TAG"
	ref, err := remote.ParseRef(f.Ref)
	var refused *remote.RefError
	switch {
	case errors.As(err, &refused) && refused.Hint != "":
		return ref, diag.WithHint(err, "%s", refused.Hint)
	case err != nil:
		return ref, err
	case ref.Kind != remote.OCI:
		return ref, diag.WithHint(fmt.Errorf("%s is not a registry", diag.Printable(f.Ref)), "%s; a site is published by packgen build", form)
	case ref.Registry.Digest != "":
		return ref, diag.WithHint(errors.New("a digest cannot be chosen: it follows from the pack"), form)
	case ref.Pack != "":
		return ref, diag.WithHint(errors.New("the pack is named after the reference, not with #"), "%s and the name of the pack after it", form)
	}
	for _, tag := range f.Tags {
		again, err := remote.ParseRef("oci://" + ref.Registry.Host + "/" + ref.Registry.Name + ":" + tag)
		if err != nil || again.Registry.Tag != tag || again.Pack != "" || again.Registry.Digest != "" {
			return ref, diag.WithHint(fmt.Errorf("--tag: %q is not a tag", diag.Printable(tag)), "write at most 128 letters, digits, dots, hyphens and underscores")
		}
	}
	return ref, nil
}

// archived writes the archive of a compiled pack into a directory.
func archived(cfg repo.Config, f PushOptions, m *repo.Member, overlay, dir string) (p registry.Pack, err error) {
	bundle, err := bundleOf(cfg, f.ArchiveOptions, m, overlay)
	if err != nil || bundle == nil {
		return p, err
	}
	meta := m.Pack.Meta
	p = registry.Pack{
		Name: m.Name(), Version: meta.Version, License: meta.License, Description: meta.Description,
		Tree: bundle.Manifest.Tree, Manifest: bundle.JSON, Archive: filepath.Join(dir, m.Name()+".tar.gz"),
	}
	file, err := regularfile.Create(p.Archive, 0o600)
	if err != nil {
		return p, err
	}
	sum := newSum()
	err = errors.Join(bundle.Write(io.MultiWriter(file, sum)), file.Close())
	p.SHA256, p.Bytes = sum.hex(), sum.size
	return p, err
}

// sourceOf is the address of the repository that a CI system works for, "" elsewhere.
func sourceOf(getenv func(string) string) string {
	if server, name := getenv("GITHUB_SERVER_URL"), getenv("GITHUB_REPOSITORY"); server != "" && name != "" {
		return server + "/" + name
	}
	return getenv("CI_PROJECT_URL")
}
