package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/resolver/remote/signature"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site"
)

// ArchiveOptions say what an archive holds.
type ArchiveOptions struct {
	Sources bool // sources/ too
	Runs    bool // every record of runs/
	DryRun  bool // write nothing

	SignOptions
}

// Archive is what the envelope says about the archive.
type Archive struct {
	Out    string `json:"out"`
	Change string `json:"change"` // created, updated, unchanged
	Tree   string `json:"tree"`
	Files  int    `json:"files"` // pack.json aside
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`

	Signature string `json:"signature,omitempty"` // the file of the signature; absent when it is not signed
	Signer    string `json:"signer,omitempty"`

	manifest string // digest of pack.json
}

// sign writes the signature beside the archive.
func (a *Archive) sign(ctx context.Context, w *repo.Repo, s *signer, m *repo.Member, out string) error {
	bundle, who, err := s.sign(ctx, signature.Pack{Name: m.Name(), Version: m.Pack.Meta.Version, Tree: a.Tree, Manifest: a.manifest, Archive: a.SHA256})
	if err != nil {
		return err
	}
	if err := atomicfile.Write(out+signature.Ending, bundle); err != nil {
		return fmt.Errorf("write the signature: %w", err)
	}
	a.Signature, a.Signer = a.Out+signature.Ending, who
	return nil
}

// checkArchivePath refuses a place inside the pack, where the archive would be
// read as a part of it.
func checkArchivePath(w *repo.Repo, out string, m *repo.Member) error {
	inside, err := filepath.Rel(w.Paths.Abs(m.Dir), out)
	if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) || inside == archive.ArchiveName {
		return nil
	}
	return diag.WithHint(fmt.Errorf("--out %s lies inside the pack", w.Paths.Rel(out)), "name a place beside it; in the pack itself only %s is not part of it", archive.ArchiveName)
}

// packOverlay is where the compile writes: into the pack, or where it must not be
// touched elsewhere. The caller calls remove.
func packOverlay(w *repo.Repo, f ArchiveOptions) (overlay string, remove func() error, err error) {
	if f.DryRun {
		dir, err := scratch.NewDir("pack")
		if err != nil {
			return "", nil, fmt.Errorf("make a place for a trial compile: %w", err)
		}
		return dir.Path, dir.Remove, nil
	}
	overlay, err = repo.ChooseOverlay(w, w.Config.Overlay)
	return overlay, func() error { return nil }, err
}

// writeArchive writes the archive, unless it already exists.
func writeArchive(ctx context.Context, w *repo.Repo, f ArchiveOptions, m *repo.Member, overlay, out string) (done Archive, err error) {
	bundle, err := bundleOf(w, f, m, overlay)
	if err != nil || bundle == nil {
		return done, err
	}
	done = Archive{Out: w.Paths.Rel(out), Tree: bundle.Manifest.Tree, Files: len(bundle.Manifest.Files), manifest: archive.SHA256(bundle.JSON)}
	state := ""
	if !repo.ReadOnly(w.Paths.Dir) {
		state = filepath.Join(w.Paths.Dir, repo.StateName)
	}
	tx, err := publish.Begin(ctx, publish.Options{Target: filepath.Dir(out), StateDir: state, DryRun: f.DryRun, Wait: repo.LockWait})
	if err != nil {
		return done, fmt.Errorf("write %s: %w", done.Out, err)
	}
	defer func() { err = errors.Join(err, tx.Abort()) }()
	sum := newSum()
	change, err := tx.PutFrom(publish.File{Path: filepath.Base(out), Content: func(w io.Writer) error {
		sum.reset()
		return bundle.Write(io.MultiWriter(w, sum))
	}})
	if err == nil {
		_, err = tx.Commit()
	}
	if err != nil {
		return done, fmt.Errorf("write %s: %w", done.Out, err)
	}
	done.Change, done.Bytes, done.SHA256 = string(change), sum.size, sum.hex()
	return done, nil
}

// bundleOf lists what the archive of a compiled pack holds; nil when findings forbid one.
func bundleOf(w *repo.Repo, f ArchiveOptions, m *repo.Member, overlay string) (*site.Bundle, error) {
	bundle, err := site.NewBundle(m.Result, site.BundleOptions{
		Sources: w.Config.Site.Sources || f.Sources, Runs: w.Config.Site.Runs || f.Runs,
		Open: func(path string) (io.ReadCloser, error) { return openWritten(overlay, m.Pack, path) },
	})
	if err != nil {
		return nil, err
	}
	m.Later = append(m.Later, bundle.Diagnostics...)
	if diag.Count(bundle.Diagnostics, diag.Error) > 0 || bundle.Manifest == nil {
		return nil, nil
	}
	return bundle, nil
}
