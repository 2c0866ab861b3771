package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/rulebook"
)

// newRule is the rule verb.
func newRule(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "rule [ID]",
		Short: "Explain a finding by its rule id",
		Long: `rule says what the rule behind a finding means, why it matters, how to mend what
it reports, and whether a comment in the file may switch it off. The id stands in
brackets after each finding. Without an id all rules are listed.`,
		Example: "  packgen rule claim-unsourced\n  packgen rule",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return diag.WithHint(errors.New("rule takes one id"), "Without an id all rules are listed.")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return rulebook.IDs(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				a.listRules()
				return nil
			}
			return a.explainRule(args[0])
		},
	}
}

// ruleJSON is one rule in the envelope.
type ruleJSON struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Severity string `json:"severity"`
	Means    string `json:"means"`
	Why      string `json:"why"`
	Mend     string `json:"mend"`
	Where    string `json:"where"`
	Suppress string `json:"suppress"`
}

func ruleOf(r rulebook.Rule) ruleJSON {
	return ruleJSON{r.ID, r.Title, r.Severity.String(), r.Means, r.Why, r.Mend, r.Where, r.Suppress.String()}
}

// printRules prints the envelope with some rules.
func (a *app) printRules(rules []rulebook.Rule) {
	list := make([]ruleJSON, len(rules))
	for i, r := range rules {
		list[i] = ruleOf(r)
	}
	a.printJSON(struct {
		envelope
		Rules []ruleJSON `json:"rules"`
	}{envelope{OK: true, Status: "passed", Command: "rule", Findings: []finding{}}, list})
}

// listRules prints a line for each rule.
func (a *app) listRules() {
	if a.json {
		a.printRules(rulebook.All())
		return
	}
	t := &table{}
	t.add("RULE", "SEVERITY", "REPORTS")
	for _, r := range rulebook.All() {
		t.add(r.ID, r.Severity.String(), r.Title)
	}
	t.write(a.stdout)
}

// explainRule prints all about one rule. The id may stand in brackets, as
// findings print it.
func (a *app) explainRule(id string) error {
	id = strings.TrimSuffix(strings.TrimPrefix(id, "["), "]")
	r, ok := rulebook.Find(id)
	if !ok {
		err := fmt.Errorf("no rule %q", id)
		if near := nearest.Name(id, rulebook.IDs()); near != "" {
			return diag.WithHint(err, "Did you mean %s?", near)
		}
		return diag.WithHint(err, `"packgen rule" lists all.`)
	}
	if a.json {
		a.printRules([]rulebook.Rule{r})
		return nil
	}
	p := painterFor(a.stdout)
	fmt.Fprintf(a.stdout, "%s  %s\n%s\n\n", p.bold(r.ID), severityWord(p, r.Severity), r.Title)
	for _, part := range [...]struct{ head, text string }{
		{"Means", r.Means}, {"Why", r.Why}, {"Mend", r.Mend}, {"Where", r.Where}, {"Switch off", r.Suppress.String()},
	} {
		fmt.Fprintf(a.stdout, "%s\n", p.bold(part.head))
		for _, line := range wrapped(part.text, 76) {
			fmt.Fprintf(a.stdout, "    %s\n", line)
		}
	}
	if r.Suppress != rulebook.Never {
		form := "packgen-disable-next-line"
		fmt.Fprintf(a.stdout, "    <!-- %s %s: the reason -->\n", form, r.ID)
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

// severityWord prints a severity in its colour.
func severityWord(p painter, s diag.Severity) string {
	if s == diag.Error {
		return p.red(s.String())
	}
	return p.dim(s.String())
}

// wrapped breaks a text into lines of at most width bytes, a longer word alone.
func wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
