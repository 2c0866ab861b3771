package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
)

// newVersion is the version verb.
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
				}{envelope{OK: true, Status: "passed", Command: "version", Findings: []finding{}}, compiler.Version, runtime.Version()})
				return nil
			}
			fmt.Fprintf(a.stdout, "packgen %s\n", compiler.Version)
			return nil
		},
	}
}

// noArguments refuses arguments to a verb that takes none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return diag.WithHint(fmt.Errorf("%s takes no arguments, found %q", cmd.CommandPath(), args[0]), "run %q for what it takes", cmd.CommandPath()+" --help")
	}
	return nil
}
