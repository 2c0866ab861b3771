package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/elsewhere"
)

func newLock(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lock",
		Short: "List, update and remove what packgen.lock holds",
		Args:  needsSubcommand("", "list", "update", "remove"),
		RunE:  func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(&cobra.Command{
		Use: "list", Short: "List the references of packgen.lock", Args: cobra.NoArgs, Example: "  packgen lock list --json",
		RunE: func(*cobra.Command, []string) error { return a.runLockList() },
	}, newLockUpdate(a), newLockRemove(a))
	return cmd
}

func newLockUpdate(a *app) *cobra.Command {
	f := pullFlags{PullOptions: elsewhere.PullOptions{Update: true}}
	cmd := &cobra.Command{
		Use:   "update [REF...]",
		Short: "Lock what references mean now, and sum up what changed",
		Long: `update asks again what references of packgen.lock mean, all of them without REF, and
locks that. It prints Markdown, for a pull request, of what changed: the version, the
signer, the size and the findings of each pack, before and after, and what the tasks of
evals/routing.yaml select with one and with the other.`,
		Example: "  packgen lock update --dry-run\n  packgen lock update handbook > summary.md",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runPull(cmd.Context(), f, args) },
	}
	cmd.Flags().BoolVar(&f.DryRun, "dry-run", false, "say what would change and write nothing")
	f.registerFrozen(cmd.Flags())
	cmd.Flags().BoolVar(&f.Downgrade, "allow-downgrade", false, "take a pack that is older than the one that is locked, is another one, or has no version to compare")
	f.registerFailOn(cmd.Flags())
	a.registerNetwork(cmd.Flags())
	return cmd
}

func newLockRemove(a *app) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use: "remove REF...", Short: "Take references out of packgen.lock", Example: "  packgen lock remove handbook",
		RunE: func(cmd *cobra.Command, args []string) error { return a.runLockRemove(cmd.Context(), args, dryRun) },
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be removed and write nothing")
	return cmd
}

func (a *app) runLockList() error {
	if err := a.Load(); err != nil {
		return err
	}
	e, err := elsewhere.New(&a.Repo, true) // which opens nothing until it is asked
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(struct {
			envelope
			References []schema.LockedRef `json:"references"`
		}{envelopeOf("lock list", nil), append([]schema.LockedRef{}, e.Lock.References...)})
		return nil
	}
	t := &columns.Table{}
	t.Add("PACK", "VERSION", "SOURCE", "TREE", "REFERENCE")
	for _, r := range e.Lock.References {
		t.Add(diag.Printable(r.Pack), diag.Printable(cmp.Or(r.Version, "-")), r.Source, r.Tree, diag.Printable(r.Ref))
	}
	if len(e.Lock.References) > 0 {
		t.Write(a.stdout)
	}
	return nil
}

func (a *app) runLockRemove(ctx context.Context, texts []string, dryRun bool) error {
	if err := a.Load(); err != nil {
		return err
	}
	e, err := elsewhere.New(&a.Repo, true)
	if err != nil {
		return err
	}
	refs, err := e.Remove(ctx, texts, dryRun)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(struct {
			envelope
			DryRun  bool     `json:"dry_run"`
			Removed []string `json:"removed"`
		}{envelopeOf("lock remove", nil), dryRun, refs})
		return nil
	}
	for _, ref := range refs {
		fmt.Fprintf(a.stdout, "removed  %s\n", diag.Printable(ref))
	}
	return nil
}
