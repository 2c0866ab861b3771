package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/agent/rules"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/repo"
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

// maxAnswer is the longest answer that is read, in bytes.
const maxAnswer = 4 << 10

func newRulesSplit(a *app) *cobra.Command {
	var f rulesFlags
	cmd := &cobra.Command{
		Use:   "split [CLAUDE.md]",
		Short: "Move sections to files that load when needed, all of them or none",
		Long: `split moves sections to where nothing loads them by itself. As skills, the agent
knows each by a description made of its heading, its first sentence and the words
that call it. As paths, a section loads with the files that it names; one that
names none stays. As lazy, a table in the instruction file says which file to read.

It asks about each section it would move; --yes moves them all, --plan FILE those
of a reviewed plan. What is declined stays where it is. Files are staged and take
their names together, the instruction file last; when anything fails, everything is
as it was. The file as it was is kept as CLAUDE.md.bak, or .bak-2 and so on.

--memory also makes rule files of the sections of a MEMORY.md that only some tasks
need. That file itself stays as it is.`,
		Example: "  packgen rules split --dry-run\n  packgen rules split --yes\n  packgen rules analyze --json > plan.json && packgen rules split --plan plan.json",
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runRulesSplit(cmd.Context(), f, args) },
	}
	flags := cmd.Flags()
	f.register(flags)
	flags.StringVar(&f.plan, "plan", "", "apply the proposals of `FILE`, made by rules analyze --json")
	flags.BoolVar(&f.Lazy, "lazy", false, "the same as --as lazy")
	_ = flags.MarkHidden("lazy")
	flags.BoolVarP(&f.yes, "yes", "y", false, "move every section that is proposed")
	flags.BoolVar(&f.memory, "memory", false, "also copy sections of "+strings.Join(rules.MemoryFiles[:], " or ")+" to rule files")
	flags.BoolVar(&f.dryRun, "dry-run", false, "write nothing")
	cmd.MarkFlagsMutuallyExclusive("plan", "yes")
	cmd.MarkFlagsMutuallyExclusive("plan", "memory")
	return cmd
}

func (a *app) runRulesSplit(ctx context.Context, f rulesFlags, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	at, err := repo.IndexTime(a.Getenv)
	if err != nil {
		return err
	}
	if !f.dryRun {
		unlock, err := repo.LockRules(ctx, a.Paths)
		if err != nil {
			return err
		}
		defer unlock()
	}
	name, r, err := rules.ReadInstructions(&a.Repo, f.Source, args)
	if err != nil {
		return err
	}
	var memory *rules.Report
	if f.memory {
		if memory, err = rules.ReadMemorySections(&a.Repo, f.Source, r); err != nil {
			return err
		}
	}
	accepted, copied, err := a.accept(f, r, memory)
	if err != nil {
		return err
	}
	if len(accepted)+len(copied) == 0 {
		return a.nothingToSplit(f, name, r)
	}
	old, err := r.OldIndex(&a.Repo)
	if err != nil {
		return err
	}
	out, err := r.Compose(accepted, rules.ComposeOptions{Generated: layers.Stamp(at), Lazy: f.As == rules.Lazy, Old: old, Copied: copied})
	if err != nil {
		return diag.WithHint(err, "remove commas, brackets and line ends from ids and keywords")
	}
	backup := ""
	if !f.dryRun {
		if backup, err = rules.WriteSplit(&a.Repo, r, out); err != nil {
			return err
		}
	}
	a.printSplit(f, out, accepted, copied, backup)
	if !a.json && !a.quiet {
		fmt.Fprint(a.stdout, r.UnroutedText())
	}
	return nil
}

func (a *app) nothingToSplit(f rulesFlags, name string, r *rules.Report) error {
	if !f.dryRun {
		if err := r.SweepStaged(&a.Repo); err != nil {
			return err
		}
	}
	if a.json {
		a.printSplitJSON(f, &rules.Output{}, nil, nil, "")
		return nil
	}
	fmt.Fprintf(a.stdout, "%s%s: nothing to split\n", r.UnroutedText(), diag.Printable(name))
	return nil
}

