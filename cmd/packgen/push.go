package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/remote/elsewhere"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/registry"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site/build"
)

func newPush(a *app) *cobra.Command {
	var f build.PushOptions
	cmd := &cobra.Command{
		Use:   "push REF [PACK]",
		Short: "Write packs to a registry of containers",
		Long: `push compiles a pack and writes it to a registry: pack.json as the config, the
archive as the one layer, and a manifest of the type ` + fetch.PackType + `.
Without PACK, the only pack of the repository is meant. With --catalog every pack is
written, and a catalog of them gets the tag: packgen pull oci://HOST/NAME#PACK.

REF is oci://HOST/NAME[:TAG]; without a tag it is latest. What the registry has is
not sent again, and the same pack has the same digest. The login comes from
PACKGEN_TOKEN_HOST, Docker's configuration and its helpers (docker login), or .netrc.
With --sign a Sigstore bundle of each pack is attached to it.`,
		Example: "  packgen push oci://ghcr.io/acme/handbook:1.2 --tag latest\n  packgen push --catalog oci://ghcr.io/acme/packs",
		Args:    cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return diag.WithHint(errors.New("push needs a reference to a registry"), "try packgen push oci://ghcr.io/acme/handbook:1.2")
			}
			if f.Ref = args[0]; f.All && len(args) > 1 {
				return diag.WithHint(fmt.Errorf("--catalog writes every pack, and %s is named", diag.Printable(args[1])), "leave out one of the two")
			}
			return a.runPush(cmd.Context(), f, args[1:])
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.All, "catalog", false, "write every pack, and a catalog of them")
	flags.StringArrayVar(&f.Tags, "tag", nil, "also give it this `TAG`; may be repeated")
	flags.StringVar(&f.Source, "source", "", "note the `ADDRESS` where the packs are worked on (default: the repository, in CI of GitHub and GitLab)")
	flags.BoolVar(&f.Sources, "sources", false, "put sources/ into the archives")
	flags.BoolVar(&f.Runs, "runs", false, "put every record of runs/ into the archives")
	flags.BoolVar(&f.DryRun, "dry-run", false, "say what would be written, with its digests, and ask no server")
	alsoNamed(cmd, map[string]string{"all": "catalog"})
	registerSigning(flags, &f.SignOptions)
	a.registerNetwork(flags)
	return cmd
}

func (a *app) runPush(ctx context.Context, f build.PushOptions, names []string) error {
	if err := a.Load(); err != nil {
		return err
	}
	to, err := elsewhere.TargetOf(&a.Repo, f.Ref, f.Tags)
	if err != nil {
		return err
	}
	var list []registry.Pushed
	r, err := build.Push(ctx, &a.Repo, f, names, func(ready []build.Pushable) (err error) {
		packs := make([]registry.Pack, len(ready))
		for i, p := range ready {
			packs[i] = registry.Pack(p)
		}
		list, err = to.Push(ctx, packs, f.All, f.DryRun)
		return err
	})
	if err != nil {
		return err
	}
	defer r.Close()
	return a.reportPush(f, r, list)
}

func (a *app) reportPush(f build.PushOptions, r *repo.Packs, list []registry.Pushed) error {
	findings := r.Findings()
	if a.json {
		a.printJSON(struct {
			envelope
			DryRun bool              `json:"dry_run"`
			Ref    string            `json:"ref"`
			Pushed []registry.Pushed `json:"pushed"` // the catalog, which has no name, last
		}{envelope{OK: len(list) > 0, Status: r.Status(), Command: "push", Findings: findingsOf(findings)}, f.DryRun, f.Ref, append([]registry.Pushed{}, list...)})
	} else {
		a.printFindings(findings, r.Dirs())
		t := &columns.Table{Right: map[int]bool{1: true, 2: true}}
		t.Add("PACK", "SIZE", "SENT", "DIGEST")
		for _, p := range list {
			t.Add(cmp.Or(p.Name, "(catalog)"), amount.Size(p.Bytes), amount.Size(p.Uploaded), p.Digest)
		}
		if len(list) > 0 && !a.quiet {
			t.Write(a.stdout)
			a.printSigner(list[0].Signer)
		}
	}
	if len(list) == 0 {
		return errFindings
	}
	return nil
}
