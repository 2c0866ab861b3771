package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/resolver/workspace"
	"github.com/packgen/packgen/site"
	"github.com/packgen/packgen/site/build"
	"github.com/packgen/packgen/templates"
)

// packFlags are the flags of the pack verb.
type packFlags struct {
	archiveOptions
	out string
}

// archiveOptions say what an archive holds.
type archiveOptions struct {
	sources bool // sources/ too
	runs    bool // every record of runs/
	dryRun  bool // write nothing
}

// newPack is the pack verb.
func newPack(a *app) *cobra.Command {
	var f packFlags
	cmd := &cobra.Command{
		Use:   "pack [PACK]",
		Short: "Write the archive of a pack",
		Long: `pack compiles a pack and writes what is published of it as one archive: the file
pack.json, which lists and identifies everything else, and the files themselves.
It is the pack.tar.gz that build puts beside the pack's pages, byte for byte.

sources/ and the runs before the newest compile stay out, unless site.sources and
site.runs in packgen.yaml or the flags say otherwise. Without PACK, the only pack
of the repository is meant.`,
		Example: "  packgen pack handbook\n  packgen pack handbook --out /tmp/handbook.tar.gz\n  packgen pack handbook --dry-run --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runPack(cmd.Context(), f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "write the archive to `FILE` (default NAME.tar.gz)")
	flags.BoolVar(&f.sources, "sources", false, "put sources/ into the archive")
	flags.BoolVar(&f.runs, "runs", false, "put every record of runs/ into the archive")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be written and write nothing")
	return cmd
}

// packedArchive is what the envelope says about the archive.
type packedArchive struct {
	Out    string `json:"out"`
	Change string `json:"change"` // created, updated, unchanged
	Tree   string `json:"tree"`
	Files  int    `json:"files"` // pack.json aside
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// runPack does what the pack verb says.
func (a *app) runPack(ctx context.Context, f packFlags, names []string) (err error) {
	cfg, err := a.LoadConfig()
	if err != nil {
		return err
	}
	r, err := a.OpenOne(cfg.Packs, names)
	if err != nil {
		return err
	}
	defer r.Close()
	m := r.Members[0]
	out := a.Path(f.out)
	if f.out == "" {
		out = a.Path(m.Name() + ".tar.gz")
	}
	if err := checkArchivePath(&a.Workspace, out, m); err != nil {
		return err
	}
	o := workspace.CompileOptions{DryRun: false, Trigger: "manual"}
	if o.Now, err = workspace.RunTime(a.Getenv); err != nil {
		return err
	}
	if o.Overlay, err = packOverlay(&a.Workspace, cfg, f.archiveOptions); err != nil {
		return err
	}
	if f.dryRun {
		defer func() { err = errors.Join(err, os.RemoveAll(o.Overlay)) }()
	}
	st := a.newStages()
	st.Begin("compile")
	if err = a.CheckOverlay(o.Overlay, r); err == nil {
		err = a.Compile(ctx, r, o)
	}
	var done packedArchive
	if failed := r.Status() == "failed" || diag.Count(r.Findings(), diag.Error) > 0; err == nil && !failed {
		st.Begin("pack")
		done, err = writeArchive(ctx, &a.Workspace, cfg, f.archiveOptions, m, o.Overlay, out)
	}
	st.End()
	if err != nil {
		return workspace.ExplainWrite(err)
	}
	return a.reportPacked(f, r, done)
}

// checkArchivePath refuses a place inside the pack, where the archive would be
// read as a part of it.
func checkArchivePath(w *workspace.Workspace, out string, m *workspace.Member) error {
	inside, err := filepath.Rel(w.Path(m.Dir), out)
	if err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) || inside == archive.ArchiveName {
		return nil
	}
	return diag.WithHint(fmt.Errorf("--out %s lies inside the pack", w.Rel(out)), "Name a place beside it; in the pack itself only %s is no part of it.", archive.ArchiveName)
}

// packOverlay is where the compile writes: into the pack, or where it must not be
// touched elsewhere.
func packOverlay(w *workspace.Workspace, cfg workspace.Config, f archiveOptions) (string, error) {
	if f.dryRun {
		dir, err := os.MkdirTemp("", "packgen-pack-*")
		if err != nil {
			return "", fmt.Errorf("make a place for a trial compile: %w", err)
		}
		return dir, nil
	}
	return w.ChooseOverlay(cfg.Overlay)
}

// writeArchive writes the archive, unless it stands there already.
func writeArchive(ctx context.Context, w *workspace.Workspace, cfg workspace.Config, f archiveOptions, m *workspace.Member, overlay, out string) (done packedArchive, err error) {
	bundle, err := site.NewBundle(m.Result, site.BundleOptions{
		Sources: cfg.Site.Sources || f.sources, Runs: cfg.Site.Runs || f.runs,
		Open: func(path string) (io.ReadCloser, error) { return build.OpenWritten(overlay, m.Pack, path) },
	})
	if err != nil {
		return done, err
	}
	m.Later = append(m.Later, bundle.Diagnostics...)
	if diag.Count(bundle.Diagnostics, diag.Error) > 0 || bundle.Manifest == nil {
		return done, nil
	}
	done = packedArchive{Out: w.Rel(out), Tree: bundle.Manifest.Tree, Files: len(bundle.Manifest.Files)}
	state := ""
	if !workspace.ReadOnly(w.Dir) {
		state = filepath.Join(w.Dir, workspace.StateName)
	}
	tx, err := publish.Begin(ctx, publish.Options{Target: filepath.Dir(out), StateDir: state, DryRun: f.dryRun, Wait: workspace.LockWait})
	if err != nil {
		return done, fmt.Errorf("write %s: %w", done.Out, err)
	}
	defer func() { err = errors.Join(err, tx.Abort()) }()
	sum := newSum()
	change, err := tx.PutFrom(filepath.Base(out), func(w io.Writer) error {
		sum.reset()
		return bundle.Write(io.MultiWriter(w, sum))
	})
	if err == nil {
		_, err = tx.Commit()
	}
	if err != nil {
		return done, fmt.Errorf("write %s: %w", done.Out, err)
	}
	done.Change, done.Bytes, done.SHA256 = string(change), sum.size, sum.hex()
	return done, nil
}

// reportPacked prints what was packed.
func (a *app) reportPacked(f packFlags, r *workspace.Repository, done packedArchive) error {
	findings, m := r.Findings(), r.Members[0]
	failed := done.Out == ""
	if a.json {
		out := struct {
			envelope
			DryRun  bool           `json:"dry_run"`
			Archive *packedArchive `json:"archive"` // null when the compile failed
		}{envelope: envelope{
			OK: !failed, Status: r.Status(), Command: "pack", Pack: m.Name(), Findings: findingsOf(findings),
		}, DryRun: f.dryRun}
		if !failed {
			out.Archive = &done
		}
		a.printJSON(out)
	} else {
		a.printFindings(findings, r.Dirs())
		if !failed && !a.quiet {
			fmt.Fprintf(a.stdout, "%-9s  %s  %s, %s files\n%-9s  %s\n", done.Change, diag.Printable(done.Out),
				templates.Size(done.Bytes), amount.Grouped(done.Files), "tree", done.Tree)
		}
	}
	if failed {
		return errFindings
	}
	return nil
}
