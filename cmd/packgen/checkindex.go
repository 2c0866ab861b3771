package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/workspace"
)

// runCheckIndex checks one index.
func (a *app) runCheckIndex(f checkFlags) error {
	name := f.index
	if err := checkFlagValue("index", name); err != nil {
		return err
	}
	a.scope = diag.Printable("--index " + name)
	text, err := workspace.ReadLimited(a.Path(name), indexjson.MaxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return diag.WithHint(fmt.Errorf("no index at %s", name), "Run packgen build to write one.")
	}
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	if _, err := a.LoadConfig(); err != nil {
		return err
	}
	ix, err := indexjson.Read(text)
	if err != nil {
		return workspace.ReadIndexError(name, err)
	}
	findings, _ := a.Policy.Apply(indexFindings(a.Rel(a.Path(name)), text, check.Issues(ix)), workspace.PathOf)
	report := &checkReport{
		app: a, f: f, index: a.Rel(a.Path(name)), indexResult: validation(loadout.Validate(ix)), findings: findings,
	}
	report.summary = func() {
		fmt.Fprintf(a.stdout, "%s: %s, %s, %s\n", diag.Printable(name), amount.Entries(len(ix.Entries)),
			amount.Counted(diag.Count(report.findings, diag.Error), "error"), amount.Counted(diag.Count(report.findings, diag.Warning), "warning"))
	}
	return report.emit()
}

// validation is the outcome in the original's shape (loadout section 17).
func validation(issues []loadout.Issue) []byte {
	errors := 0
	for i := range issues {
		if issues[i].Severity == loadout.SeverityError {
			errors++
		}
	}
	out := fmt.Appendf(nil, `{"valid":%t,"errors":%d,"warnings":%d,"issues":`, errors == 0, errors, len(issues)-errors)
	return append(loadout.AppendIssues(out, issues), '}')
}

// indexFindings turns the issues of an index into diagnostics with their
// places in its text, in the order of the text.
func indexFindings(path string, text []byte, issues []loadout.Issue) []diag.Diagnostic {
	if len(issues) == 0 {
		return nil
	}
	places := workspace.EntryPlaces(text)
	list := make([]diag.Diagnostic, len(issues))
	for i, issue := range issues {
		d := diag.Diagnostic{
			ID:       check.RuleID(issue.Code),
			Severity: diag.Warning, Path: path, Message: issue.Message + ".", Hint: issue.Hint,
		}
		if issue.Severity == loadout.SeverityError {
			d.Severity = diag.Error
		}
		if at := issue.Position; at >= 0 && at < len(places) {
			d.Line, d.Column = places[at].Line, places[at].Column
		}
		list[i] = d
	}
	sortByPlace(list)
	return list
}

// sortByPlace sorts the findings about one file, errors first.
func sortByPlace(list []diag.Diagnostic) {
	diag.Sort(list)
	slices.SortStableFunc(list, func(x, y diag.Diagnostic) int {
		return cmp.Or(cmp.Compare(y.Severity, x.Severity), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
}
