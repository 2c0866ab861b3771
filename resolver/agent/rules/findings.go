package rules

import (
	"path"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/check"
)

// Findings turns the issues of rule files into diagnostics.
func Findings(dir string, issues []Issue) []diag.Diagnostic {
	var findings []diag.Diagnostic
	for _, i := range issues {
		d := check.OfIssue(i.Severity, i.Code, i.Message, i.Hint)
		d.ID, d.Path, d.Line = ruleIssueID(i.Code), i.File, i.Line
		if d.Path == "" {
			d.Path = path.Join(dir, "index.json")
		}
		findings = append(findings, d)
	}
	return findings
}

// ruleIssueID is the rule id of an issue. All drift is one rule.
func ruleIssueID(code string) string {
	if strings.HasPrefix(code, "DRIFT_") {
		return "rule-drift"
	}
	return "rule-" + check.RuleID(code)
}
