package main

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/rulebook"
)

// rules reads the list under "rules": what this repository makes of findings.
func (r *configReader) rules(field *[]policy.Rule) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.SequenceNode {
			r.fault(n, "Write one a line, each after a dash.", "want a list, found %s", kindOf(n))
			return
		}
		for _, item := range n.Content {
			if item.Kind != yaml.MappingNode {
				r.fault(item, "Write rule, severity and reason.", "want a mapping, found %s", kindOf(item))
				continue
			}
			*field = append(*field, r.rule(item))
		}
	}
}

// rule reads one entry of the list.
func (r *configReader) rule(n *yaml.Node) policy.Rule {
	decided := policy.Rule{Line: n.Line}
	var level, reason string
	var at *yaml.Node // of the severity
	r.mapping(n, "rules.", map[string]func(*yaml.Node){
		"rule": r.checked(&decided.Rule, checkRuleID),
		"severity": func(n *yaml.Node) {
			at = n
			r.checked(&level, checkLevel)(n)
		},
		"packs":  r.list(&decided.Packs, checkPattern),
		"files":  r.list(&decided.Files, checkPattern),
		"reason": r.checked(&reason, checkNotEmpty),
	})
	for _, key := range [...]string{"rule", "severity", "reason"} {
		if !hasKey(n, key) {
			r.fault(n, "Every entry says which rule, what becomes of it, and why.", "%q is missing", "rules."+key)
		}
	}
	decided.Reason = strings.Join(strings.Fields(reason), " ")
	decided.Level, _ = policy.ParseLevel(level)
	if rule, ok := rulebook.Find(decided.Rule); ok && level != "" && rule.Severity == diag.Error && !rule.Milder {
		r.fault(at, "Fix what it reports.", "findings of %q stay errors: they say what cannot be used or must not be published", decided.Rule)
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
	if near := nearest.Name(id, ruleIDs()); near != "" {
		return diag.WithHint(err, "Did you mean %q?", near)
	}
	return diag.WithHint(err, `"packgen rule" lists all.`)
}

func checkLevel(name string) error {
	if _, ok := policy.ParseLevel(name); ok {
		return nil
	}
	return diag.WithHint(fmt.Errorf("unknown severity %q", name), "The severities are %s.", strings.Join(policy.Levels(), ", "))
}
