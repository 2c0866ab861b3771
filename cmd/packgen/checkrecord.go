package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/check"
)

// runCheckRecord checks the record of the flag and those that a shell expanded into
// arguments.
func (a *app) runCheckRecord(cmd *cobra.Command, f checkFlags, args []string) error {
	for _, other := range [...]string{"index", "out", "fix", "explain", "dry-run", "all"} {
		if cmd.Flags().Changed(other) {
			return diag.WithHint(fmt.Errorf("--record and --%s contradict each other", other), "leave one of them out")
		}
	}
	if f.format != "text" && f.format != "json" {
		return diag.WithHint(fmt.Errorf("--record has no format %s", f.format), "write text or json")
	}
	if cmd.Flags().Changed("schema") {
		if err := oneOf("--schema", f.schema, schema.Kinds()...); err != nil {
			return err
		}
	}
	a.json = f.format == "json"
	for i, name := range args {
		args[i] = a.Paths.Given(name) // flag values are resolved already
	}
	return a.checkRecords(append(slices.Clone(f.records), args...), schema.Kind(f.schema), f.gate)
}

// newValidateRun returns check --record under its former name.
func newValidateRun(a *app) *cobra.Command {
	var kind string
	var strict bool
	cmd := &cobra.Command{
		Use: "validate-run FILE...",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return diag.WithHint(errors.New("validate-run needs a file"), "try packgen check --record packs/handbook/runs/*.json")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			g := gate{gateWords[0]}
			if strict {
				g.failOn = diag.Warning.String()
			}
			if cmd.Flags().Changed("schema") {
				if err := oneOf("--schema", kind, schema.Kinds()...); err != nil {
					return err
				}
			}
			for i, name := range args {
				args[i] = a.Paths.Given(name)
			}
			return a.checkRecords(args, schema.Kind(kind), g)
		},
	}
	cmd.Flags().StringVar(&kind, "schema", "", "the `NAME` of the schema, instead of what the file suggests")
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with 1 for what is only reported too")
	return cmd
}

// checkRecords checks each file, named from the repository root. An empty kind is inferred
// from the file.
func (a *app) checkRecords(names []string, kind schema.Kind, g gate) error {
	files, findings, err := check.ValidateFiles(&a.Repo, names, kind)
	if err != nil {
		return err
	}
	if a.json {
		out := struct {
			envelope
			Schema schema.Kind           `json:"schema,omitempty"` // only when there is one file
			Files  []check.ValidatedFile `json:"files"`
		}{envelope: envelope{OK: true, Status: schema.Passed, Command: "check", Findings: findingsOf(findings)}, Files: files}
		if len(findings) > 0 {
			out.Status = schema.NeedsReview
		}
		if diag.Count(findings, diag.Error) > 0 {
			out.OK, out.Status = false, schema.Failed
		}
		if len(files) == 1 {
			out.Schema = files[0].Schema
		}
		a.printJSON(out)
	} else {
		a.printFindings(findings, nil)
		if !a.quiet {
			t := &columns.Table{}
			t.Add("FILE", "SCHEMA", "STATUS")
			for _, f := range files {
				t.Add(diag.Printable(f.Path), string(f.Schema), f.Status)
			}
			t.Write(a.stdout)
		}
	}
	if g.closed(findings) {
		return errFindings
	}
	return nil
}
