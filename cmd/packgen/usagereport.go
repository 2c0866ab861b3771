package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/agent/usage"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

const (
	// Rows shown without -v: of loads and overlaps, of dead entries, of words of misses.
	loadRows, reportDead, reportWords = 10, 15, 12
	// fewLoads is the number of loads from which their scores are meaningful.
	fewLoads = 10
)

type reportFlags struct {
	index, log, out string
}

func newUsageReport(a *app) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Report what the hook loaded, what it never did, and what it missed",
		Long: `report reads the usage log and the global index: what was loaded how often, which
entries never were, keywords that several entries share, the observed load beside
the estimated one. Where the hook records misses (--record-misses), it
suggests keywords from the words of prompts that nothing matched.

--out writes the same as a page that stands alone. With site.report in packgen.yaml
every build makes such a page of the site. Neither has the text of a prompt.`,
		Example: "  packgen usage report\n  packgen usage report --json\n  packgen usage report --out report.html",
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return a.runUsageReport(f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.index, "index", "", "index `FILE` (default .ai-loadout/index.json in the home directory)")
	flags.StringVar(&f.log, "usage", "", "usage log `FILE` (default usage.jsonl beside the index)")
	flags.StringVar(&f.out, "out", "", "write the report as a page to `FILE`")
	return cmd
}

func (a *app) runUsageReport(f reportFlags) error {
	if err := checkFlagValues("index", f.index, "usage", f.log, "out", f.out); err != nil {
		return err
	}
	if ext := strings.ToLower(filepath.Ext(f.out)); f.out != "" && ext != ".html" && ext != ".htm" {
		return diag.WithHint(fmt.Errorf("--out %s: the name of a page ends in .html", f.out), "write a name such as --out report.html")
	}
	r, err := a.readReport(f)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := a.writeReportPage(f.out, r); err != nil {
			return err
		}
	}
	findings := usage.MalformedLines(a.Rel(r.Log), r.Skipped)
	if a.json {
		a.printParts(envelopeOf("usage report", findings), part{"result", r.JSON()})
		return nil
	}
	a.printFindings(findings, nil)
	if f.out == "" {
		a.printUsageReport(r)
	} else if !a.quiet {
		fmt.Fprintf(a.stdout, "%s: %s\n", diag.Printable(f.out), amount.Counted(len(r.Events), "event"))
	}
	return nil
}

// readReport reads the log and the index, by default those of the global layer.
func (a *app) readReport(f reportFlags) (*usage.Report, error) {
	index, err := a.homeFile("index", f.index, globalIndex)
	if err != nil {
		return nil, err
	}
	log := f.log
	if log == "" {
		log = filepath.Join(filepath.Dir(index), usage.LogName)
	}
	return usage.Read(&a.Workspace, index, a.Path(log))
}

func (a *app) printUsageReport(r *usage.Report) {
	w := a.stdout
	fmt.Fprintf(w, "%s: %s\n", diag.Printable(a.Rel(r.Log)), amount.Counted(len(r.Events), "event"))
	if len(r.Usage) > 0 {
		t := &columns.Table{Right: map[int]bool{1: true, 2: true}}
		t.Add("LOADED", "TIMES", "TOKENS", "LAST")
		for _, s := range r.Usage[:a.shownRows(len(r.Usage), loadRows)] {
			t.Add(diag.Printable(s.EntryID), amount.Grouped(s.LoadCount), numberOrUnknown(s.TotalTokens), diag.Printable(s.LastLoaded))
		}
		fmt.Fprintln(w)
		t.Write(w)
	}
	a.printDead(r)
	if len(r.Overlaps) > 0 {
		t := &columns.Table{Right: map[int]bool{1: true}}
		t.Add("SHARED KEYWORD", "ENTRIES", "WHICH")
		for _, o := range r.Overlaps[:a.shownRows(len(r.Overlaps), loadRows)] {
			t.Add(diag.Printable(o.Keyword), amount.Grouped(len(o.Entries)), a.shortened(o.Entries))
		}
		fmt.Fprintln(w)
		t.Write(w)
		fmt.Fprintln(w, "    a word of several entries points to all of them: leave it where it is most specific")
	}
	fmt.Fprintf(w, "\nestimated load of a task: %s tokens\n", indexjson.Rounded(r.Estimated))
	if r.Breadth.ObservedAvg != nil {
		fmt.Fprintf(w, "observed mean of a load: %s tokens\n", indexjson.Rounded(*r.Breadth.ObservedAvg))
	} else {
		fmt.Fprintln(w, "observed mean of a load: none, the log has no load; packgen hook install wires the hook")
	}
	if r.Scores != nil {
		t := &columns.Table{Right: map[int]bool{1: true}}
		t.Add("SCORE", "LOADS")
		for i, n := range r.Scores {
			if n > 0 {
				t.Add(usage.ScoreLabel(i), amount.Grouped(n))
			}
		}
		fmt.Fprintln(w)
		t.Write(w)
		if n := r.Scored(); n >= fewLoads && 2*r.Faint > n {
			fmt.Fprintf(w, "    %d of %d loads have fewer than %d matched words: their keywords are too common, or too few\n    drop such words, or raise %s above %v\n",
				r.Faint, n, usage.FaintHits, hook.FloorVariable, hook.DefaultFloor)
		}
	}
	a.printMissedWords(r)
}

func (a *app) shownRows(n, limit int) int {
	if a.verbose {
		return n
	}
	return min(n, limit)
}

func (a *app) printDead(r *usage.Report) {
	if len(r.Dead) == 0 {
		return
	}
	sum := 0.0
	t := &columns.Table{Right: map[int]bool{1: true}}
	t.Add("NEVER LOADED", "TOKENS")
	for i, d := range r.Dead {
		if !math.IsNaN(d.Entry.TokensEst) {
			sum += d.Entry.TokensEst
		}
		if i < a.shownRows(len(r.Dead), reportDead) {
			t.Add(diag.Printable(idText(d.Entry)), tokens(d.Entry))
		}
	}
	fmt.Fprintln(a.stdout)
	t.Write(a.stdout)
	fmt.Fprintf(a.stdout, "%s never loaded, %s tokens\n    give them keywords that prompts use, or take them out\n", amount.Entries(len(r.Dead)), indexjson.Rounded(sum))
}

func (a *app) printMissedWords(r *usage.Report) {
	if r.Misses == 0 {
		return
	}
	fmt.Fprintf(a.stdout, "\n%s matched nothing\n", amount.Counted(r.Misses, "prompt"))
	if len(r.Words) == 0 {
		return
	}
	t := &columns.Table{Right: map[int]bool{1: true}}
	t.Add("WORD", "PROMPTS", "SUGGESTION")
	for _, w := range r.Words[:a.shownRows(len(r.Words), reportWords)] {
		suggestion := "a topic of its own?"
		if w.Near != "" {
			suggestion = "add it to the keywords of " + w.Near
		}
		t.Add(diag.Printable(w.Word), amount.Grouped(w.Prompts), diag.Printable(suggestion))
	}
	fmt.Fprintln(a.stdout)
	t.Write(a.stdout)
}
