package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site/build"
)

type packFlags struct {
	build.ArchiveOptions
	out string
}

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
of the repository is meant. With --sign a Sigstore bundle is written beside the
archive, as FILE.sigstore.json.`,
		Example: "  packgen pack handbook\n  packgen pack handbook --sign-key key.pem\n  packgen pack handbook --out /tmp/handbook.tar.gz\n  packgen pack handbook --dry-run --json",
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runPack(cmd.Context(), f, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "write the archive to `FILE` (default NAME.tar.gz)")
	flags.BoolVar(&f.Sources, "sources", false, "put sources/ into the archive")
	flags.BoolVar(&f.Runs, "runs", false, "put every record of runs/ into the archive")
	flags.BoolVar(&f.DryRun, "dry-run", false, "say what would be written and write nothing")
	registerSigning(flags, &f.SignOptions)
	return cmd
}

func (a *app) runPack(ctx context.Context, f packFlags, names []string) error {
	if err := a.Load(); err != nil {
		return err
	}
	r, done, err := build.PackOne(ctx, &a.Repo, f.ArchiveOptions, names, f.out)
	if err != nil {
		return err
	}
	defer r.Close()
	return a.reportPacked(f, r, done)
}

func (a *app) reportPacked(f packFlags, r *repo.Packs, done build.Archive) error {
	findings, m := r.Findings(), r.Members[0]
	failed := done.Out == ""
	if a.json {
		out := struct {
			envelope
			DryRun  bool           `json:"dry_run"`
			Archive *build.Archive `json:"archive"` // null when the compile failed
		}{envelope: envelope{
			OK: !failed, Status: r.Status(), Command: "pack", Pack: m.Name(), Findings: findingsOf(findings),
		}, DryRun: f.DryRun}
		if !failed {
			out.Archive = &done
		}
		a.printJSON(out)
	} else {
		a.printFindings(findings, r.Dirs())
		if !failed && !a.quiet {
			fmt.Fprintf(a.stdout, "%-9s  %s  %s, %s files\n%-9s  %s\n", done.Change, diag.Printable(done.Out),
				amount.Size(done.Bytes), amount.Grouped(done.Files), "tree", done.Tree)
			a.printSigner(done.Signer)
		}
	}
	if failed {
		return errFindings
	}
	return nil
}
