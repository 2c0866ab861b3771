package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regular"
	"github.com/packgen/packgen/resolver/agent/rules"
)

type rulesFlags struct {
	rules.Source
	plan   string
	empty  bool
	yes    bool
	memory bool
	dryRun bool
}

func newRules(a *app) *cobra.Command {
	const hint = "write analyze, split, index or check"
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Split an instruction file into rule files that load when needed",
		Long: `rules works on an instruction file such as CLAUDE.md, which loads in every
session. It finds the sections that only some tasks need, moves them to rule files
of their own, and leaves a table that says which words call which file.`,
		Args: needsSubcommand(hint, "analyze", "split", "index", "check"),
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(newRulesAnalyze(a), newRulesSplit(a), newRulesIndex(a), newRulesCheck(a), a.formerly("validate", "rules check", newRulesCheck(a)))
	return cmd
}

func (f *rulesFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.Dir, "rules-dir", "", "`DIR` of the rule files, below the repository root (default "+rules.DefaultDir+")")
	keepPath(flags, "rules-dir")
	flags.StringVar(&f.Signals, "signals", "", "`FILE` with the words that tell sections apart (default "+rules.SignalsFile+", when it exists)")
}

func newRulesAnalyze(a *app) *cobra.Command {
	var f rulesFlags
	cmd := &cobra.Command{
		Use:   "analyze [CLAUDE.md]",
		Short: "Show which sections would move, and why",
		Long: `analyze shows what split would do, and writes nothing. Its --json output is a plan:
edit the proposals under result, and "packgen rules split --plan FILE" applies what
is left of them.`,
		Example: "  packgen rules analyze\n  packgen rules analyze CLAUDE.md --json > plan.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			_, r, err := rules.ReadInstructions(&a.Workspace, f.Source, args)
			if err != nil {
				return err
			}
			if a.json {
				a.printParts(envelopeOf("rules analyze", nil), part{"result", r})
				return nil
			}
			a.printReport(r)
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
		Short:   "Check the rule files against their index",
		Long:    "check compares each rule file with its entry in index.json. The rule file is\nthe truth: its front matter and its text.",
		Example: "  packgen rules check\n  packgen rules check --rules-dir .claude/loadout",
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return a.runRulesCheck(f) },
	}
	cmd.Flags().StringVar(&f.Dir, "rules-dir", "", "`DIR` of the rule files, below the repository root (default "+rules.DefaultDir+")")
	keepPath(cmd.Flags(), "rules-dir")
	cmd.Flags().BoolVar(&f.Lazy, "lazy", false, "look in "+rules.LazyDir+" by default")
	return cmd
}

// check refuses values that are the next flag.
func (f *rulesFlags) check() error {
	return errors.Join(checkFlagValue("rules-dir", f.Dir), checkFlagValue("signals", f.Signals))
}

func (a *app) printReport(r *rules.Report) {
	always, onDemand := r.Tokens()
	fmt.Fprintf(a.stdout, "%s: %s, %s tokens\n", diag.Printable(r.FilePath), amount.Counted(r.TotalLines, "line"), amount.Grouped(r.TotalTokens))
	if len(r.Proposals) == 0 {
		fmt.Fprintln(a.stdout, "nothing to split: every section is short or always needed")
		return
	}
	fmt.Fprintln(a.stdout, "\nwould move:")
	for i := range r.Proposals {
		a.printProposal(&r.Proposals[i])
	}
	fmt.Fprintln(a.stdout, "\nwould stay:")
	for _, s := range r.CoreCandidate {
		fmt.Fprintf(a.stdout, "  %s  %s tokens\n", diag.Printable(s.Heading), amount.Grouped(s.Tokens))
	}
	// The table of the rules, which a split writes, always loads too.
	if out, err := r.Compose(r.Proposals, rules.ComposeOptions{}); err == nil {
		always = out.After
	}
	fmt.Fprintf(a.stdout, "\n%s tokens would always load, the table of the rules included, %s on demand\n", amount.Grouped(always), amount.Grouped(onDemand))
	if always >= r.TotalTokens {
		fmt.Fprintln(a.stdout, growsNote)
	}
}

// growsNote is for a file so short that a split makes it longer.
const growsNote = "the table costs more than what moves: a file this short is better left whole"

func (a *app) printProposal(p *rules.Proposal) {
	painter := painterFor(a.stdout)
	fmt.Fprintf(a.stdout, "  %s  %s tokens\n      to %s: %s\n      keywords %s\n", painter.bold(diag.Printable(p.Section.Heading)), amount.Grouped(p.Section.Tokens),
		diag.Printable(p.Path), diag.Printable(p.Reason), bracketed(p.Keywords))
}

func (a *app) runRulesCheck(f rulesFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	dir, err := f.RulesDir()
	if err != nil {
		return err
	}
	root, err := regular.Root(a.Dir)
	if err != nil {
		return fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close()
	issues, err := rules.Validate(root, dir)
	if err != nil {
		return fmt.Errorf("check the rules in %s: %w", dir, err)
	}
	findings := rules.Findings(dir, issues)
	failures, warnings := diag.Count(findings, diag.Error), diag.Count(findings, diag.Warning)
	if a.json {
		a.printParts(envelopeOf("rules check", findings), part{"result", rules.NewOutcome(issues, a.Path)})
	} else {
		a.printFindings(findings, nil)
		fmt.Fprintf(a.stdout, "%s: %s, %s\n", diag.Printable(dir), amount.Counted(failures, "error"), amount.Counted(warnings, "warning"))
	}
	if failures > 0 {
		return errFindings
	}
	return nil
}
