package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site"
)

type diffFlags struct {
	gate
	tasks string
	out   string
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
it makes the exit code 1. --out writes the changes as a page that stands alone, too.`,
		Example: "  packgen diff old-public public\n  packgen diff main.json public/index.json --tasks tasks.txt --json\n  packgen diff old-public public --out diff.html",
		Args:    needsArguments(2, "two builds", "try packgen diff old-public public"),
		RunE: func(cmd *cobra.Command, args []string) error {
			options, err := f.score.options(a, cmd.Flags())
			if err = errors.Join(err, f.gate.check(), checkPageName(f.out)); err != nil {
				return err
			}
			return a.runDiff(f, args, options)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.tasks, "tasks", "", "compare what the tasks of this `FILE` select")
	flags.StringVar(&f.out, "out", "", "write the changes as a page to `FILE`, too")
	f.gate.register(flags)
	f.score.register(flags)
	return cmd
}

func (a *app) runDiff(f diffFlags, names []string, options loadout.MatchOptions) error {
	var indexes [2]*loadout.Index
	for i, name := range names {
		name = a.Paths.Given(name)
		names[i] = name
		if info, err := os.Stat(a.Paths.Abs(name)); err == nil && info.IsDir() {
			name = filepath.Join(name, "index.json")
		}
		ix, err := repo.ReadIndex(a.Paths, name)
		if err != nil {
			return err
		}
		indexes[i] = ix
	}
	tasks, err := eval.DiffTasks(&a.Repo, f.tasks)
	if err != nil {
		return err
	}
	d, err := eval.Compare(indexes[0], indexes[1], tasks, options)
	if err != nil {
		return err
	}
	if f.out != "" {
		err := a.writePage(f.out, func(w io.Writer, title, language string) error {
			return site.WriteDiff(w, d, [2]string(names), options.Dialect, title, language)
		})
		if err != nil {
			return err
		}
	}
	if a.json {
		a.printDiffJSON(d, names, options.Dialect)
	} else {
		d.WriteText(a.printer(), options.Dialect)
	}
	if f.closedFor(false, !d.Empty()) {
		return errFindings
	}
	return nil
}

func (a *app) printDiffJSON(d *eval.Diff, names []string, dialect loadout.Dialect) {
	a.printJSON(struct {
		envelope
		Before  string `json:"before"`
		After   string `json:"after"`
		Matcher string `json:"matcher"`
		eval.DiffRecord
	}{envelopeOf("diff", nil), a.Paths.Rel(a.Paths.Abs(names[0])), a.Paths.Rel(a.Paths.Abs(names[1])), dialect.String(), eval.RecordOf(d)})
}
