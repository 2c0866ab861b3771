package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/rules"
)

type rulesFlags struct {
	rules.Source
	as     string
	plan   string
	empty  bool
	yes    bool
	memory bool
	dryRun bool
}

func newRules(a *app) *cobra.Command {
	return grouping("", &cobra.Command{
		Use:   "rules",
		Short: "Split an instruction file into rule files that load when needed",
		Long: `rules works on an instruction file such as CLAUDE.md, which loads in every
session: CLAUDE.md, AGENTS.md, a file of .cursor/rules, copilot-instructions.md. It
finds the sections that only some tasks need, and moves each to a file that loads
when it is needed.`,
	}, newRulesAnalyze(a), newRulesSplit(a), newRulesIndex(a), newRulesCheck(a), a.formerly("validate", "rules check", newRulesCheck(a)))
}

func (f *rulesFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.as, "as", string(rules.Skills), "`WAY` in which moved sections load: skills by their descriptions, paths by the files that are worked on, lazy by a table in the instruction file")
	flags.StringVar(&f.Dir, "rules-dir", "", "`DIR` of the files, below the repository root (default the one that the agent looks in)")
	keepPath(flags, "rules-dir")
	flags.StringVar(&f.Signals, "signals", "", "`FILE` with the words that tell sections apart (default "+rules.SignalsFile+", when it exists)")
}

func newRulesAnalyze(a *app) *cobra.Command {
	var f rulesFlags
	cmd := &cobra.Command{
		Use:   "analyze [CLAUDE.md]",
		Short: "Show which sections would move, and why",
		Long: `analyze shows what the agent loads in every session, and what split would change of
that; it writes nothing. Its --json output is a plan: edit the proposals under
result, and "packgen rules split --plan FILE" applies what is left of them.`,
		Example: "  packgen rules analyze\n  packgen rules analyze CLAUDE.md --json > plan.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			name, r, err := rules.ReadInstructions(&a.Repo, f.Source, args)
			if err != nil {
				return err
			}
			home, _ := os.UserHomeDir() // without one nothing of it loads
			loads, err := rules.AlwaysLoaded(&a.Repo, name, home)
			if err != nil {
				return fmt.Errorf("look for what the agent loads: %w", err)
			}
			if a.json {
				a.printParts(envelopeOf("rules analyze", nil), part{"result", r}, part{"loads", loads})
				return nil
			}
			fmt.Fprint(a.stdout, r.Text(loads, a.painterFor(a.stdout).Bold))
			return nil
		},
	}
	f.register(cmd.Flags())
	return cmd
}

func newRulesCheck(a *app) *cobra.Command {
	var f rulesFlags
	cmd := &cobra.Command{
		Use:     "check",
		Short:   "Check the rule files against their index, and skills",
		Long:    "check compares each rule file with its entry in index.json. The rule file is\nthe truth: its front matter and its text. Skills have no index: check looks at the\nnames and descriptions that agents know them by.",
		Example: "  packgen rules check\n  packgen rules check --rules-dir .agents/skills",
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return a.runRulesCheck(f) },
	}
	cmd.Flags().StringVar(&f.Dir, "rules-dir", "", "`DIR` of the rule files, below the repository root (default the one with an index: "+rules.DefaultDir+" or "+rules.LazyDir+")")
	keepPath(cmd.Flags(), "rules-dir")
	cmd.Flags().BoolVar(&f.Lazy, "lazy", false, "look in "+rules.LazyDir+" by default")
	return cmd
}

// check fills in the way to split.
func (f *rulesFlags) check() error {
	if f.Lazy {
		f.as = string(rules.Lazy)
	}
	f.As = rules.As(f.as)
	if f.as != "" {
		return oneOf("--as", f.as, rules.Ways()...)
	}
	return nil
}

func (a *app) runRulesCheck(f rulesFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	dir, issues, err := rules.Check(&a.Repo, f.Source)
	if err != nil {
		return err
	}
	findings := rules.Findings(dir, issues)
	failures, warnings := diag.Count(findings, diag.Error), diag.Count(findings, diag.Warning)
	if a.json {
		a.printParts(envelopeOf("rules check", findings), part{"result", rules.NewOutcome(issues, a.Paths.Abs)})
	} else {
		a.printFindings(findings, nil)
		fmt.Fprintf(a.stdout, "%s: %s, %s\n", diag.Printable(dir), amount.Counted(failures, "error"), amount.Counted(warnings, "warning"))
	}
	return verdict(findings)
}
