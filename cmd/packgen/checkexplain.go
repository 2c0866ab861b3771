package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/resolver/check"
)

// runCheckExplain explains one rule, or lists what is switched off or changed.
func (a *app) runCheckExplain(cmd *cobra.Command, f checkFlags, args []string) error {
	for _, other := range [...]string{"index", "out", "fix", "fail-on", "dry-run"} {
		if cmd.Flags().Changed(other) {
			return diag.WithHint(fmt.Errorf("--explain and --%s contradict each other", other), "leave one of them out")
		}
	}
	if f.format != "text" && f.format != "json" {
		return diag.WithHint(fmt.Errorf("--explain has no format %s", f.format), "write text or json")
	}
	if len(args) == 1 && args[0] == allRules {
		a.listRules()
		return nil
	}
	if len(args) == 1 {
		if _, ok := rulebook.Find(ruleArgument(args[0])); ok {
			return a.explainRule(args[0])
		}
	}
	if err := a.Load(); err != nil {
		return err
	}
	list, err := check.Decisions(cmd.Context(), &a.Repo, args)
	if err != nil {
		return explainUnknown(err, args)
	}
	if f.format == "json" {
		a.printJSON(struct {
			envelope
			Decisions []decisionJSON `json:"decisions"`
		}{envelopeOf("check", nil), decisionsOf(list)})
		return nil
	}
	a.printDecisions(list)
	return nil
}

// ruleArgument returns a rule id without the brackets that findings print around it.
func ruleArgument(id string) string { return strings.TrimSuffix(strings.TrimPrefix(id, "["), "]") }

// explainUnknown adds what is known of rules to the error about a name that is neither a rule nor
// a pack.
func explainUnknown(err error, args []string) error {
	if len(args) != 1 || strings.ContainsAny(args[0], "/\\") {
		return err
	}
	if diag.HintOf(err) == "" {
		return err
	}
	hint := cmp.Or(rulebook.Nearest(args[0]), "run packgen check --explain all for the rules")
	return diag.WithHint(fmt.Errorf("no rule and %w", diag.WithoutHint(err)), "%s", hint)
}

// decisionJSON is a decision in the envelope.
type decisionJSON struct {
	At       string    `json:"at"`
	Rule     string    `json:"rule"`
	Severity string    `json:"severity"` // after the decision
	Reason   string    `json:"reason"`
	Findings []finding `json:"findings"` // with their severity before it, and paths from the repository root
}

func decisionsOf(list []check.Decision) []decisionJSON {
	out := []decisionJSON{}
	for _, d := range list {
		out = append(out, decisionJSON{d.At, d.Rule, d.To.String(), d.Reason, findingsOf(d.Findings)})
	}
	return out
}

// shownPlaces is the number of places listed for a decision without --all.
const shownPlaces = 5

func (a *app) printDecisions(list []check.Decision) {
	if len(list) == 0 {
		fmt.Fprintln(a.stdout, "nothing is switched off or changed")
		return
	}
	p := a.painterFor(a.stdout)
	for _, d := range list {
		fmt.Fprintf(a.stdout, "%s: %s is %s: %s\n", diag.Printable(d.At), p.Bold(d.Rule), d.To, diag.Printable(d.Reason))
		shown := d.Findings
		if !a.all && len(shown) > shownPlaces {
			shown = shown[:shownPlaces]
		}
		for _, f := range shown {
			fmt.Fprintf(a.stdout, "    %s: %s\n", diag.Printable(f.Place()), f.Severity)
		}
		switch more := len(d.Findings) - len(shown); {
		case len(d.Findings) == 0:
			fmt.Fprintln(a.stdout, "    covers nothing")
		case more > 0:
			fmt.Fprintf(a.stdout, "    %s more; --all lists them\n", amount.Grouped(more))
		}
	}
}