// accept returns the proposals to carry out, of the instruction file and of a MEMORY.md,
// which may be nil.
func (a *app) accept(f rulesFlags, r, memory *rules.Report) (accepted, copied []rules.Proposal, err error) {
	if f.plan != "" {
		accepted, err = rules.ReadPlan(&a.Repo, f.plan, r)
		return accepted, nil, err
	}
	proposed, more := r.Proposals, []rules.Proposal(nil)
	if memory != nil {
		more = memory.Proposals
	}
	if f.yes || f.dryRun || len(proposed)+len(more) == 0 {
		return proposed, more, nil
	}
	if a.json {
		return nil, nil, diag.WithHint(errors.New("rules split --json cannot ask"), "add --yes, --plan FILE or --dry-run")
	}
	// Answers may come through a pipe; then every question needs one.
	in := bufio.NewScanner(a.stdin)
	in.Buffer(make([]byte, 0, maxAnswer), maxAnswer)
	if accepted, err = a.ask(in, "move it?", proposed); err == nil {
		copied, err = a.ask(in, "copy it?", more)
	}
	return accepted, copied, err
}

func (a *app) ask(in *bufio.Scanner, question string, list []rules.Proposal) (accepted []rules.Proposal, err error) {
	for i := range list {
		p := &list[i]
		fmt.Fprint(a.stdout, p.Text(a.painterFor(a.stdout).Bold))
		fmt.Fprint(a.stderr, question+" [Y/n] ")
		if !in.Scan() {
			fmt.Fprintln(a.stderr)
			return nil, diag.WithHint(fmt.Errorf("no answer for %q", p.Section.Heading), "use --yes or --plan FILE without a terminal; nothing was changed")
		}
		switch strings.ToLower(strings.TrimSpace(in.Text())) {
		case "n", "no", "skip":
		default:
			accepted = append(accepted, *p)
		}
	}
	return accepted, nil
}

// printSplit lists what was moved and what was copied.
func (a *app) printSplit(f rulesFlags, out *rules.Output, accepted, copied []rules.Proposal, backup string) {
	if a.json {
		a.printSplitJSON(f, out, accepted, copied, backup)
		return
	}
	would := ""
	if f.dryRun {
		would = "would "
	}
	say := func(verb, done string, list []rules.Proposal) {
		if !f.dryRun {
			verb = done
		}
		for _, p := range list {
			fmt.Fprintf(a.stdout, "%s%s %s to %s\n", would, verb, diag.Printable(p.Section.Heading), diag.Printable(p.Path))
		}
	}
	say("move", "moved", accepted)
	say("copy", "copied", copied)
	index := ""
	if out.Index.Path != "" {
		index = "; " + amount.Entries(out.Entries) + " in " + diag.Printable(out.Index.Path)
	}
	fmt.Fprintf(a.stdout, "%s: %s tokens before, %s after%s\n", diag.Printable(out.Main.Path), amount.Grouped(out.Before), amount.Grouped(out.After), index)
	if out.After >= out.Before && !a.quiet {
		fmt.Fprintln(a.stderr, "note: "+rules.GrowsNote)
	}
	if backup != "" && !a.quiet {
		fmt.Fprintf(a.stderr, "the file as it was: %s\n", diag.Printable(backup))
	}
}

func (a *app) printSplitJSON(f rulesFlags, out *rules.Output, accepted, copied []rules.Proposal, backup string) {
	a.printJSON(struct {
		envelope
		rules.SplitRecord
	}{envelopeOf("rules split", nil), rules.NewSplitRecord(out, accepted, copied, f.dryRun, backup)})
}

// idIndexEmptied is the rule about an index that would lose all of its entries.
const idIndexEmptied = "index-emptied"

// allowEmptyUsage is the help text of --allow-empty.
const allowEmptyUsage = "write an index without entries over one that has some"

