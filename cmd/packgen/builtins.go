package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// settleBuiltins makes cobra's help and completion commands follow the rules of the others:
// an unknown name is wrong use and gets a suggestion.
func settleBuiltins(root *cobra.Command) {
	root.SetHelpCommandGroupID(otherGroup)
	root.SetCompletionCommandGroupID(otherGroup)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Short, cmd.Run, cmd.RunE = "Explain a command", nil, explainCommand
		case "completion":
			cmd.Short = "Print a completion script for a shell"
			cmd.Args = needsSubcommand("", "bash", "fish", "powershell", "zsh")
			cmd.RunE = func(*cobra.Command, []string) error { return nil }
		}
	}
}

// explainCommand prints the help of the command that the arguments name.
func explainCommand(cmd *cobra.Command, args []string) error {
	named := cmd.Root()
	for _, name := range args {
		verbs := map[string]*cobra.Command{}
		for _, c := range named.Commands() {
			if c.IsAvailableCommand() {
				verbs[c.Name()] = c
			}
		}
		below := verbs[name]
		if below == nil {
			return suggestVerb(named, fmt.Errorf("unknown command %q for %q", name, named.CommandPath()))
		}
		named = below
	}
	named.InitDefaultHelpFlag()
	return named.Help()
}
