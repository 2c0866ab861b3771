package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/exchange"
)

func newExport(a *app) *cobra.Command {
	var o exchange.Options
	var out string
	cmd := &cobra.Command{
		Use:   "export KIND [PACK...]",
		Short: "Write packs in the formats of agents and other systems",
		Long: `export writes what compiles without errors, all of it or none. KIND is skills,
agents-md (a block in AGENTS.md and the texts it refers to), rules (of Claude Code,
loaded by paths), okf (Open Knowledge Format 0.2) or boot (a role).

A file that packgen has not written, or that was edited since, is never overwritten.
What the reader of a format would cut or leave out is a finding.`,
		Example: "  packgen export skills --out .claude/skills\n  packgen export okf handbook --out build/okf\n  packgen export agents-md --out . --dry-run",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return diag.WithHint(errors.New("export needs a KIND"), "write one of %s", strings.Join(exchange.Kinds(), ", "))
			}
			return oneOf("KIND", args[0], exchange.Kinds()...)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return diag.WithHint(errors.New("export needs a directory"), "name it with --out DIR")
			}
			o.Kind, o.Packs, o.Out = exchange.Kind(args[0]), args[1:], a.Paths.Abs(out)
			if err := a.Load(); err != nil {
				return err
			}
			e, err := exchange.Run(cmd.Context(), &a.Repo, o)
			if err != nil {
				return err
			}
			return a.printExchange("export", o.DryRun, e.Files, e.Findings, e.Dirs)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write below `DIR`")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "say what would be written and write nothing")
	return cmd
}

func newImport(a *app) *cobra.Command {
	var o exchange.ImportOptions
	cmd := &cobra.Command{
		Use:   "import SOURCE DIR",
		Short: "Make a pack of a bundle, a skill or an llms.txt",
		Long: `import makes packs below packs/ of the folder DIR, all of them or none. SOURCE is okf
(a bundle of the Open Knowledge Format), skills (a skill, or a folder of them) or llms
(a folder with an llms.txt and the files that it lists).

Keys without a meaning here are kept. What a pack has no place for is a finding. A
pack that exists is never changed, and nothing is fetched.`,
		Example: "  packgen import skills ~/.claude/skills/release\n  packgen import okf ./bundle --name tables --dry-run",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return diag.WithHint(errors.New("import needs a SOURCE and a DIR"), "write one of %s, and the folder", strings.Join(exchange.Sources(), ", "))
			}
			return oneOf("SOURCE", args[0], exchange.Sources()...)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.From, o.Dir = exchange.From(args[0]), a.Paths.Abs(args[1])
			done, err := exchange.Import(cmd.Context(), &a.Repo, o)
			if err != nil {
				return err
			}
			return a.printExchange("import", o.DryRun, done.Files, done.Findings, nil)
		},
	}
	cmd.Flags().StringVar(&o.Name, "name", "", "call the pack `NAME`")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "say what would be written and write nothing")
	return cmd
}

// printExchange prints what became of each file.
func (a *app) printExchange(verb string, dry bool, files []exchange.Written, findings []diag.Diagnostic, dirs map[string]string) error {
	if a.json {
		a.printJSON(struct {
			envelope
			DryRun bool               `json:"dry_run"`
			Files  []exchange.Written `json:"files"`
		}{envelopeOf(verb, findings), dry, files})
	} else {
		a.printFindings(findings, dirs)
		for _, f := range files {
			if !a.quiet {
				fmt.Fprintf(a.stdout, "%-9s  %s\n", f.Change, diag.Printable(f.Path))
			}
		}
	}
	return verdict(findings)
}
