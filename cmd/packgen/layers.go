package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/diag"
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
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runLayers(cmd.Context(), f, cmd.Flags()) },
	}
	f.register(cmd.Flags())
	return cmd
}

func (a *app) runLayers(ctx context.Context, f stackFlags, flags *pflag.FlagSet) error {
	s, err := a.readStack(ctx, f, flags, diag.Error)
	if err != nil {
		return err
	}
	if a.json {
		a.printParts(envelopeOf("layers", s.Findings), part{"result", s.Resolved()})
	} else {
		a.printFindings(s.Findings, nil)
		a.printer().Layers(s, a.Paths.Rel)
	}
	return verdict(s.Findings)
}
