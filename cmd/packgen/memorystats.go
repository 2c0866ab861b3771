package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/memory"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

func newMemoryStats(a *app) *cobra.Command {
	var f memoryFlags
	cmd := &cobra.Command{
		Use:     "stats MEMORY.md|DIR",
		Short:   "Count the tokens of a store",
		Long:    "stats counts what a store holds, what of it always loads and what on demand, and\nlists the largest topics.",
		Example: "  packgen memory stats memory/MEMORY.md",
		Args:    needsMemory,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runMemoryStats(cmd.Context(), f, args[0]) },
	}
	cmd.Flags().BoolVar(&f.Outside, "outside", false, "also read files beside the store, below the directory above it")
	return cmd
}

func (a *app) runMemoryStats(ctx context.Context, f memoryFlags, name string) error {
	s, err := memory.Read(ctx, &a.Repo, f.Source, name)
	if err != nil {
		return err
	}
	st := s.Stats()
	if a.json {
		a.printParts(envelopeOf("memory stats", nil), part{"result", st.JSON()})
		return nil
	}
	fmt.Fprintf(a.stdout, "%s: %s\n%s\n\n", diag.Printable(s.Shown), st.Tokens(), st.Entries())
	t := &columns.Table{Right: map[int]bool{1: true}}
	t.Add("LARGEST", "TOKENS", "PRIORITY")
	for _, e := range st.Largest {
		t.Add(diag.Printable(e.ID), indexjson.Rounded(e.TokensEst), e.Priority)
	}
	t.Write(a.stdout)
	return nil
}

func newMemoryHealth(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "health [MEMORY.md|DIR]",
		Short:   "Look for stores of memories",
		Long:    "health says where stores are: in the repository, in its .claude, and those that\nagents keep: below projects of the directory that CLAUDE_CONFIG_DIR names, otherwise\nof .claude in the home directory.",
		Example: "  packgen memory health",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			named := ""
			if len(args) > 0 {
				named = a.Paths.Abs(a.Paths.Given(args[0]))
			}
			h := memory.Look(named, a.Paths.Dir, a.claudeDir())
			if a.json {
				a.printParts(envelopeOf("memory health", nil), part{"result", h})
				return nil
			}
			for _, line := range h.Lines(a.Paths.Rel) {
				fmt.Fprintln(a.stdout, diag.Printable(line))
			}
			return nil
		},
	}
}
