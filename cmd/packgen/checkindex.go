package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

// newValidateIndex returns check --index under its former name.
func newValidateIndex(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "validate INDEX",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return diag.WithHint(errors.New("validate needs one index"), "try packgen check --index public/index.json")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return a.runCheckIndex(checkFlags{gate: gate{gateWords[0]}, index: args[0], format: "text"})
		},
	}
}

func (a *app) runCheckIndex(f checkFlags) error {
	name := f.index
	a.scope = diag.Printable("--index " + name)
	text, err := atomicfile.Read(a.Paths.Abs(name), indexjson.MaxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return diag.Absent("index", name, "run packgen build to write one")
	}
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	if err := a.Load(); err != nil {
		return err
	}
	ix, err := indexfile.ReadBeside(a.Paths.Abs(name), text)
	if err != nil {
		return repo.ReadIndexError(name, err)
	}
	findings, _ := a.Config.Policy().Apply(check.IndexFindings(a.Paths.Rel(a.Paths.Abs(name)), text, check.Issues(ix)), repo.PathOf)
	report := &checkReport{
		app: a, f: f, index: a.Paths.Rel(a.Paths.Abs(name)), indexResult: validation(loadout.Validate(ix)), Outcome: check.Outcome{Findings: findings},
	}
	report.summary = func() {
		fmt.Fprintf(a.stdout, "%s: %s, %s, %s\n", diag.Printable(name), amount.Entries(len(ix.Entries)),
			amount.Counted(diag.Count(report.Findings, diag.Error), "error"), amount.Counted(diag.Count(report.Findings, diag.Warning), "warning"))
	}
	return report.emit()
}

// validation returns the outcome in the JSON shape of the format (loadout section 17).
func validation(issues []loadout.Issue) []byte {
	errors := 0
	for i := range issues {
		if issues[i].Severity == loadout.SeverityError {
			errors++
		}
	}
	var o indexjson.Object
	o.Bool("valid", errors == 0).Number("errors", float64(errors)).Number("warnings", float64(len(issues)-errors))
	return o.Value("issues", loadout.AppendIssues(nil, issues)).JSON()
}
