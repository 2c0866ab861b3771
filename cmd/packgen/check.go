package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/workspace"
)

// checkFlags are the flags of the check verb.
type checkFlags struct {
	index, format, output string
	strict, fix, dryRun   bool
	explain               bool
}

// checkFormats are the faces of a report.
var checkFormats = [...]string{"text", "json", "sarif", "github", "markdown"}

// newCheck is the check verb.
func newCheck(a *app) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check [pack...]",
		Short: "Find what is wrong in packs, indexes and roles",
		Long: `check applies every rule: to packs, to the loadout index that would be made of
them, to evals, and to the roles that packgen.yaml names. It compiles in memory
and writes nothing into a pack. With --index it checks one index file instead.

Findings go to standard error as text; the other formats are the output. --output
writes the report to a file, in the format that the file's name says unless
--format does, and leaves the text.

--explain RULE says what a finding of that rule means, why it matters and what to
do. Without a rule it lists what comments in files and the rules of packgen.yaml
switch off or change, where and why; packs limit it to them.

--fix mends what changes nothing that a pack says: byte-order marks, carriage
returns, line feeds at the end of a file, suppressions without effect.

The exit code is 1 when there is an error, with --strict also for a warning.`,
		Example: `  packgen check
  packgen check handbook --strict
  packgen check --format github
  packgen check --output report.sarif
  packgen check --fix --dry-run
  packgen check --explain
  packgen check --explain secret-suspect
  packgen check --index public/index.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.normalise(a, cmd.Flags().Changed("format")); err != nil {
				return err
			}
			switch {
			case f.explain:
				return a.runCheckExplain(cmd, f, args)
			case !cmd.Flags().Changed("index"):
				return a.runCheck(cmd.Context(), f, args)
			case len(args) > 0 || f.fix:
				return diag.WithHint(errors.New("check --index takes no packs and no --fix"), "An index is written anew by packgen build.")
			}
			return a.runCheckIndex(f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.index, "index", "", "check this index `FILE`, .json, instead of packs")
	flags.StringVar(&f.format, "format", "text", "the `FORM` of the report: "+strings.Join(checkFormats[:], ", "))
	flags.StringVar(&f.output, "output", "", "write the report to `FILE`")
	flags.BoolVar(&a.all, "all", false, allUsage)
	flags.BoolVar(&f.strict, "strict", false, "exit with 1 for warnings too")
	flags.BoolVar(&f.fix, "fix", false, "mend what is safe to mend")
	flags.BoolVar(&f.explain, "explain", false, "explain the rule that is named, or list what is switched off and changed, and why")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --fix or --output: say what would be written and write nothing")
	return cmd
}

// normalise settles which format is meant and checks the flags.
func (f *checkFlags) normalise(a *app, formatGiven bool) error {
	if err := oneOf("--format", f.format, checkFormats[:]...); err != nil {
		return err
	}
	if f.output != "" && !formatGiven {
		switch strings.ToLower(filepath.Ext(f.output)) {
		case ".json":
			f.format = "json"
		case ".sarif":
			f.format = "sarif"
		case ".md":
			f.format = "markdown"
		}
	}
	if a.json && f.output == "" {
		if formatGiven && f.format != "json" {
			return diag.WithHint(errors.New("--json and --format contradict each other"), "Leave one of them out.")
		}
		f.format = "json"
	}
	return nil
}

// runCheck checks packs, and checks them again when it has mended something.
func (a *app) runCheck(ctx context.Context, f checkFlags, names []string) error {
	cfg, err := a.LoadConfig()
	if err != nil {
		return err
	}
	now, err := workspace.RunTime(a.Getenv)
	if err != nil {
		return err
	}
	a.scope = diag.Printable(strings.Join(names, " "))
	o := check.RepositoryOptions{Now: now, Names: names, Fix: f.fix, DryRun: f.dryRun}
	c, err := check.Run(ctx, &a.Workspace, cfg, o)
	if err != nil {
		return err
	}
	defer c.Close()
	return a.checked(c, f).emit()
}
