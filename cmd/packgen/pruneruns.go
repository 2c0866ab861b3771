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
