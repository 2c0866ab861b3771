package main

import (
	"fmt"

	"github.com/packgen/packgen/compiler/color"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/rulebook"
)

// allRules is the argument of --explain that means every rule.
const allRules = "all"

type ruleJSON struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Severity string `json:"severity"`
	Means    string `json:"means"`
	Why      string `json:"why"`
	Fix      string `json:"fix"`
	Where    string `json:"where"`
	Suppress string `json:"suppress"`
}

func ruleOf(r rulebook.Rule) ruleJSON {
	return ruleJSON{r.ID, r.Title, r.Severity.String(), r.Means, r.Why, r.Fix, r.Where, r.Suppress.String()}
}

func (a *app) printRules(rules []rulebook.Rule) {
	list := make([]ruleJSON, len(rules))
	for i, r := range rules {
		list[i] = ruleOf(r)
	}
	a.printJSON(struct {
		envelope
		Rules []ruleJSON `json:"rules"`
	}{envelopeOf("check", nil), list})
}

func (a *app) listRules() {
	if a.json {
		a.printRules(rulebook.All())
		return
	}
	t := &columns.Table{}
	t.Add("RULE", "SEVERITY", "REPORTS")
	for _, r := range rulebook.All() {
		t.Add(r.ID, r.Severity.String(), r.Title)
	}
	t.Write(a.stdout)
}

func (a *app) explainRule(id string) error {
	id = ruleArgument(id)
	r, ok := rulebook.Find(id)
	if !ok {
		err := fmt.Errorf("no rule %q", id)
		if near := nearest.Name(id, rulebook.IDs()); near != "" {
			return diag.WithHint(err, "did you mean %s?", near)
		}
		return diag.WithHint(err, "run packgen check --explain all for a list of the rules")
	}
	if a.json {
		a.printRules([]rulebook.Rule{r})
		return nil
	}
	p := a.painterFor(a.stdout)
	fmt.Fprintf(a.stdout, "%s  %s\n%s\n\n", p.Bold(r.ID), severityWord(p, r.Severity), r.Title)
	for _, part := range [...]struct{ head, text string }{
		{"Means", r.Means}, {"Why", r.Why}, {"Fix", r.Fix}, {"Where", r.Where}, {"Switch off", r.Suppress.String()},
	} {
		fmt.Fprintf(a.stdout, "%s\n", p.Bold(part.head))
		for _, line := range columns.Wrapped(part.text, 76) {
			fmt.Fprintf(a.stdout, "    %s\n", line)
		}
	}
	if r.Suppress != rulebook.Never {
		fmt.Fprintf(a.stdout, "    <!-- packgen-disable-next-line %s: the reason -->\n", r.ID)
	}
	if r.Suppress == rulebook.Anywhere {
		fmt.Fprintf(a.stdout, "    <!-- packgen-disable %s: the reason -->, from there to the end of the file\n", r.ID)
	}
	if r.Severity != diag.Error || r.Milder {
		what := "off, or another severity, under rules: in packgen.yaml"
		if r.Milder {
			what += "; its errors stay errors"
		}
		fmt.Fprintf(a.stdout, "    %s\n", what)
	}
	return nil
}

func severityWord(p color.Painter, s diag.Severity) string {
	if s == diag.Error {
		return p.Red(s.String())
	}
	return p.Dim(s.String())
}
