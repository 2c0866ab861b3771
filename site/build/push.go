package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/resolver/remote/signature"
	"github.com/packgen/packgen/resolver/repo"
)

// PushOptions say what is pushed, and where.
type PushOptions struct {
	ArchiveOptions
	Ref    string   // oci://HOST/NAME[:TAG]
	Tags   []string // more tags
	All    bool     // every pack, and a catalog of them
	Source string   // the address where the packs are worked on; "" means what the CI system says
}

// Pushable is a pack that is ready to be written to a registry.
type Pushable struct {
	Name, Version, License, Description string // as the pack declares them; "" for none
	Source                              string // where it is worked on, "" for unknown
	Tree                                string
	Manifest                            []byte // its pack.json
	Archive                             string // the file of the archive
	SHA256                              string // of the archive, 64 hex digits
	Bytes                               int64  // of the archive
	Bundle                              []byte // its signature, a Sigstore bundle; nil for none
	Signer                              string // who signed, for people
}

// Push compiles packs and sends them: the one that is named, the only one, or with All every
// pack. Nothing is sent where findings, which the repository has, forbid it. The caller
// closes the repository.
func Push(ctx context.Context, w *repo.Repo, f PushOptions, names []string, send func([]Pushable) error) (r *repo.Packs, err error) {
	if f.All {
		r, err = w.Open()
	} else {
		r, err = w.OpenOne(names)
	}
	if err != nil {
		return nil, err
	}
	dir, err := scratch.NewDir("push")
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("make a place for the archives: %w", err)
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
		return r, err
	}
	st := w.Follow()
	defer st.End()
	var packs []Pushable
	err = compiled(ctx, w, f.ArchiveOptions, r, st, func(overlay string) error {
		for _, m := range r.Members {
			if failed(r) {
				return nil
			}
			p, err := archived(w, f, m, overlay, dir.Path)
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
		return r, err
	}
	st.Begin("push")
	return r, send(packs)
}

// archived writes the archive of a compiled pack into a directory.
func archived(w *repo.Repo, f PushOptions, m *repo.Member, overlay, dir string) (p Pushable, err error) {
	bundle, err := bundleOf(w, f.ArchiveOptions, m, overlay)
	if err != nil || bundle == nil {
		return p, err
	}
	meta := m.Pack.Meta
	p = Pushable{
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
