package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/adopt"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/resolver/starter"
)

func newInit(a *app) *cobra.Command {
	var f starter.Options
	var in []string
	cmd := &cobra.Command{
		Use:   "init [DIR] [--from FOLDER]",
		Short: "Make a knowledge repository with one small pack",
		Long: `init makes a knowledge repository in DIR, or here: one pack to rewrite, evals for
it, packgen.yaml, a Makefile, a workflow for GitHub Pages, .gitignore and .gitattributes. What it
makes builds without a warning. DIR is created when it is missing.

No file is ever overwritten. A Makefile or another file of the root that exists is
left as it is; where a pack of that name, or anything else, is in the way, nothing
is written and the exit code is 1.

In a knowledge repository, init --name NAME adds a pack.

init --from FOLDER makes a pack of a folder of Markdown in place: no
file of it is moved or changed. packgen.yaml names the folder, KNOWLEDGE.md says what
it is about, in the order of the folder's own navigation. init says what it found and
what it left out, and builds the site.`,
		Example: "  packgen init handbook\n  packgen init --profile wiki-first --name field-notes\n  packgen init --dry-run\n  packgen init --from docs",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return diag.WithHint(fmt.Errorf("%s takes one directory, found %q too", cmd.CommandPath(), args[1]), "give the pack's name with --name NAME")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if args = append(args, in...); len(args) > 1 {
				return diag.WithHint(errors.New("the directory of the repository is given twice"), "give it as DIR or with --in DIR")
			}
			if len(args) > 0 {
				dir = args[0]
			} else if repo.Holds(a.Paths.Dir, repo.ConfigName) {
				dir = a.Paths.FromStart(".") // another pack for this repository
			}
			if f.From != "" && !cmd.Flags().Changed("name") {
				f.Name = adopt.NameFor(a.Paths.Abs(a.Paths.Given(f.From)))
			}
			return a.runInit(cmd.Context(), dir, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Name, "name", "handbook", "the `NAME` of the pack: a-z, 0-9 and -")
	flags.StringVar(&f.Profile, "profile", starter.Profiles[0], "the `PROFILE` of the pack: "+strings.Join(starter.Profiles[:], ", "))
	flags.StringVar(&f.From, "from", "", "make the pack of the Markdown in `FOLDER` in place")
	flags.StringSliceVar(&in, "in", nil, "the `DIR` of the repository, as the argument")
	flags.BoolVar(&f.MDX, "mdx", false, "with --from: read .mdx as Markdown, its components as text")
	flags.BoolVar(&f.DryRun, "dry-run", false, "list what would be written and write nothing")
	return cmd
}

func (a *app) runInit(ctx context.Context, dir string, f starter.Options) error {
	if err := starter.CheckPackName(f.Name); err != nil {
		return err
	}
	if err := oneOf("--profile", f.Profile, starter.Profiles[:]...); err != nil {
		return err
	}
	in, err := starter.Make(ctx, &a.Repo, dir, f)
	if err != nil {
		return err
	}
	if err := (initPrinter{in, a}).report(); err != nil || in.Folder == nil || f.DryRun {
		return err
	}
	return a.buildAdopted(in)
}

// buildAdopted builds the site of a repository that init has made from a folder, which the
// user has named and so allows.
func (a *app) buildAdopted(in *starter.Run) error {
	args := []string{"-C", in.Dir, "build", "--allow-root", in.Folder.Dir}
	if a.quiet || a.json {
		args = append(args, "-q")
	}
	out := a.stdout
	if a.json {
		out = io.Discard // standard output holds the envelope of init
	}
	if code := run(args, strings.NewReader(""), out, a.stderr); code != exitDone {
		return diag.WithHint(errFindings, "run packgen build, which says what keeps the pack from the site")
	}
	return nil
}

type initFile struct {
	Path   string `json:"path"`   // relative to dir
	Change string `json:"change"` // created or kept
}

type initPrinter struct {
	*starter.Run
	app *app
}

// report prints the outcome and returns the error that sets the exit code.
func (in initPrinter) report() error {
	blocked := len(in.Blocked) > 0
	list := []initFile{}
	for _, f := range in.Files {
		switch found := in.Kept[f.Path]; {
		case found != "":
			list = append(list, initFile{found, "kept"})
		case !blocked:
			list = append(list, initFile{f.Path, "created"})
		}
	}
	if in.app.json {
		head := envelope{OK: !blocked, Status: schema.Passed, Command: "init", Pack: in.Flags.Name, Findings: findingsOf(in.Blocked)}
		if blocked {
			head.Status = schema.Failed
		}
		in.app.printJSON(struct {
			envelope
			DryRun  bool       `json:"dry_run"`
			Dir     string     `json:"dir"`
			Profile string     `json:"profile"`
			Files   []initFile `json:"files"`
			Found   []string   `json:"found,omitempty"`
		}{head, in.Flags.DryRun, in.Dir, in.Flags.Profile, list, in.Found()})
	} else {
		in.app.printFindings(in.Blocked, nil)
		if !in.app.quiet && !blocked {
			for _, f := range list {
				fmt.Fprintf(in.app.stdout, "%-7s  %s\n", f.Change, f.Path)
			}
			for _, line := range append(in.Found(), in.Next()...) {
				fmt.Fprintln(in.app.stderr, diag.Printable(line))
			}
		}
	}
	if blocked {
		return errFindings
	}
	return nil
}
