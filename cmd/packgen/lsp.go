package main

import (
	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/resolver/editor"
)

func newLSP(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Help in an editor while a pack is written, over the Language Server Protocol",
		Long: `lsp talks to an editor on standard input and output. It writes no file itself.
Editors start it.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return editor.Serve(cmd.Context(), &a.Repo, compiler.Version, a.stdin, a.stdout)
		},
	}
}
