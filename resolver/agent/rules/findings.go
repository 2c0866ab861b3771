package rules

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/repo"
)

// Findings turns the issues of rule files into diagnostics.
func Findings(dir string, issues []Issue) []diag.Diagnostic {
	var findings []diag.Diagnostic
	for _, i := range issues {
		findings = append(findings, i.finding(dir))
	}
	return findings
}

func (i *Issue) finding(dir string) diag.Diagnostic {
	d := check.OfIssue(i.Severity, ruleCode(i.Code), i.Message, i.Hint)
	d.Path, d.Line = i.File, i.Line
	if d.Path == "" {
		d.Path = path.Join(dir, "index.json")
	}
	return d
}

// codeComment is the code of a comment that cannot switch off a rule.
const codeComment = "SUPPRESSION_INVALID"

// ruleCode is the code of an issue among those of all readers. All drift is one rule.
func ruleCode(code string) string {
	switch {
	case code == codeComment, code == check.CodeKey, code == check.CodePriority:
		return code
	case strings.HasPrefix(code, "DRIFT_"):
		return "RULE_DRIFT"
	}
	return "RULE_" + code
}

// audible leaves out the issues that comments of the rule files switch off, and adds
// those comments that cannot be used.
func audible(root *os.Root, dir string, issues []Issue) []Issue {
	silence := check.Silence{Read: func(name string) ([]byte, error) { return repo.ReadIn(root, name, maxFile) }}
	issues = slices.DeleteFunc(issues, func(i Issue) bool {
		d := i.finding(dir)
		return silence.Covers(&d)
	})
	for _, d := range silence.Faults {
		issues = append(issues, Issue{Severity: loadout.SeverityWarning, Code: codeComment, File: d.Path, Line: d.Line, Message: d.Message, Hint: d.Hint})
	}
	return issues
}
