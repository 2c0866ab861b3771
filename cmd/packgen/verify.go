package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/elsewhere"
)

func newVerify(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify DIR|FILE|URL|REF",
		Short: "Check a published site or pack against its own records",
		Long: `verify reads every file of a published site and compares it with manifest.json, and
each of its packs with the pack's pack.json: files that are missing, changed, or
listed nowhere, tree hashes that do not fit, archives that hold something else. A
pack by itself, as a directory or an archive, is compared with its pack.json. Where
trust in packgen.yaml asks for it, the signatures of the packs are verified.

The site may be a directory or an address; a pack also a reference, such as one of a
registry, or the name of a locked one, which is fetched and verified. Exit code 3 means that a digest is not
the one recorded, 1 another finding, 2 that there is no site or pack.`,
		Example: "  packgen verify public\n  packgen verify handbook.tar.gz\n  packgen verify https://example.org/packs/\n  packgen verify oci://ghcr.io/acme/handbook:1.2",
		Args:    needsArguments(1, "one place", "try packgen verify public"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runVerify(cmd.Context(), args[0]) },
	}
	a.registerNetwork(cmd.Flags())
	return cmd
}

func (a *app) runVerify(ctx context.Context, name string) error {
	if err := a.Load(); err != nil {
		return err
	}
	st := a.newStages()
	o := archive.VerifyOptions{Visible: markdown.Visible, Progress: func(done, total int) { st.Progress("%d of %d files", done, total) }}
	place, err := elsewhere.OpenPublished(ctx, &a.Repo, name, st)
	if err != nil {
		st.End()
		return err
	}
	defer place.Close()
	o.NoList, o.Jobs = place.Remote, place.Jobs
	st.Begin("verify")
	v, err := archive.Verify(ctx, place.FS, o)
	st.End()
	if errors.Is(err, archive.ErrNotPublished) {
		return diag.WithHint(fmt.Errorf("%s is not a published site or pack: %w", place.Shown, err), "run packgen build, which writes a site into public")
	}
	if err != nil {
		return err
	}
	signed := place.Signed
	if signed == nil {
		if signed, err = elsewhere.VerifySignatures(ctx, &a.Repo, name, v); err != nil {
			return err
		}
	}
	return a.reportVerified(place.Shown, v, signed)
}

func (a *app) reportVerified(shown string, v *archive.Verified, signed []elsewhere.Signed) error {
	bad := len(v.Diagnostics) > 0
	if a.json {
		out := struct {
			envelope
			Place    string                 `json:"place"`
			Kind     string                 `json:"kind"` // site or pack
			Files    int                    `json:"files"`
			Bytes    int64                  `json:"bytes"`
			Packs    []archive.VerifiedPack `json:"packs"`
			Mismatch bool                   `json:"mismatch"` // a digest is not the recorded one
			Signed   []elsewhere.Signed     `json:"signed"`   // where trust in packgen.yaml asks for it
		}{envelope: envelope{OK: !bad, Status: schema.Passed, Command: "verify", Findings: findingsOf(v.Diagnostics)},
			Place: shown, Kind: v.Kind, Files: v.Files, Bytes: v.Bytes, Packs: v.Packs, Mismatch: v.Mismatch(), Signed: append([]elsewhere.Signed{}, signed...)}
		if bad {
			out.Status = schema.Failed
		}
		if out.Packs == nil {
			out.Packs = []archive.VerifiedPack{}
		}
		a.printJSON(out)
	} else {
		a.printFindings(v.Diagnostics, nil)
		if !a.quiet {
			printVerified(a, shown, v)
			for _, s := range signed {
				a.printSigner(s.String())
			}
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
	t := &columns.Table{}
	t.Add(v.Kind, diag.Printable(shown), fmt.Sprintf("%s files, %s: %s", amount.Grouped(v.Files), amount.Size(v.Bytes), state))
	for _, p := range v.Packs {
		t.Add("tree", diag.Printable(p.Name), p.Tree)
	}
	t.Write(a.stdout)
}
