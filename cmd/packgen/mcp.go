package main

import (
	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/resolver/agent/mcp"
)

func newMCP(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve the packs to an agent over the Model Context Protocol",
		Long: `mcp answers an agent on standard input and output, until the input ends: tools that
select context for a task, match the index and read texts, the catalog as resources,
and a prompt that brings a pack into use. It reads the packs of this repository as
they are at each request, and changes nothing in them.

Agents start it by themselves once their settings name it.`,
		Example: "  packgen mcp\n  packgen mcp -C ~/knowledge",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return mcp.Serve(cmd.Context(), mcp.New(&a.Workspace, compiler.Version), a.stdin, a.stdout)
		},
	}
}
