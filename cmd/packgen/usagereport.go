package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/usage"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/site"
	"github.com/packgen/packgen/site/build"
)

type reportFlags struct {
	index, log, out string
}

func newUsageReport(a *app) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Report what the hook loaded, what it never did, and what it missed",
		Long: `report reads the usage log and the global index, or the packs and rules of this
repository where no memories are published: what was loaded how often, which entries never were, keywords that several entries share, the observed load beside
the estimated one. Where the hook records misses (--record-misses), it
suggests keywords from the words of prompts that nothing matched.

--out writes the same as a page that stands alone. With site.report in packgen.yaml
every build makes such a page of the site. Neither has the text of a prompt.`,
		Example: "  packgen usage report\n  packgen usage report --json\n  packgen usage report --out report.html",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runUsageReport(cmd.Context(), f, cmd.Flags()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.index, "index", "", "index `FILE` (default .ai-loadout/index.json in the home directory)")
	flags.StringVar(&f.log, "usage", "", "usage log `FILE` (default usage.jsonl beside the index)")
	flags.StringVar(&f.out, "out", "", "write the report as a page to `FILE`")
	return cmd
}

func (a *app) runUsageReport(ctx context.Context, f reportFlags, flags *pflag.FlagSet) error {
	if err := checkPageName(f.out); err != nil {
		return err
	}
	r, err := a.readReport(ctx, f, flags)
	if err != nil {
		return err
	}
	if f.out != "" {
		err := a.writePage(f.out, func(w io.Writer, title, language string) error {
			return site.WriteReport(w, build.ReportPage(r), title, language)
		})
		if err != nil {
			return err
		}
	}
	findings := usage.MalformedLines(a.Paths.Rel(r.Log), r.Skipped)
	if a.json {
		a.printParts(envelopeOf("usage report", findings), part{"result", r.JSON()})
		return nil
	}
	a.printFindings(findings, nil)
	if f.out == "" {
		r.WriteText(a.printer(), a.Paths.Rel(r.Log))
	} else if !a.quiet {
		fmt.Fprintf(a.stdout, "%s: %s\n", diag.Printable(f.out), amount.Counted(len(r.Events), "event"))
	}
	return nil
}

// readReport reads the log and the index, by default those of the global layer. Whoever
// keeps no memories has no such index: then the entries are those of all layers, as the hook
// sees them.
func (a *app) readReport(ctx context.Context, f reportFlags, flags *pflag.FlagSet) (*usage.Report, error) {
	index, err := a.homeFile("index", f.index, globalIndex)
	if err != nil {
		return nil, err
	}
	log := f.log
	if log == "" {
		log = layers.LogBeside(index).Path
	} else if _, err := os.Stat(a.Paths.Abs(log)); errors.Is(err, fs.ErrNotExist) {
		return nil, diag.Absent("usage log", log, "name the log with --usage FILE; without it the one beside the index is read")
	}
	if _, err := os.Stat(index); f.index == "" && errors.Is(err, fs.ErrNotExist) {
		s, err := a.readStack(ctx, stackFlags{}, flags, diag.Warning)
		if err != nil {
			return nil, err
		}
		return usage.ReadEntries(&s.Merged.Index, index, a.Paths.Abs(log))
	}
	return usage.Read(&a.Repo, index, a.Paths.Abs(log))
}
