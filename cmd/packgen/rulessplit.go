package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/rules"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/repo"
)

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
