package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/agent/rules"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/repo"
)

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
