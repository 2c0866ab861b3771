package main

import (
	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/schema"
)

func newSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print the JSON Schema of a file, or list all of them",
		Long: `schema prints the JSON Schema (draft 2020-12) of a file that people write or packgen
records. Without a name it lists them. Each is published under its $id too, so that an
editor completes and checks the file as it is written.`,
		Example: "  packgen schema\n  packgen schema config > config.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				text, err := schema.Text(args[0])
				if err == nil {
					a.printed(a.writeJSON(text))
				}
				return err
			}
			list, err := schema.List()
			if err != nil || a.json {
				a.printJSON(struct {
					envelope
					Schemas []schema.Listed `json:"schemas"`
				}{envelopeOf("schema", nil), list})
				return err
			}
			t := &columns.Table{}
			for _, s := range list {
				t.Add(s.Name, s.Description)
			}
			t.Write(a.stdout)
			return nil
		},
	}
}