func newRulesIndex(a *app) *cobra.Command {
	var f rulesFlags
	cmd := &cobra.Command{
		Use:   "index [CLAUDE.md]",
		Short: "Make index.json again from the rule files",
		Long: `index makes the index of the rule files again from the files themselves: their
front matter says which words call them, their text how long they are. Do it after
an edit, or when rules check reports drift. A new file with front matter is added;
an entry without a file is taken out. The table that split left in the instruction
file is kept in step, unless somebody wrote into it. Entries that a build keeps in the
same index are left alone. Skills have no index: agents read the descriptions in their
files, so an edit of one is all; index then says what is wrong with them.`,
		Example: "  packgen rules index\n  packgen rules index --lazy --dry-run",
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runRulesIndex(cmd.Context(), f, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Dir, "rules-dir", "", "`DIR` of the rule files, below the repository root (default the one with an index: "+rules.DefaultDir+" or "+rules.LazyDir+")")
	keepPath(flags, "rules-dir")
	flags.BoolVar(&f.Lazy, "lazy", false, "look in "+rules.LazyDir+" by default")
	flags.BoolVar(&f.empty, "allow-empty", false, allowEmptyUsage)
	flags.BoolVar(&f.dryRun, "dry-run", false, "write nothing")
	return cmd
}

func (a *app) runRulesIndex(ctx context.Context, f rulesFlags, args []string) error {
	if err := f.check(); err != nil {
		return err
	}
	dir, skills, err := f.Skills(&a.Repo)
	if err != nil {
		return err
	}
	if skills != nil {
		return a.printSkills(dir, skills)
	}
	at, err := repo.IndexTime(a.Getenv)
	if err != nil {
		return err
	}
	name, err := rules.InstructionFile(&a.Repo, args)
	if err != nil {
		if len(args) > 0 {
			return err
		}
		name = "" // rule files may exist without an instruction file
	}
	if info, err := os.Stat(a.Paths.Abs(dir)); err != nil || !info.IsDir() {
		return diag.Absent("rule files", dir, "run packgen rules split to make them, or name another directory with --rules-dir")
	}
	if !f.dryRun {
		unlock, err := repo.LockRules(ctx, a.Paths)
		if err != nil {
			return err
		}
		defer unlock()
	}
	root, err := regularfile.Root(a.Paths.Dir)
	if err != nil {
		return fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close()
	r, err := rules.Reindex(root, dir, rules.ReindexOptions{Generated: layers.Stamp(at), Main: name})
	if err != nil {
		return explainReindex(err, dir)
	}
	findings := rules.Findings(dir, r.Issues)
	if r.Empties() && !f.empty {
		findings = append(findings, diag.Diagnostic{
			ID: idIndexEmptied, Severity: diag.Error, Path: r.Index.Path,
			Message: fmt.Sprintf("no rule file is left: %s would be lost", amount.Entries(r.Was)),
			Hint:    "restore the files, or add --allow-empty",
		})
	}
	refused := diag.Count(findings, diag.Error) > 0
	if !f.dryRun && !refused {
		if err := r.Write(root); err != nil {
			return diag.WithHint(err, "run again; nothing was changed")
		}
	}
	a.printReindexed(f, r, findings)
	if refused {
		return errFindings
	}
	return nil
}

// printSkills says that skills need no index, and what is wrong with them.
func (a *app) printSkills(dir string, skills *rules.SkillsCheck) error {
	findings := rules.Findings(dir, skills.Issues)
	if a.json {
		a.printParts(envelopeOf("rules index", findings), part{"skills", skills.Count})
	} else {
		a.printFindings(findings, nil)
		fmt.Fprintf(a.stdout, "%s: %s, known by the descriptions in their own files: there is no index to make\n", diag.Printable(dir), amount.Counted(skills.Count, "skill"))
	}
	return verdict(findings)
}

// explainReindex adds the fix to an error about an index that cannot be made again.
func explainReindex(err error, dir string) error {
	at := dir + "/index.json"
	var syntax *indexjson.SyntaxError
	var shape *loadout.ShapeError
	switch {
	case errors.As(err, &syntax), errors.As(err, &shape):
		return diag.Refuse(diag.WithHint(repo.ReadIndexError(at, err), "correct the file, or move it away: then it is made of the rule files alone"))
	case errors.Is(err, rules.ErrForeign):
		return diag.Refuse(diag.WithHint(fmt.Errorf("%s is an index that no split of rules wrote, and no build", at), "move it away, or name another directory with --rules-dir; nothing was changed"))
	}
	return fmt.Errorf("index the rules in %s: %w", dir, err)
}

func (a *app) printReindexed(f rulesFlags, r *rules.Reindexed, findings []diag.Diagnostic) {
	refused := diag.Count(findings, diag.Error) > 0
	if a.json {
		a.printJSON(struct {
			envelope
			rules.ReindexRecord
		}{envelopeOf("rules index", findings), r.Record(f.dryRun)})
		return
	}
	a.printFindings(findings, nil)
	if a.quiet {
		return
	}
	for _, c := range r.Changes {
		fmt.Fprintf(a.stdout, "%s  %s\n", diag.Printable(c.Path), c)
	}
	if r.Main.Path != "" {
		fmt.Fprintf(a.stdout, "%s  changed: the table of the rules\n", diag.Printable(r.Main.Path))
	}
	fmt.Fprintf(a.stdout, "%s: %s, %s\n", diag.Printable(r.Index.Path), amount.Entries(r.Entries), r.State(f.dryRun, refused))
}
