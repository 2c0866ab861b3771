package main

import (
	"context"
	"fmt"
	"path"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/elsewhere"
	"github.com/packgen/packgen/resolver/repo"
)

func newPrune(a *app) *cobra.Command {
	return grouping("", &cobra.Command{Use: "prune", Short: "Remove what is no longer needed: old run records, cached packs"}, newPruneCache(a), newPruneRuns(a))
}

func newPruneRuns(a *app) *cobra.Command {
	var dryRun bool
	var overlay string
	cmd := &cobra.Command{
		Use:   "runs [pack...]",
		Short: "Remove compile runs that no later compile needs",
		Long: `runs removes records of compile runs below runs/ of packs. It keeps the newest
run, which holds what every claim rested on when it was made, and what it cannot
read. Where the newest record is of another tool, all stay. No claim has another
status afterwards. With runs.keep in packgen.yaml each compile does the like.`,
		Example: "  packgen prune runs --dry-run\n  packgen prune runs handbook",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runPrune(cmd.Context(), args, overlay, dryRun) },
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "list what would be removed and remove nothing")
	cmd.Flags().StringVar(&overlay, "overlay", "", "prune the runs below `DIR`, where compile --overlay wrote them")
	return cmd
}

func (a *app) runPrune(ctx context.Context, names []string, overlay string, dryRun bool) error {
	if err := a.Load(); err != nil {
		return err
	}
	chosen, packs, err := repo.PruneRuns(ctx, &a.Repo, names, overlay, dryRun)
	if err != nil {
		return err
	}
	defer chosen.Close()
	return a.reportPrune(chosen, packs, dryRun)
}

// reportPrune prints the outcome. The only findings are about packs that could not be read.
func (a *app) reportPrune(r *repo.Packs, packs []repo.PrunedPack, dryRun bool) error {
	var findings []diag.Diagnostic
	findings = append(findings, r.Faults...)
	for _, m := range r.Members {
		if m.Broken() {
			findings = append(findings, m.Findings()...)
		}
	}
	diag.Sort(findings)
	bad := diag.Count(findings, diag.Error) > 0
	if a.json {
		a.printJSON(struct {
			envelope
			DryRun bool              `json:"dry_run"`
			Packs  []repo.PrunedPack `json:"packs"`
		}{envelopeOf("prune runs", findings), dryRun, append([]repo.PrunedPack{}, packs...)})
	} else {
		a.printFindings(findings, r.Dirs())
		a.printPruned(packs, dryRun)
	}
	if bad {
		return errFindings
	}
	return nil
}

func (a *app) printPruned(packs []repo.PrunedPack, dryRun bool) {
	if a.quiet {
		return
	}
	for _, p := range packs {
		if a.verbose {
			for _, k := range p.Kept {
				fmt.Fprintf(a.stdout, "kept     %s  %s\n", diag.Printable(path.Join(p.Dir, k.Path)), k.Why)
			}
		}
		if dryRun || a.verbose {
			for _, name := range p.Removed {
				fmt.Fprintf(a.stdout, "removed  %s\n", diag.Printable(path.Join(p.Dir, name)))
			}
		}
	}
	t := &columns.Table{Right: map[int]bool{1: true, 2: true, 3: true}}
	t.Add("PACK", "KEPT", "REMOVED", "SIZE")
	for _, p := range packs {
		runs := 0 // each with a ledger
		for _, name := range p.Removed {
			if schema.RunLedgerPath(name) != "" {
				runs++
			}
		}
		t.Add(diag.Printable(p.Pack), amount.Grouped(len(p.Kept)), amount.Grouped(runs), amount.Size(p.Bytes))
	}
	t.Write(a.stdout)
}

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
