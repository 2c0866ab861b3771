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
		at := i.File
		if at == "" {
			at = path.Join(dir, "index.json")
		}
		findings = append(findings, diag.Diagnostic{
			ID: ruleIssueID(i.Code), Severity: check.SeverityOf(i.Severity), Path: at, Line: i.Line, Message: check.Sentence(i.Message), Hint: i.Hint,
		})
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
