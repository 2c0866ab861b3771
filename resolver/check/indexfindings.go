package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/workspace"
)

// IndexFindings turns the issues of an index into diagnostics with their
// places in its text, in the order of the text.
func IndexFindings(path string, text []byte, issues []loadout.Issue) []diag.Diagnostic {
	if len(issues) == 0 {
		return nil
	}
	places := workspace.EntryPlaces(text)
	list := make([]diag.Diagnostic, len(issues))
	for i, issue := range issues {
		d := diag.Diagnostic{
			ID:       RuleID(issue.Code),
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
	SortByPlace(list)
	return list
}

// SortByPlace sorts the findings about one file, errors first.
func SortByPlace(list []diag.Diagnostic) {
	diag.Sort(list)
	slices.SortStableFunc(list, func(x, y diag.Diagnostic) int {
		return cmp.Or(cmp.Compare(y.Severity, x.Severity), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
}

// SeverityOf is the severity of a diagnostic about an issue.
func SeverityOf(s loadout.Severity) diag.Severity {
	if s == loadout.SeverityError {
		return diag.Error
	}
	return diag.Warning
}

// Sentence ends a message with a full stop.
func Sentence(text string) string { return strings.TrimSuffix(text, ".") + "." }
