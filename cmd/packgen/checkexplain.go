package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/resolver/workspace"
)

// runCheckExplain explains one rule, or lists what is switched off and changed.
func (a *app) runCheckExplain(cmd *cobra.Command, f checkFlags, args []string) error {
	for _, other := range [...]string{"index", "output", "fix", "strict", "dry-run"} {
		if cmd.Flags().Changed(other) {
			return diag.WithHint(fmt.Errorf("--explain and --%s contradict each other", other), "Leave one of them out.")
		}
	}
	if f.format != "text" && f.format != "json" {
		return diag.WithHint(fmt.Errorf("--explain has no format %s", f.format), "Its formats are text and json.")
	}
	if len(args) == 1 {
		if _, ok := rulebook.Find(ruleArgument(args[0])); ok {
			return a.explainRule(args[0])
		}
	}
	list, err := decisions(cmd.Context(), &a.Workspace, args)
	if err != nil {
		return explainUnknown(err, args)
	}
	if f.format == "json" {
		a.printJSON(struct {
			envelope
			Decisions []decisionJSON `json:"decisions"`
		}{envelope{OK: true, Status: "passed", Command: "check", Findings: []finding{}}, decisionsOf(list)})
		return nil
	}
	a.printDecisions(list)
	return nil
}

// ruleArgument is a rule id as given, perhaps in brackets, as findings print it.
func ruleArgument(id string) string { return strings.TrimSuffix(strings.TrimPrefix(id, "["), "]") }

// explainUnknown adds to the error about a name that is no pack which rule is most
// like it.
func explainUnknown(err error, args []string) error {
	if len(args) != 1 || strings.ContainsAny(args[0], "/\\") {
		return err
	}
	if near := rulebook.Nearest(args[0]); near != "" && diag.HintOf(err) != "" {
		return diag.WithHint(fmt.Errorf("no rule and %w", diag.WithoutHint(err)), "%s", strings.ToUpper(near[:1])+near[1:])
	}
	return err
}

// decision is a comment or a rule of the configuration with what it changes.
type decision struct {
	at       string       // where it is, with its line
	rule     string       // id
	to       policy.Level // what becomes of the findings
	reason   string
	findings []diag.Diagnostic // as they were found, with the path from the repository root
}

// decisions checks the packs and returns the rules of the configuration in their
// order, then the comments by place.
func decisions(ctx context.Context, w *workspace.Workspace, names []string) ([]decision, error) {
	cfg, err := w.LoadConfig()
	if err != nil {
		return nil, err
	}
	now, err := workspace.RunTime(w.Getenv)
	if err != nil {
		return nil, err
	}
	c, err := checkOnce(ctx, w, cfg, checkOptions{now: now, names: names})
	if err != nil {
		return nil, err
	}
	defer c.close()
	config, _ := w.ConfigFile()
	config = w.Rel(w.Path(config))
	list := make([]decision, len(cfg.Rules))
	for i, r := range cfg.Rules {
		list[i] = decision{at: fmt.Sprintf("%s:%d", config, r.Line), rule: r.Rule, to: r.Level, reason: r.Reason}
	}
	place := placeIn(c.all.Dirs())
	take := func(changed []policy.Change) {
		for _, change := range changed {
			d := change.Diagnostic
			d.Path = place(d)
			list[change.By].findings = append(list[change.By].findings, d)
		}
	}
	take(c.changed)
	comments := slices.Clone(c.suppressed)
	for _, m := range c.chosen.Members {
		result := c.checked[m]
		if result == nil {
			continue // the policy has no part in what keeps w pack from being read
		}
		take(result.Changed)
		for _, s := range result.Suppressed {
			s.Pack = m.Name()
			comments = append(comments, s)
		}
	}
	for i := range list {
		slices.SortStableFunc(list[i].findings, diag.ComparePlaces)
	}
	return append(list, commentDecisions(comments, place)...), nil
}

// commentDecisions gathers what each comment suppresses.
func commentDecisions(comments []lint.Suppressed, place func(diag.Diagnostic) string) []decision {
	var list []decision
	index := map[string]int{}
	for _, s := range comments {
		s.Path = place(s.Diagnostic)
		at := fmt.Sprintf("%s:%d", s.Path, s.By)
		i, ok := index[at+" "+s.ID]
		if !ok {
			i = len(list)
			index[at+" "+s.ID] = i
			list = append(list, decision{at: at, rule: s.ID, to: policy.Off, reason: s.Reason})
		}
		list[i].findings = append(list[i].findings, s.Diagnostic)
	}
	return list
}

// decisionJSON is a decision in the envelope.
type decisionJSON struct {
	At       string    `json:"at"`
	Rule     string    `json:"rule"`
	Severity string    `json:"severity"` // what the findings become
	Reason   string    `json:"reason"`
	Findings []finding `json:"findings"` // as they were found, with the path from the repository root
}

func decisionsOf(list []decision) []decisionJSON {
	out := []decisionJSON{}
	for _, d := range list {
		out = append(out, decisionJSON{d.at, d.rule, d.to.String(), d.reason, findingsOf(d.findings)})
	}
	return out
}

// shownPlaces is how many places of a decision are listed unless all are asked for.
const shownPlaces = 5

// printDecisions lists the decisions for a person.
func (a *app) printDecisions(list []decision) {
	if len(list) == 0 {
		fmt.Fprintln(a.stdout, "Nothing is switched off or changed.")
		return
	}
	p := painterFor(a.stdout)
	for _, d := range list {
		fmt.Fprintf(a.stdout, "%s: %s is %s: %s\n", diag.Printable(d.at), p.bold(d.rule), d.to, diag.Printable(d.reason))
		shown := d.findings
		if !a.all && len(shown) > shownPlaces {
			shown = shown[:shownPlaces]
		}
		for _, f := range shown {
			fmt.Fprintf(a.stdout, "    %s: %s\n", diag.Printable(f.Place()), f.Severity)
		}
		switch more := len(d.findings) - len(shown); {
		case len(d.findings) == 0:
			fmt.Fprintln(a.stdout, "    covers nothing")
		case more > 0:
			fmt.Fprintf(a.stdout, "    %s more; --all lists them\n", amount.Grouped(more))
		}
	}
}
