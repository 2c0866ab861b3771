package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	"github.com/packgen/packgen/site"
	"github.com/packgen/packgen/site/build"
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

// newUsageRecord notes a load that no hook saw.
func newUsageRecord(a *app) *cobra.Command {
	var f struct {
		usage.Load
		log string
	}
	cmd := &cobra.Command{
		Use:   "record ID",
		Short: "Note that an entry was loaded",
		Long: `record appends one event to the usage log, for agents and scripts that load entries
by other ways than the hook. Any number of programs may write at once.`,
		Example: "  packgen usage record gh-ci --trigger by-hand --tokens 330",
		Args:    needsArguments(1, "the id of one entry", "run packgen layers for a list"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFlagValue("trigger", "TEXT", f.Trigger); err != nil {
				return err
			}
			if err := oneOf("--mode", f.Mode, string(loadout.Eager), string(loadout.Lazy), string(loadout.ByManual)); err != nil {
				return err
			}
			name, err := a.homeFile("usage", f.log, usageLog)
			if err != nil {
				return err
			}
			f.ID = args[0]
			if err := usage.RecordNow(cmd.Context(), name, f.Load); err != nil {
				return diag.WithHint(err, "make it writable, or name another log with --usage")
			}
			if a.json {
				a.printJSON(envelopeOf("usage record", nil))
			} else if !a.quiet {
				fmt.Fprintf(a.stdout, "%s: noted in %s\n", diag.Printable(f.ID), diag.Printable(a.Paths.Rel(name)))
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Trigger, "trigger", "by-hand", "`TEXT` that says why it was loaded")
	flags.StringVar(&f.Mode, "mode", string(loadout.Lazy), "the `MODE` of the load: eager, lazy or manual")
	flags.StringVar(&f.Task, "task-hash", "", "`HASH` of the task or session (default unknown)")
	flags.IntVar(&f.Tokens, "tokens", 0, "`N` tokens that were loaded")
	flags.StringVar(&f.log, "usage", "", "usage log `FILE` (default usage.jsonl beside the global index)")
	alsoNamed(cmd, map[string]string{"task": "task-hash"})
	return cmd
}
