package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regular"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/workspace"
	"github.com/packgen/packgen/templates"
)

// newVerify is the verify verb.
func newVerify(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify DIR|FILE|URL",
		Short: "Check a published site or pack against its own records",
		Long: `verify reads every file of a published site and compares it with manifest.json, and
each of its packs with the pack's pack.json: files that are missing, changed, or
listed nowhere, tree hashes that do not fit, archives that hold something else. A
pack by itself, as a directory or an archive, is compared with its pack.json.

The site may be a directory or an address. Exit code 3 means that a digest is not
the one recorded, 1 another finding, 2 that there is no site or pack.`,
		Example: "  packgen verify public\n  packgen verify handbook.tar.gz\n  packgen verify https://example.org/packs/",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return diag.WithHint(errors.New("verify needs one place"), "For example: packgen verify public")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runVerify(cmd.Context(), args[0])
		},
	}
	a.registerTimeout(cmd.Flags())
	return cmd
}

// runVerify does what the verify verb says.
func (a *app) runVerify(ctx context.Context, name string) error {
	st := a.newStages()
	o := archive.VerifyOptions{Progress: func(done, total int) { st.Progress("%d of %d files", done, total) }}
	place, err := openPublished(ctx, &a.Workspace, name, st)
	if err != nil {
		st.End()
		return err
	}
	defer place.close()
	o.NoList, o.Jobs = place.remote, place.jobs
	st.Begin("verify")
	v, err := archive.Verify(ctx, place.fsys, o)
	st.End()
	if errors.Is(err, archive.ErrNotPublished) {
		return diag.WithHint(fmt.Errorf("%s is no published site or pack: %w", place.shown, err), "packgen build writes a site, by default into public.")
	}
	if err != nil {
		return err
	}
	return a.reportVerified(place.shown, v)
}

// published is a place that is checked.
type published struct {
	fsys   fs.FS
	shown  string
	remote bool // its files cannot be listed
	jobs   int
	close  func()
}

// openPublished opens a directory, an archive or an address.
func openPublished(ctx context.Context, w *workspace.Workspace, name string, st *workspace.Stages) (*published, error) {
	cfg, err := w.LoadConfig()
	if err != nil {
		return nil, err
	}
	if strings.Contains(name, "://") {
		base := strings.TrimSuffix(name, schema.SiteManifestName)
		remote := newRemoteSite(ctx, fetch.New(w.Fetching(cfg.Pull)), base)
		return &published{fsys: remote, shown: fetch.Redact(base), remote: true, jobs: remoteJobs, close: remote.close}, nil
	}
	name = w.Given(name)
	shown := w.Rel(w.Path(name))
	info, err := os.Stat(w.Path(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, diag.WithHint(fmt.Errorf("verify: no file or directory %s", name), "Name a directory such as public, an archive, or an address.")
	case err != nil:
		return nil, fmt.Errorf("verify: %w", err)
	case info.IsDir():
		return openRoot(w.Path(name), shown, func() {})
	}
	temp, err := os.MkdirTemp("", "packgen-verify-*")
	if err != nil {
		return nil, fmt.Errorf("make a place to unpack %s: %w", shown, err)
	}
	clean := func() { _ = os.RemoveAll(temp) } // what is left is the system's to clear
	st.Begin("unpack")
	dir := filepath.Join(temp, "tree")
	if _, err := archive.Extract(ctx, w.Path(name), dir, archive.Options{Limits: cfg.Pull.Archive()}); err != nil {
		clean()
		var refusal *archive.Refusal
		if errors.As(err, &refusal) {
			return nil, diag.Refuse(diag.WithHint(err, "%s", refusal.Hint))
		}
		return nil, err
	}
	return openRoot(onlyFolder(dir), shown, clean)
}

// openRoot opens a directory so that no link leads out of it.
func openRoot(dir, shown string, done func()) (*published, error) {
	root, err := regular.Root(dir)
	if err != nil {
		done()
		return nil, fmt.Errorf("verify: %w", err)
	}
	return &published{fsys: regular.FS(root), shown: shown, close: func() {
		root.Close() // reading is over: there is nothing to lose
		done()
	}}, nil
}

// onlyFolder goes down into the one folder that an archive keeps all in, when it
// does.
func onlyFolder(dir string) string {
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) == 1 && entries[0].IsDir() {
		return filepath.Join(dir, entries[0].Name())
	}
	return dir
}

// reportVerified prints what a check came to.
func (a *app) reportVerified(shown string, v *archive.Verified) error {
	bad := len(v.Diagnostics) > 0
	if a.json {
		out := struct {
			envelope
			Place    string                 `json:"place"`
			Kind     string                 `json:"kind"` // site or pack
			Files    int                    `json:"files"`
			Bytes    int64                  `json:"bytes"`
			Packs    []archive.VerifiedPack `json:"packs"`
			Mismatch bool                   `json:"mismatch"` // a digest is not the one recorded
		}{envelope: envelope{OK: !bad, Status: "passed", Command: "verify", Findings: findingsOf(v.Diagnostics)},
			Place: shown, Kind: v.Kind, Files: v.Files, Bytes: v.Bytes, Packs: v.Packs, Mismatch: v.Mismatch()}
		if bad {
			out.Status = "failed"
		}
		if out.Packs == nil {
			out.Packs = []archive.VerifiedPack{}
		}
		a.printJSON(out)
	} else {
		a.printFindings(v.Diagnostics, nil)
		if !a.quiet {
			printVerified(a, shown, v)
		}
	}
	switch {
	case v.Mismatch():
		return &endCode{exitMismatch}
	case bad:
		return errFindings
	}
	return nil
}

func printVerified(a *app, shown string, v *archive.Verified) {
	state := "as recorded"
	if n := len(v.Diagnostics); n > 0 {
		state = fmt.Sprintf("%s findings", amount.Grouped(n))
		if n == 1 {
			state = "1 finding"
		}
	}
	t := &table{}
	t.add(v.Kind, diag.Printable(shown), fmt.Sprintf("%s files, %s: %s", amount.Grouped(v.Files), templates.Size(v.Bytes), state))
	for _, p := range v.Packs {
		t.add("tree", diag.Printable(p.Name), p.Tree)
	}
	t.write(a.stdout)
}
