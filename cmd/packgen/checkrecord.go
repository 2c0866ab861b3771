package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/check"
)

// maxRecord is the largest record that is read, in bytes.
const maxRecord = 64 << 20

// runCheckRecord checks records; those after the first are arguments, as a shell
// writes out a pattern.
func (a *app) runCheckRecord(cmd *cobra.Command, f checkFlags, args []string) error {
	for _, other := range [...]string{"index", "out", "fix", "explain", "dry-run", "all"} {
		if cmd.Flags().Changed(other) {
			return diag.WithHint(fmt.Errorf("--record and --%s contradict each other", other), "Leave one of them out.")
		}
	}
	if f.format != "text" && f.format != "json" {
		return diag.WithHint(fmt.Errorf("--record has no format %s", f.format), "Its formats are text and json.")
	}
	if cmd.Flags().Changed("schema") {
		if err := oneOf("--schema", f.schema, schema.Kinds()...); err != nil {
			return err
		}
	}
	a.json = f.format == "json"
	for i, name := range args {
		args[i] = a.Given(name) // those of the flag are settled already
	}
	return a.checkRecords(append(slices.Clone(f.records), args...), schema.Kind(f.schema), f.gate)
}

// newValidateRun is check --record under the name that it has elsewhere.
func newValidateRun(a *app) *cobra.Command {
	var kind string
	var strict bool
	cmd := &cobra.Command{
		Use: "validate-run FILE...",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return diag.WithHint(errors.New("validate-run needs a file"), "For example: packgen check --record packs/handbook/runs/*.json")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			g := gate{gateWords[0]}
			if strict {
				g.failOn = "warning"
			}
			if cmd.Flags().Changed("schema") {
				if err := oneOf("--schema", kind, schema.Kinds()...); err != nil {
					return err
				}
			}
			for i, name := range args {
				args[i] = a.Given(name)
			}
			return a.checkRecords(args, schema.Kind(kind), g)
		},
	}
	cmd.Flags().StringVar(&kind, "schema", "", "the `NAME` of the schema, instead of what the file suggests")
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with 1 for what is only reported too")
	return cmd
}

// validatedFile is what the envelope says about one file.
type validatedFile struct {
	Path   string      `json:"path"`
	Schema schema.Kind `json:"schema"` // "" when it cannot be told
	Status string      `json:"status"` // valid, invalid, skipped
}

// checkRecords checks each file, named from the repository root. kind is "" to infer
// it.
func (a *app) checkRecords(names []string, kind schema.Kind, g gate) error {
	findings := []diag.Diagnostic{}
	files := make([]validatedFile, 0, len(names))
	for _, name := range names {
		shown := a.Rel(a.Path(name))
		data, err := atomicfile.Read(a.Path(name), maxRecord)
		if errors.Is(err, fs.ErrNotExist) {
			return diag.WithHint(fmt.Errorf("no file %s", name), "Run records lie in runs/ of a pack.")
		}
		if err != nil {
			return fmt.Errorf("read record %s: %w", name, err)
		}
		file, fault := validateFile(shown, data, kind)
		files = append(files, file)
		if fault != nil {
			findings = append(findings, *fault)
		}
	}
	diag.Sort(findings)
	if a.json {
		out := struct {
			envelope
			Schema schema.Kind     `json:"schema,omitempty"` // of the only file
			Files  []validatedFile `json:"files"`
		}{envelope: envelope{OK: true, Status: "passed", Command: "check", Findings: findingsOf(findings)}, Files: files}
		if len(findings) > 0 {
			out.Status = "needs-review"
		}
		if diag.Count(findings, diag.Error) > 0 {
			out.OK, out.Status = false, "failed"
		}
		if len(files) == 1 {
			out.Schema = files[0].Schema
		}
		a.printJSON(out)
	} else {
		a.printFindings(findings, nil)
		if !a.quiet {
			t := &table{}
			t.add("FILE", "SCHEMA", "STATUS")
			for _, f := range files {
				t.add(diag.Printable(f.Path), string(f.Schema), f.Status)
			}
			t.write(a.stdout)
		}
	}
	if g.closed(findings) {
		return errFindings
	}
	return nil
}

// validateFile checks one record; the finding is nil when it fits.
func validateFile(shown string, data []byte, kind schema.Kind) (validatedFile, *diag.Diagnostic) {
	file := validatedFile{Path: shown, Schema: kind, Status: "invalid"}
	var err error
	if kind == "" {
		if file.Schema, err = schema.Infer(shown, data); err != nil {
			return file, &diag.Diagnostic{
				ID: "schema-invalid", Severity: diag.Error, Path: shown,
				Message: "Neither the file name nor its keys tell which record this is.", Hint: "name the schema with --schema",
			}
		}
	}
	err = schema.Validate(file.Schema, data)
	var foreign *schema.ForeignError
	switch {
	case err == nil:
		file.Status = "valid"
		return file, misnamedRun(file.Schema, shown, data)
	case errors.As(err, &foreign) && kind != "":
		return file, &diag.Diagnostic{
			ID: "schema-invalid", Severity: diag.Error, Path: shown,
			Message: fmt.Sprintf("The record has none of the fields of %s.", kind), Hint: "leave --schema out to tell it from its name and keys",
		}
	case errors.As(err, &foreign):
		file.Status = "skipped"
		return file, &diag.Diagnostic{
			ID: "schema-invalid", Severity: diag.Warning, Path: shown,
			Message: fmt.Sprintf("The record is none of %s; another tool wrote it.", foreign.Kind), Hint: "it is skipped",
		}
	}
	fault := schemaFault("", shown, err)
	return file, &fault
}

// misnamedRun reports a compile run under the name of another one. Under a name
// that is none of a run it is only a copy.
func misnamedRun(kind schema.Kind, shown string, data []byte) *diag.Diagnostic {
	if kind != schema.KindCompileRun || !strings.HasPrefix(filepath.Base(shown), "compile-") {
		return nil
	}
	run, err := schema.DecodeRun(data)
	if err != nil {
		return nil
	}
	return check.Misnamed(run, shown)
}
