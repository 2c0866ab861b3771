package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site/build"
)

type checkFlags struct {
	gate
	index, format, out   string
	records              []string
	schema               string
	fix, dryRun, explain bool
}

func newCheck(a *app) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check [pack...]",
		Short: "Find what is wrong in packs, indexes and roles",
		Long: `check applies every rule: to packs, to the loadout index that would be made of
them, to evals, and to the roles that packgen.yaml names. It compiles and makes the
pages in memory, reports what a build reports of them, and writes nothing into a
pack. With --index it checks one index file instead.

Findings go to standard error as text; the other formats are the output. --out
writes the report to a file, in the format that the file's name says unless
--format does, and leaves the text.

--explain RULE says what a finding of that rule means, why it matters and what to
do; --explain all lists the rules. Without a rule it lists what comments in files
and the rules of packgen.yaml switch off or change, where and why; packs limit it
to them.

--record FILE... checks JSON records against their schemas instead: runs of compile,
context, eval, lint and health, source maps, eval suites, packgen.lock. Which schema
is meant follows from the file name (compile-, context-, eval-discovery-, health-,
lint-, source-map, discovery.), otherwise from distinctive keys. A record that has
the name of one of ours and none of its keys was written by another tool; it is
reported and skipped. A run whose file has the name of another run is reported too.

--fix corrects what does not change what a pack says: byte-order marks, carriage
returns, line feeds at the end of a file, suppressions without effect.

The exit code is 1 when there is an error; --fail-on says otherwise.`,
		Example: `  packgen check
  packgen check handbook --fail-on warning
  packgen check --format github
  packgen check --out report.sarif
  packgen check --fix --dry-run
  packgen check --explain
  packgen check --explain secret-suspect
  packgen check --record packs/handbook/runs/*.json
  packgen check --index public/index.json`,
		ValidArgsFunction: a.completeChecked,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(f.normalise(a, cmd.Flags().Changed("format")), f.gate.check()); err != nil {
				return err
			}
			if cmd.Flags().Changed("record") {
				return a.runCheckRecord(cmd, f, args)
			}
			switch {
			case cmd.Flags().Changed("schema"):
				return diag.WithHint(errors.New("--schema is about records"), "name them with --record FILE")
			case f.explain:
				return a.runCheckExplain(cmd, f, args)
			case !cmd.Flags().Changed("index"):
				return a.runCheck(cmd.Context(), f, args)
			case len(args) > 0 || f.fix:
				return diag.WithHint(errors.New("check --index takes no packs and no --fix"), "run packgen build to write the index again")
			}
			return a.runCheckIndex(f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.index, "index", "", "check this index `FILE`, .json, instead of packs")
	flags.StringVar(&f.format, "format", "text", "the `FORM` of the report: "+strings.Join(check.Formats[:], ", "))
	flags.StringVar(&f.out, "out", "", "write the report to `FILE`")
	flags.StringArrayVar(&f.records, "record", nil, "check this JSON record `FILE`, and those that follow, instead of packs")
	flags.StringVar(&f.schema, "schema", "", "with --record: the `NAME` of the schema, instead of what the file suggests")
	flags.BoolVar(&a.all, "all", false, allUsage)
	f.gate.register(flags)
	flags.BoolVar(&f.fix, "fix", false, "fix what can be fixed safely")
	flags.BoolVar(&f.explain, "explain", false, "explain the rule that is named, all of them with all, or list what is switched off and changed, and why")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --fix or --out: say what would be written and write nothing")
	return cmd
}

// normalise chooses the format and checks the flags.
func (f *checkFlags) normalise(a *app, formatGiven bool) error {
	if err := oneOf("--format", f.format, check.Formats[:]...); err != nil {
		return err
	}
	if form := check.FormatOf(f.out); form != "" && !formatGiven {
		f.format = form
	}
	if a.json && f.out == "" {
		if formatGiven && f.format != "json" {
			return diag.WithHint(errors.New("--json and --format contradict each other"), "leave one of them out")
		}
		f.format = "json"
	}
	return nil
}

func (a *app) runCheck(ctx context.Context, f checkFlags, names []string) error {
	if err := a.Load(); err != nil {
		return err
	}
	now, err := repo.RunTime(a.Getenv)
	if err != nil {
		return err
	}
	a.scope = diag.Printable(strings.Join(names, " "))
	o := check.RepositoryOptions{Now: now, Names: names, Fix: f.fix, DryRun: f.dryRun, Site: func(all *repo.Packs) (check.Site, error) {
		return build.Inspect(ctx, &a.Repo, all)
	}}
	c, err := check.Run(ctx, &a.Repo, o)
	if err != nil {
		return err
	}
	defer c.Close()
	return a.checked(c, f).emit()
}
