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
		d := check.OfIssue(i.Severity, ruleCode(i.Code), i.Message, i.Hint)
		d.Path, d.Line = i.File, i.Line
		if d.Path == "" {
			d.Path = path.Join(dir, "index.json")
		}
		findings = append(findings, d)
	}
	return findings
}

// ruleCode is the code of an issue among those of all readers. All drift is one rule.
func ruleCode(code string) string {
	if strings.HasPrefix(code, "DRIFT_") {
		return "RULE_DRIFT"
	}
	return "RULE_" + code
}
