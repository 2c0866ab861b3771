package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/layers"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexjson"
	"github.com/packgen/packgen/resolver/rules"
	"github.com/packgen/packgen/resolver/wholefile"
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
as it was. The file as it was is kept as CLAUDE.md.bak, or .bak-2 and so on.`,
		Example: "  packgen rules split --dry-run\n  packgen rules split --yes\n  packgen rules analyze --json > plan.json && packgen rules split --plan plan.json",
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.runRulesSplit(f, args) },
	}
	flags := cmd.Flags()
	f.register(flags)
	flags.StringVar(&f.plan, "plan", "", "apply the proposals of `FILE`, made by rules analyze --json")
	flags.BoolVar(&f.lazy, "lazy", false, "the rule files are never loaded ahead; they go to "+rules.LazyDir+" by default")
	flags.BoolVarP(&f.yes, "yes", "y", false, "move every section that is proposed")
	flags.BoolVar(&f.dryRun, "dry-run", false, "write nothing")
	cmd.MarkFlagsMutuallyExclusive("plan", "yes")
	return cmd
}

func (a *app) runRulesSplit(f rulesFlags, args []string) error {
	if err := checkFlagValue("plan", f.plan); err != nil {
		return err
	}
	at, err := loadoutTime()
	if err != nil {
		return err
	}
	name, r, err := a.readInstructions(f, args)
	if err != nil {
		return err
	}
	accepted, err := a.accept(f, r)
	if err != nil || len(accepted) == 0 {
		return a.nothingToSplit(f, name, err)
	}
	dir, err := f.rulesDir()
	if err != nil {
		return err
	}
	old, err := a.oldIndex(path.Join(dir, "index.json"))
	if err != nil {
		return err
	}
	out, err := r.Compose(accepted, rules.ComposeOptions{Generated: layers.Stamp(at), Lazy: f.lazy, Old: old})
	if err != nil {
		return withHint(err, "An id or a keyword of a rule has no commas, brackets or line ends.")
	}
	backup := ""
	if !f.dryRun {
		root, err := os.OpenRoot(a.dir)
		if err != nil {
			return fmt.Errorf("open the repository: %w", err)
		}
		defer root.Close()
		if backup, err = r.Split(root, out); err != nil {
			return withHint(err, "Nothing was changed.")
		}
	}
	a.printSplit(f, out, accepted, backup)
	return nil
}

// nothingToSplit says that no section moves.
func (a *app) nothingToSplit(f rulesFlags, name string, err error) error {
	if err != nil {
		return err
	}
	if a.json {
		a.printSplitJSON(f, &rules.Output{}, nil, "")
		return nil
	}
	fmt.Fprintf(a.stdout, "%s: nothing to split\n", diag.Printable(name))
	return nil
}

// accept decides which proposals are carried out.
func (a *app) accept(f rulesFlags, r *rules.Report) ([]rules.Proposal, error) {
	if f.plan != "" {
		return a.readPlan(f.plan, r)
	}
	if f.yes || f.dryRun || len(r.Proposals) == 0 {
		return r.Proposals, nil
	}
	if a.json {
		return nil, withHint(errors.New("rules split --json cannot ask"), "Add --yes, --plan FILE or --dry-run.")
	}
	// Answers may come through a pipe; then all of them are needed.
	in := bufio.NewScanner(a.stdin)
	in.Buffer(make([]byte, 0, maxAnswer), maxAnswer)
	var accepted []rules.Proposal
	for i := range r.Proposals {
		p := &r.Proposals[i]
		a.printProposal(p)
		fmt.Fprint(a.stderr, "move it? [Y/n] ")
		if !in.Scan() {
			fmt.Fprintln(a.stderr)
			return nil, withHint(fmt.Errorf("no answer for %q", p.Section.Heading), "Nothing was changed. Without a terminal use --yes or --plan FILE.")
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
func (a *app) readPlan(name string, r *rules.Report) ([]rules.Proposal, error) {
	text, err := wholefile.Read(a.path(name), 4*rules.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	v, err := indexjson.Parse(text)
	var syntax *indexjson.SyntaxError
	if errors.As(err, &syntax) {
		return nil, withHint(fmt.Errorf("read the plan %s:%d:%d: %s", name, syntax.Line, syntax.Column, syntax.Problem), "Mend the file.")
	}
	if err != nil {
		return nil, fmt.Errorf("read the plan %s: %w", name, err)
	}
	if result := v.Get("result"); result.Kind() == loadout.Object {
		v = result
	}
	if v.Get("proposals").Kind() != loadout.Array {
		return nil, withHint(fmt.Errorf("the plan %s has no proposals", name), "Make one with packgen rules analyze --json.")
	}
	accepted, err := r.Apply(v.Get("proposals"))
	if err != nil {
		return nil, withHint(fmt.Errorf("the plan %s: %w", name, err), "Make it anew with packgen rules analyze --json.")
	}
	return accepted, nil
}

// printSplit says what was moved.
func (a *app) printSplit(f rulesFlags, out *rules.Output, accepted []rules.Proposal, backup string) {
	if a.json {
		a.printSplitJSON(f, out, accepted, backup)
		return
	}
	verb := "moved"
	if f.dryRun {
		verb = "would move"
	}
	for _, p := range accepted {
		fmt.Fprintf(a.stdout, "%s %s to %s\n", verb, diag.Printable(p.Section.Heading), diag.Printable(p.Path))
	}
	fmt.Fprintf(a.stdout, "%s: %s tokens before, %s after; %s in %s\n", diag.Printable(out.Main.Path), grouped(out.Before), grouped(out.After),
		countedEntries(out.Entries), diag.Printable(out.Index.Path))
	if backup != "" && !a.quiet {
		fmt.Fprintf(a.stderr, "the file as it was: %s\n", diag.Printable(backup))
	}
}

func (a *app) printSplitJSON(f rulesFlags, out *rules.Output, accepted []rules.Proposal, backup string) {
	type moved struct {
		Heading string `json:"heading"`
		ID      string `json:"id"`
		Path    string `json:"path"`
	}
	list := []moved{}
	for _, p := range accepted {
		list = append(list, moved{p.Section.Heading, p.ID, p.Path})
	}
	a.printJSON(struct {
		envelope
		DryRun bool    `json:"dry_run"`
		File   string  `json:"file,omitempty"`
		Index  string  `json:"index,omitempty"`
		Backup string  `json:"backup,omitempty"`
		Moved  []moved `json:"moved"`
		Before int     `json:"tokens_before"`
		After  int     `json:"tokens_after"`
	}{envelope{OK: true, Status: "passed", Command: "rules split", Findings: []finding{}}, f.dryRun, out.Main.Path, out.Index.Path, backup, list, out.Before, out.After})
}
