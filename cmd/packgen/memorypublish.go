package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/memory"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

type publishFlags struct {
	store, out string
	outside    bool
	empty      bool
	dryRun     bool
}

func newMemoryPublish(a *app) *cobra.Command {
	var f publishFlags
	cmd := &cobra.Command{
		Use:   "publish [MEMORY.md|DIR]",
		Short: "Publish the index of a MEMORY.md store to the global layer",
		Long: `publish makes the index of a store again, checks it, and publishes it with
absolute paths where the prompt hook and the other commands look for the global
layer. A reference without its file is left out with a warning. Without a store, and without a MEMORY.md in the repository, the stores that
Claude Code keeps below projects of its directory are published as one. The
index as it was is kept as index.json.bak. A store with an error is not
published, and neither is an index without entries over one that has some. At any
moment a reader finds the whole old index or the whole new one.`,
		Example: "  packgen memory publish ~/.claude/projects/work/memory\n  packgen memory publish memory --dry-run",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && f.store != "" {
				return diag.WithHint(errors.New("the store is named twice"), "leave --store out")
			}
			if len(args) > 0 {
				f.store = args[0]
			}
			return a.runMemoryPublish(cmd.Context(), f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.store, "store", "", "`DIR` of the MEMORY.md, or that file (default the repository root, otherwise all stores that agents keep)")
	flags.StringVar(&f.out, "out", "", "index `FILE` to publish (default .ai-loadout/index.json in the home directory)")
	flags.BoolVar(&f.outside, "outside", false, "also read files beside the store, below the directory above it")
	flags.BoolVar(&f.empty, "allow-empty", false, allowEmptyUsage)
	flags.BoolVar(&f.dryRun, "dry-run", false, "write nothing")
	return cmd
}

func (a *app) runMemoryPublish(ctx context.Context, f publishFlags) error {
	if err := checkIndexName("out", f.out); err != nil {
		return err
	}
	dest, err := a.homeFile("out", f.out, globalIndex)
	if err != nil {
		return err
	}
	at, err := repo.IndexTime(a.Getenv)
	if err != nil {
		return err
	}
	o := memory.RefreshOptions{
		Store: a.Paths.Abs(f.store), Dest: dest, Agents: a.claudeDir(), At: at, DryRun: f.dryRun, AllowEmpty: f.empty, Outside: f.outside,
	}
	r, err := memory.RefreshFound(ctx, o, f.store == "")
	var missing *memory.MissingError
	switch {
	case errors.As(err, &missing):
		return diag.Absent("MEMORY.md", a.Paths.Rel(missing.Path), "name the MEMORY.md of a store, or its directory")
	case errors.Is(err, memory.ErrBusy):
		return diag.WithHint(fmt.Errorf("publish the index: %w", err), "wait for it, or stop it; the published index is whole")
	case err != nil && unreadableIndex(dest):
		return diag.WithHint(fmt.Errorf("publish the index: %w", err), "move %s away: it is not an index; or name another one with --out", a.Paths.Rel(dest))
	case err != nil:
		return diag.WithHint(fmt.Errorf("publish the index: %w", err), "make the places it writes to writable and free space on their disks, or name another index with --out; the published index is complete, either old or new")
	}
	findings := append(memory.Findings(a.Paths.Rel(r.MemoryMD), r.Analysis, r.IndexIssues), memory.IssueFindings(a.Paths.Rel(r.MemoryMD), r.Refusals)...)
	if a.json {
		a.printParts(envelopeOf("memory publish", findings), part{"result", r.JSON()})
	} else {
		a.printFindings(findings, nil)
		a.printRefreshed(r)
	}
	if r.Errors() > 0 {
		return errFindings
	}
	return nil
}

// unreadableIndex reports whether the target exists but is not a file that could be backed up.
func unreadableIndex(name string) bool {
	info, err := os.Stat(name)
	return err == nil && (!info.Mode().IsRegular() || info.Size() > indexjson.MaxIndex)
}

func (a *app) printRefreshed(r *memory.Refreshed) {
	dest := diag.Printable(a.Paths.Rel(r.Dest))
	switch {
	case r.Errors() > 0:
		fmt.Fprintf(a.stdout, "%s: %s, nothing written\n", dest, amount.Counted(r.Errors(), "validation error"))
	case r.DryRun:
		fmt.Fprintf(a.stdout, "%s: %s, %s made absolute, not written (dry run)\n", dest, amount.Entries(r.EntryCount), amount.Counted(r.PathsRewritten, "path"))
	case !a.quiet:
		fmt.Fprintf(a.stdout, "%s: %s, %s made absolute\n", dest, amount.Entries(r.EntryCount), amount.Counted(r.PathsRewritten, "path"))
		if r.BackupPath != "" {
			fmt.Fprintf(a.stdout, "the index as it was: %s\n", diag.Printable(filepath.Base(r.BackupPath)))
		}
	}
}
