package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/elsewhere"
)

func newPruneCache(a *app) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Remove cached packs that this repository does not lock",
		Long: `cache removes every pack from the cache but those in the packgen.lock of this
repository and those that another process reads at the moment. Other
repositories of the same user fetch theirs again when they need them.

The cache is packgen/artifacts in the user's cache directory, or
$PACKGEN_CACHE_DIR.`,
		Example: "  packgen prune cache --dry-run",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runPruneCache(cmd.Context(), dryRun) },
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "list what would be removed and remove nothing")
	return cmd
}

func (a *app) runPruneCache(ctx context.Context, dryRun bool) error {
	if err := a.Load(); err != nil {
		return err
	}
	e, err := elsewhere.New(&a.Repo, true)
	if err != nil {
		return err
	}
	result, err := e.Cache.Prune(ctx, remote.PruneOptions{Keep: e.Lock.References, DryRun: dryRun})
	if err != nil {
		return elsewhere.ExplainCache(err)
	}
	if a.json {
		a.printJSON(struct {
			envelope
			DryRun  bool                `json:"dry_run"`
			Cache   string              `json:"cache"`
			Removed []remote.PrunedTree `json:"removed"`
			Kept    int                 `json:"kept"`
			InUse   int                 `json:"in_use"`
			Bytes   int64               `json:"bytes"`
		}{
			envelopeOf("prune cache", nil), dryRun, e.Cache.Dir(),
			append([]remote.PrunedTree{}, result.Removed...), result.Kept, result.InUse, result.Bytes,
		})
		return nil
	}
	if a.quiet {
		return nil
	}
	for _, p := range result.Removed {
		name := p.Pack
		if name == "" {
			name = "unknown"
		}
		fmt.Fprintf(a.stdout, "removed  %s  %s  %s, %s\n", p.Name[:min(len(p.Name), 12)], diag.Printable(name), amount.Counted(p.Files, "file"), amount.Size(p.Bytes))
	}
	verb := "removed"
	if dryRun {
		verb = "would remove"
	}
	fmt.Fprintf(a.stdout, "%s %s, %s; kept %d locked, %d in use\n", verb, amount.Counted(len(result.Removed), "pack"), amount.Size(result.Bytes), result.Kept, result.InUse)
	return nil
}
