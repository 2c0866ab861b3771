package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regular"
	"github.com/packgen/packgen/resolver/agent/rules"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/workspace"
)

// maxAnswer is the longest answer that is read, in bytes.
const maxAnswer = 4 << 10

func newRulesSplit(a *app) *cobra.Command {
	var f rulesFlags
	cmd := &cobra.Command{
		Use:   "split [CLAUDE.md]",
		Short: "Move sections to rule files, all of them or none",
		Long: `split asks about each section it would move; --yes moves them all, --plan FILE those
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
	flags.BoolVar(&f.lazy, "lazy", false, "the rule files are never loaded ahead; they go to "+rules.LazyDir+" by default")
	flags.BoolVarP(&f.yes, "yes", "y", false, "move every section that is proposed")
	flags.BoolVar(&f.memory, "memory", false, "also copy sections of "+strings.Join(memoryFiles[:], " or ")+" to rule files")
	flags.BoolVar(&f.dryRun, "dry-run", false, "write nothing")
	cmd.MarkFlagsMutuallyExclusive("plan", "yes")
	cmd.MarkFlagsMutuallyExclusive("plan", "memory")
	return cmd
}

func (a *app) runRulesSplit(ctx context.Context, f rulesFlags, args []string) error {
	if err := errors.Join(checkFlagValue("plan", f.plan), f.check()); err != nil {
		return err
	}
	at, err := a.IndexTime()
	if err != nil {
		return err
	}
	if !f.dryRun {
		unlock, err := a.LockRules(ctx)
		if err != nil {
			return err
		}
		defer unlock()
	}
	name, r, err := readInstructions(&a.Workspace, f.ruleSource, args)
	if err != nil {
		return err
	}
	var memory *rules.Report
	if f.memory {
		if memory, err = readMemorySections(&a.Workspace, f.ruleSource, r); err != nil {
			return err
		}
	}
	accepted, copied, err := a.accept(f, r, memory)
	if err != nil || len(accepted)+len(copied) == 0 {
		return a.nothingToSplit(f, name, err)
	}
	dir, err := f.rulesDir()
	if err != nil {
		return err
	}
	old, err := oldIndex(&a.Workspace, path.Join(dir, "index.json"))
	if err != nil {
		return err
	}
	out, err := r.Compose(accepted, rules.ComposeOptions{Generated: layers.Stamp(at), Lazy: f.lazy, Old: old, Copied: copied})
	if err != nil {
		return diag.WithHint(err, "An id or a keyword of a rule has no commas, brackets or line ends.")
	}
	backup := ""
	if !f.dryRun {
		if backup, err = writeSplit(&a.Workspace, r, out); err != nil {
			return err
		}
	}
	a.printSplit(f, out, accepted, copied, backup)
	return nil
}

// writeSplit carries a split out.
func writeSplit(w *workspace.Workspace, r *rules.Report, out *rules.Output) (backup string, err error) {
	root, err := regular.Root(w.Dir)
	if err != nil {
		return "", fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close()
	if backup, err = r.Split(root, out); err != nil {
		return "", diag.WithHint(err, "Nothing was changed.")
	}
	return backup, nil
}

// readMemorySections reads the sections of a MEMORY.md. Ids that the instruction file's proposals have are not free.
func readMemorySections(w *workspace.Workspace, f ruleSource, main *rules.Report) (*rules.Report, error) {
	o, err := ruleOptions(w, f)
	if err != nil {
		return nil, err
	}
	o.Copies = true
	there := o.Rule
	o.Rule = func(id string) ([]byte, bool) {
		if slices.ContainsFunc(main.Proposals, func(p rules.Proposal) bool { return p.ID == id }) {
			return nil, true
		}
		return there(id)
	}
	for _, name := range memoryFiles {
		if _, err := os.Stat(w.Path(name)); err == nil {
			text, err := readSections(w, name)
			if err != nil {
				return nil, err
			}
			return rules.Analyze(name, text, o), nil
		}
	}
	return nil, diag.WithHint(errors.New("no MEMORY.md found"), "Looked for %s.", strings.Join(memoryFiles[:], " and "))
}

// nothingToSplit says that no section moves.
func (a *app) nothingToSplit(f rulesFlags, name string, err error) error {
	if err != nil {
		return err
	}
	if a.json {
		a.printSplitJSON(f, &rules.Output{}, nil, nil, "")
		return nil
	}
	fmt.Fprintf(a.stdout, "%s: nothing to split\n", diag.Printable(name))
	return nil
}

// accept decides which proposals are carried out, of the instruction file and of
// a MEMORY.md, which may be nil.
func (a *app) accept(f rulesFlags, r, memory *rules.Report) (accepted, copied []rules.Proposal, err error) {
	if f.plan != "" {
		accepted, err = readPlan(&a.Workspace, f.plan, r)
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
		return nil, nil, diag.WithHint(errors.New("rules split --json cannot ask"), "Add --yes, --plan FILE or --dry-run.")
	}
	// Answers may come through a pipe; then all of them are needed.
	in := bufio.NewScanner(a.stdin)
	in.Buffer(make([]byte, 0, maxAnswer), maxAnswer)
	if accepted, err = a.ask(in, "move it?", proposed); err == nil {
		copied, err = a.ask(in, "copy it?", more)
	}
	return accepted, copied, err
}

// ask asks about each proposal.
func (a *app) ask(in *bufio.Scanner, question string, list []rules.Proposal) (accepted []rules.Proposal, err error) {
	for i := range list {
		p := &list[i]
		a.printProposal(p)
		fmt.Fprint(a.stderr, question+" [Y/n] ")
		if !in.Scan() {
			fmt.Fprintln(a.stderr)
			return nil, diag.WithHint(fmt.Errorf("no answer for %q", p.Section.Heading), "Nothing was changed. Without a terminal use --yes or --plan FILE.")
		}
		switch strings.ToLower(strings.TrimSpace(in.Text())) {
		case "n", "no", "skip":
		default:
			accepted = append(accepted, *p)
		}
	}
	return accepted, nil
}

// readPlan reads the proposals of a reviewed plan: the output of rules analyze
// --json, or its result alone.
func readPlan(w *workspace.Workspace, name string, r *rules.Report) ([]rules.Proposal, error) {
	text, err := atomicfile.Read(w.Path(name), 4*rules.MaxFile)
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("read the plan: %w", err), "Make one with packgen rules analyze --json.")
	}
	v, err := indexjson.Parse(text)
	var syntax *indexjson.SyntaxError
	if errors.As(err, &syntax) {
		return nil, diag.WithHint(fmt.Errorf("read the plan %s:%d:%d: %s", name, syntax.Line, syntax.Column, syntax.Problem), "Mend the file.")
	}
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("read the plan %s: %w", name, err), "Make it anew with packgen rules analyze --json.")
	}
	if result := v.Get("result"); result.Kind() == loadout.Object {
		v = result
	}
	if v.Get("proposals").Kind() != loadout.Array {
		return nil, diag.WithHint(fmt.Errorf("the plan %s has no proposals", name), "Make one with packgen rules analyze --json.")
	}
	accepted, err := r.Apply(v.Get("proposals"))
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("the plan %s: %w", name, err), "Make it anew with packgen rules analyze --json.")
	}
	return accepted, nil
}

// printSplit says what was moved, and what was copied.
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
	fmt.Fprintf(a.stdout, "%s: %s tokens before, %s after; %s in %s\n", diag.Printable(out.Main.Path), amount.Grouped(out.Before), amount.Grouped(out.After),
		amount.Entries(out.Entries), diag.Printable(out.Index.Path))
	if out.After >= out.Before && !a.quiet {
		fmt.Fprintln(a.stderr, "note: "+growsNote)
	}
	if backup != "" && !a.quiet {
		fmt.Fprintf(a.stderr, "the file as it was: %s\n", diag.Printable(backup))
	}
}

func (a *app) printSplitJSON(f rulesFlags, out *rules.Output, accepted, copied []rules.Proposal, backup string) {
	type rule struct {
		Heading string `json:"heading"`
		ID      string `json:"id"`
		Path    string `json:"path"`
	}
	list := func(proposals []rules.Proposal) []rule {
		list := []rule{}
		for _, p := range proposals {
			list = append(list, rule{p.Section.Heading, p.ID, p.Path})
		}
		return list
	}
	a.printJSON(struct {
		envelope
		DryRun bool   `json:"dry_run"`
		File   string `json:"file,omitempty"`
		Index  string `json:"index,omitempty"`
		Backup string `json:"backup,omitempty"`
		Moved  []rule `json:"moved"`
		Copied []rule `json:"copied"`
		Before int    `json:"tokens_before"`
		After  int    `json:"tokens_after"`
	}{envelope{OK: true, Status: "passed", Command: "rules split", Findings: []finding{}}, f.dryRun, out.Main.Path, out.Index.Path, backup,
		list(accepted), list(copied), out.Before, out.After})
}
