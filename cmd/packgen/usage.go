package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/usage"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/loadout/render"
	"github.com/packgen/packgen/resolver/repo"
)

type usageFlags struct {
	stack      stackFlags
	index, log string // log is --usage
}

// usageInput is what a usage command works on.
type usageInput struct {
	log      string // as displayed
	found    bool   // whether the log exists
	events   []loadout.Event
	index    *loadout.Index
	findings []diag.Diagnostic
}

func newUsage(a *app) *cobra.Command {
	return grouping("", &cobra.Command{
		Use:   "usage",
		Short: "Analyse the usage log: what loads, what never does",
		Long: `usage reads the log of what was loaded (one JSON object a line) and, except for
summary, the entries of the layers or of the index that --index names. Lines of
the log that are not events are counted and skipped; a log that does not exist
is empty.`,
	},
		a.usageVerb("summary", "Show how often each entry was loaded", "summary sums up the log by entry, the most loaded first.", (*app).usageSummary),
		a.usageDeadVerb(), a.usageOverlapsVerb(), a.usageBudgetVerb(),
		newUsageReport(a), newUsageRecord(a),
	)
}

func (a *app) usageDeadVerb() *cobra.Command {
	return a.usageVerb("dead", "Show the entries that were never loaded", "dead lists the entries, except for core ones, that the log never names, the largest\nfirst.", (*app).usageDead)
}

func (a *app) usageOverlapsVerb() *cobra.Command {
	return a.usageVerb("overlaps", "Show the keywords that several entries list", "overlaps lists the keywords that more than one entry has, the most shared first.", (*app).usageOverlaps)
}

func (a *app) usageBudgetVerb() *cobra.Command {
	return a.usageVerb("budget", "Show the token budget, and what a load costs on average", "budget sums up the entries by priority, and the average load that the log shows.", (*app).usageBudget)
}

// usageVerb returns one of the subcommands.
func (a *app) usageVerb(name, short, long string, show func(*app, *usageInput) error) *cobra.Command {
	var f usageFlags
	cmd := &cobra.Command{
		Use: name, Short: short, Long: long, Args: noArguments,
		Example: "  packgen usage " + name + "\n  packgen usage " + name + " --usage usage.jsonl --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, err := a.readUsage(cmd.Context(), f, cmd.Flags(), name)
			if err != nil {
				return err
			}
			return show(a, in)
		},
	}
	flags := cmd.Flags()
	if name != "overlaps" {
		flags.StringVar(&f.log, "usage", "", "usage log `FILE` (default usage.jsonl beside the global index)")
	}
	if name != "summary" {
		flags.StringVar(&f.index, "index", "", "index `FILE`, .json or .bin (default the merged layers)")
		f.stack.register(flags)
	} else {
		flags.StringVar(&f.stack.global, "global", "", "`DIR` of the global layer (default .ai-loadout in the home directory)")
	}
	return cmd
}

func (a *app) readUsage(ctx context.Context, f usageFlags, flags *pflag.FlagSet, verb string) (*usageInput, error) {
	in := &usageInput{}
	if verb != "overlaps" {
		if err := a.readLog(in, f, flags); err != nil {
			return nil, err
		}
	}
	if verb == "summary" {
		return in, nil
	}
	if flags.Changed("index") {
		ix, err := repo.ReadIndex(a.Paths, f.index)
		in.index = ix
		return in, err
	}
	s, err := a.readStack(ctx, f.stack, flags, diag.Warning)
	if err != nil {
		return nil, err
	}
	in.index = &s.Merged.Index
	in.findings = append(in.findings, s.Findings...)
	return in, nil
}

func (a *app) readLog(in *usageInput, f usageFlags, flags *pflag.FlagSet) error {
	name := f.log
	if !flags.Changed("usage") {
		dir := f.stack.global
		if !flags.Changed("global") {
			home, err := os.UserHomeDir()
			if err != nil {
				return diag.WithHint(fmt.Errorf("find the home directory: %w", err), "name the log with --usage FILE")
			}
			dir = filepath.Join(home, ".ai-loadout")
		}
		name = filepath.Join(dir, "usage.jsonl")
	}
	path := a.Paths.Abs(name)
	in.log = a.Paths.Rel(path)
	events, skipped, err := layers.Log{Path: path}.Read()
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil {
		in.found = true
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the usage log: %w", err)
	}
	in.events = events
	in.findings = append(in.findings, usage.MalformedLines(in.log, skipped)...)
	return nil
}

// show prints the findings and the result, in either form.
func (in *usageInput) show(a *app, verb string, result []byte, text func(*render.Printer)) {
	if !a.json {
		a.printFindings(in.findings, nil)
		in.printLog(a)
		text(a.printer())
		return
	}
	var events *int // nil where no log was read
	if n := len(in.events); in.log != "" {
		events = &n
	}
	a.printParts(struct {
		envelope
		Log    string `json:"log,omitempty"`
		Events *int   `json:"events,omitempty"`
	}{envelopeOf("usage "+verb, in.findings), in.log, events}, part{"result", result})
}

// printLog says which log was read.
func (in *usageInput) printLog(a *app) {
	switch {
	case in.log == "":
	case !in.found && len(in.events) == 0:
		fmt.Fprintf(a.stdout, "no usage log at %s\n", diag.Printable(in.log))
	default:
		fmt.Fprintf(a.stdout, "%s: %s\n", diag.Printable(in.log), amount.Counted(len(in.events), "event"))
	}
}

func (a *app) usageSummary(in *usageInput) error {
	list := loadout.Summarize(in.events)
	in.show(a, "summary", loadout.AppendSummaries(nil, list), func(p *render.Printer) { p.Summary(list) })
	return nil
}

func (a *app) usageDead(in *usageInput) error {
	list, err := loadout.FindDead(in.index, in.events)
	if err != nil {
		return fmt.Errorf("find dead entries: %w", err)
	}
	in.show(a, "dead", usage.DeadJSON(list), func(p *render.Printer) { p.Dead(list, len(in.index.Entries)) })
	return nil
}

func (a *app) usageOverlaps(in *usageInput) error {
	list, err := loadout.FindOverlaps(in.index, false)
	if err != nil {
		return fmt.Errorf("find overlaps: %w", err)
	}
	in.show(a, "overlaps", loadout.AppendOverlaps(nil, list), func(p *render.Printer) { p.Overlaps(list, len(in.index.Entries)) })
	return nil
}

func (a *app) usageBudget(in *usageInput) error {
	var summaries []loadout.Summary
	if in.found || len(in.events) > 0 {
		summaries = loadout.Summarize(in.events)
	}
	b, err := loadout.AnalyzeBudget(in.index, summaries, false)
	if err != nil {
		return fmt.Errorf("analyse the budget: %w", err)
	}
	in.show(a, "budget", loadout.AppendBreadth(nil, b), func(p *render.Printer) { p.Budget(b) })
	return nil
}
