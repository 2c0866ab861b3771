package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/nearest"
)

// suggestVerb adds the nearest verb to the error about one that does not exist.
func suggestVerb(cmd *cobra.Command, err error) error {
	var name string
	if n, _ := fmt.Sscanf(err.Error(), "unknown command %q for", &name); n == 0 || cmd == nil {
		return err
	}
	var verbs []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			verbs = append(verbs, c.Name())
		}
	}
	if near := nearest.Name(name, verbs); near != "" {
		return withHint(err, "Did you mean %s?", near)
	}
	return withHint(err, "Run %q for the commands.", cmd.CommandPath()+" --help")
}
