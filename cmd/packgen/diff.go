package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/eval/suites"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/workspace"
)

type diffFlags struct {
	gate
	tasks string
	score scoreFlags
}

func newDiff(a *app) *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Show how routing changed between two builds",
		Long: `diff compares two loadout indexes: entries that came, went or changed, and which
tasks now select something else, with the tokens they load. A and B are index
files, .json or .bin, or output directories of build.

The tasks are those of the repository's routing goldens, or of a file: one task a
line, or another file of goldens. A change counts as a warning: with --fail-on warning
it makes the exit code 1.`,
		Example: "  packgen diff old-public public\n  packgen diff main.json public/index.json --tasks tasks.txt --json",
		Args:    needsArguments(2, "two builds", "try packgen diff old-public public"),
		RunE: func(cmd *cobra.Command, args []string) error {
			options, cfg, err := f.score.options(a, cmd.Flags())
			if err = errors.Join(err, f.gate.check()); err != nil {
				return err
			}
			return a.runDiff(f, args, options, cfg)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.tasks, "tasks", "", "compare what the tasks of this `FILE` select")
	f.gate.register(flags)
	f.score.register(flags)
	return cmd
}

func (a *app) runDiff(f diffFlags, names []string, options loadout.MatchOptions, cfg workspace.Config) error {
	var indexes [2]*loadout.Index
	for i, name := range names {
		name = a.Given(name)
		names[i] = name
		if info, err := os.Stat(a.Path(name)); err == nil && info.IsDir() {
			name = filepath.Join(name, "index.json")
		}
		ix, err := a.ReadIndex(name)
		if err != nil {
			return err
		}
		indexes[i] = ix
	}
	tasks, err := suites.DiffTasks(&a.Workspace, f.tasks, cfg)
	if err != nil {
		return err
	}
	d, err := eval.Compare(indexes[0], indexes[1], tasks, options)
	if err != nil {
		return err
	}
	if a.json {
		a.printDiffJSON(d, names, options.Dialect)
	} else {
		a.printDiff(d, options.Dialect)
	}
	if f.closedFor(false, !d.Empty()) {
		return errFindings
	}
	return nil
}

// printDiff prints the changes as text: + added, - removed, ~ changed.
func (a *app) printDiff(d *eval.Diff, dialect loadout.Dialect) {
	w, p := a.stdout, a.painterFor(a.stdout)
	for _, e := range d.Gained {
		fmt.Fprintf(w, "%s  %s tokens, %s, keywords %s\n", p.Green("+ "+diag.Printable(e.ID)), tokens(e), diag.Printable(e.Priority), bracketed(e.Keywords))
	}
	for _, e := range d.Lost {
		fmt.Fprintf(w, "%s  %s tokens\n", p.Red("- "+diag.Printable(e.ID)), tokens(e))
	}
	for i := range d.Changed {
		fmt.Fprintf(w, "%s  %s\n", p.Bold("~ "+diag.Printable(d.Changed[i].After.ID)), d.Changed[i].Line())
	}
	if len(d.Gained)+len(d.Lost)+len(d.Changed) > 0 {
		fmt.Fprintln(w)
	}
	for _, t := range d.Tasks {
		fmt.Fprintf(w, "%q: %s tokens (%s)\n", diag.Printable(secret.Redact(t.Task)), amount.Grouped(t.Tokens[1]), amount.Signed(t.Tokens[1]-t.Tokens[0]))
		for _, id := range t.Gained {
			fmt.Fprintf(w, "    %s\n", p.Green("+ "+diag.Printable(id)))
		}
		for _, id := range t.Lost {
			fmt.Fprintf(w, "    %s\n", p.Red("- "+diag.Printable(id)))
		}
		for _, m := range t.Moved {
			fmt.Fprintf(w, "    %s from place %d to %d\n", diag.Printable(m.ID), m.Before, m.After)
		}
	}
	if len(d.Tasks) > 0 {
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%s gained, %d lost, %d changed; all entries %s tokens (%s); tasks that select something else: %d of %s (%s matcher)\n",
		amount.Entries(len(d.Gained)), len(d.Lost), len(d.Changed), amount.Grouped(d.Tokens[1]), amount.Signed(d.Tokens[1]-d.Tokens[0]),
		len(d.Tasks), amount.Grouped(d.Asked), dialect)
}

func (a *app) printDiffJSON(d *eval.Diff, names []string, dialect loadout.Dialect) {
	a.printJSON(struct {
		envelope
		Before  string `json:"before"`
		After   string `json:"after"`
		Matcher string `json:"matcher"`
		eval.DiffRecord
	}{envelopeOf("diff", nil), a.Rel(a.Path(names[0])), a.Rel(a.Path(names[1])), dialect.String(), eval.RecordOf(d)})
}
