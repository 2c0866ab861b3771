package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/workspace"
)

func newLayers(a *app) *cobra.Command {
	var f stackFlags
	cmd := &cobra.Command{
		Use:   "layers",
		Short: "Show the layers of the loadout and what they merge to",
		Long: `layers shows where the layers of the loadout are looked for, which were found,
and the entries they merge to: global, org, project, session; a later one wins.

A missing layer is normal. One that cannot be used is reported, and
the exit code is 1.`,
		Example: "  packgen layers\n  packgen layers --org handbook/index.json --json",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runLayers(f, cmd.Flags()) },
	}
	f.register(cmd.Flags())
	return cmd
}

func (a *app) runLayers(f stackFlags, flags *pflag.FlagSet) error {
	s, err := a.readStack(f, flags, diag.Error)
	if err != nil {
		return err
	}
	if a.json {
		a.printParts(envelopeOf("layers", s.Findings), part{"result", s.Resolved()})
	} else {
		a.printFindings(s.Findings, nil)
		a.printLayers(s)
	}
	if diag.Count(s.Findings, diag.Error) > 0 {
		return errFindings
	}
	return nil
}

func (a *app) printLayers(s *workspace.Stack) {
	t := &columns.Table{Right: map[int]bool{2: true, 3: true}}
	t.Add("LAYER", "STATE", "ENTRIES", "TOKENS", "PATH")
	for _, at := range s.Searched {
		state, entries, sum := "missing", "", ""
		switch layer := s.Layer(at.Name); {
		case at.Malformed:
			state = "malformed"
		case layer != nil:
			state, entries, sum = "loaded", amount.Grouped(len(layer.Index.Entries)), amount.Grouped(int64(sumTokens(layer.Index.Entries)))
		}
		t.Add(at.Name, state, entries, sum, diag.Printable(a.Rel(at.Path)))
	}
	t.Write(a.stdout)
	if len(s.Merged.Entries) == 0 || a.quiet {
		return
	}
	fmt.Fprintln(a.stdout)
	t = &columns.Table{Right: map[int]bool{2: true}}
	t.Add("ENTRY", "PRIORITY", "TOKENS", "FROM")
	for i := range s.Merged.Entries {
		e := &s.Merged.Entries[i]
		t.Add(diag.Printable(idText(e)), orUnset(e.Priority), tokens(e), diag.Printable(s.Merged.Provenance[i].Layer))
	}
	t.Write(a.stdout)
	a.printBudget(s.Merged.Budget)
	a.printConflicts(s.Merged.Conflicts)
}

// idText returns the id of an entry, even one that is a number.
func idText(e *loadout.Entry) string {
	if e.ID == "" {
		return e.JSON().Get("id").Text()
	}
	return e.ID
}

// sumTokens sums the estimates of entries; a missing one counts as zero.
func sumTokens(entries []loadout.Entry) float64 {
	sum := 0.0
	for i := range entries {
		if e := entries[i].TokensEst; !math.IsNaN(e) {
			sum += e
		}
	}
	return sum
}
