package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
)

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				a.printJSON(struct {
					envelope
					Version string `json:"version"`
					Go      string `json:"go"`
				}{envelopeOf("version", nil), compiler.Version, runtime.Version()})
				return nil
			}
			fmt.Fprintf(a.stdout, "packgen %s\n", compiler.Version)
			return nil
		},
	}
}

// noArguments refuses arguments to a command that takes none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return diag.WithHint(fmt.Errorf("%s takes no arguments, found %q", cmd.CommandPath(), args[0]), "run %q for what it takes", cmd.CommandPath()+" --help")
	}
	return nil
}

// needsArguments refuses another number of arguments than n.
func needsArguments(n int, what, hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return diag.WithHint(fmt.Errorf("%s needs %s", cmd.Name(), what), "%s", hint)
		}
		return nil
	}
}
