package repo

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/compiler/strictyaml"
)

// rulesOf reads the list under "rules": what this repository makes of findings.
func rulesOf(r *strictyaml.Reader, field *[]policy.Rule) func(*yaml.Node) {
	return r.Each(0, func(item *yaml.Node) { *field = append(*field, decisionOf(r, item)) })
}

// decisionOf reads one entry of the list.
func decisionOf(r *strictyaml.Reader, n *yaml.Node) policy.Rule {
	decided := policy.Rule{Line: n.Line}
	var level, reason string
	var at *yaml.Node // of the severity
	if !r.Mapping(n, "rules.", strictyaml.Keys{
		"rule": r.Checked(&decided.Rule, checkRuleID),
		"severity": func(n *yaml.Node) {
			at = n
			r.Checked(&level, checkLevel)(n)
		},
		"packs":  someOf(r, &decided.Packs, checkPattern),
		"files":  someOf(r, &decided.Files, checkPattern),
		"reason": r.Checked(&reason, checkNotEmpty),
	}) {
		return decided
	}
	for _, key := range [...]string{"rule", "severity", "reason"} {
		if !hasKey(n, key) {
			r.Fault(n, "write rule, severity and reason in every entry", "%q is missing", "rules."+key)
		}
	}
	decided.Reason = strings.Join(strings.Fields(reason), " ")
	decided.Level, _ = policy.ParseLevel(level)
	if rule, ok := rulebook.Find(decided.Rule); ok && level != "" && rule.Severity == diag.Error && !rule.Milder {
		r.Fault(at, "correct what it reports", "findings of %q stay errors: they say what cannot be used or must not be published", decided.Rule)
	}
	return decided
}

func hasKey(n *yaml.Node, key string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return true
		}
	}
	return false
}

func checkRuleID(id string) error {
	if _, ok := rulebook.Find(id); ok {
		return nil
	}
	err := fmt.Errorf("unknown rule %q", id)
	if near := nearest.Name(id, rulebook.IDs()); near != "" {
		return diag.WithHint(err, "did you mean %q?", near)
	}
	return diag.WithHint(err, "run packgen check --explain all for a list")
}

func checkLevel(name string) error {
	if _, ok := policy.ParseLevel(name); ok {
		return nil
	}
	return diag.WithHint(fmt.Errorf("unknown severity %q", name), "write one of %s", strings.Join(policy.Levels(), ", "))
}
