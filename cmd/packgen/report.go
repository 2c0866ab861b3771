package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/agent/memory"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/workspace"
)

const (
	// loadRows is how many loads and overlaps are shown without -v, reportDead
	// how many dead entries, reportWords how many words of misses.
	loadRows, reportDead, reportWords = 10, 15, 12
	// fewLoads is the number of loads from which their scores say something.
	fewLoads = 10
)

const (
	// scoreBuckets is the number of ranges that scores are counted in.
	scoreBuckets = 10
	// faintHits is how many words of a prompt make a load that is no chance. The
	// hook's matcher scores a hit as a fifth (loadout section 7).
	faintHits = 3
)

// reportFlags are the flags of the report verb.
type reportFlags struct {
	index, log, html string
}

// usageReport is what a report tells (loadout section 24).
type usageReport struct {
	index, log string // absolute
	events     []loadout.Event
	skipped    int
	usage      []loadout.Summary
	dead       []loadout.Dead
	overlaps   []loadout.Overlap
	breadth    *loadout.Breadth
	estimated  float64 // per domain entry, as the index says
	scores     []int   // by tenths; nil without a score
	faint      int     // loads that fewer than faintHits words have made
	entries    int     // of the index
	misses     int     // prompts that nothing matched
	words      []missedWord
}

// missedWord is a word of prompts that nothing matched.
type missedWord struct {
	word    string
	prompts int
	near    string // the entry whose texts have the word; "" when none has
}

// newReport is the report verb.
func newReport(a *app) *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Report what the hook loaded, what it never did, and what it missed",
		Long: `report reads the usage log and the global index: what was loaded how often, which
entries never were, keywords that several entries share, the observed load beside
the estimated one. Where the hook was told to note misses (--record-misses), it
suggests keywords from the words of prompts that nothing matched.

--html writes the same as a page that stands alone. With site.report in packgen.yaml
every build makes such a page of the site. Neither has the text of a prompt.`,
		Example: "  packgen report\n  packgen report --json\n  packgen report --html report.html",
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return a.runReport(f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.index, "index", "", "index `FILE` (default .ai-loadout/index.json in the home directory)")
	flags.StringVar(&f.log, "log", "", "usage log `FILE` (default usage.jsonl beside the index)")
	flags.StringVar(&f.html, "html", "", "write the report as a page to `FILE`")
	return cmd
}

func (a *app) runReport(f reportFlags) error {
	for _, flag := range [][2]string{{"index", f.index}, {"log", f.log}, {"html", f.html}} {
		if err := checkFlagValue(flag[0], flag[1]); err != nil {
			return err
		}
	}
	if ext := strings.ToLower(filepath.Ext(f.html)); f.html != "" && ext != ".html" && ext != ".htm" {
		return diag.WithHint(fmt.Errorf("--html %s: the name of a page ends in .html", f.html), "For example: --html report.html")
	}
	r, err := a.readReport(f)
	if err != nil {
		return err
	}
	if f.html != "" {
		if err := a.writeReportPage(f.html, r); err != nil {
			return err
		}
	}
	findings := malformedLines(a.Rel(r.log), r.skipped)
	if a.json {
		a.printParts(stackEnvelope("report", findings), part{"result", appendUsageReport(nil, r)})
		return nil
	}
	a.printFindings(findings, nil)
	if f.html == "" {
		a.printUsageReport(r)
	} else if !a.quiet {
		fmt.Fprintf(a.stdout, "%s: %s\n", diag.Printable(f.html), amount.Counted(len(r.events), "event"))
	}
	return nil
}

// readReport reads what the flags say, by default the log and the index of the
// global layer.
func (a *app) readReport(f reportFlags) (*usageReport, error) {
	index, log := f.index, f.log
	if index == "" {
		var err error
		if index, err = homePath("index", ".ai-loadout", "index.json"); err != nil {
			return nil, err
		}
	}
	index = a.Path(index)
	if log == "" {
		log = filepath.Join(filepath.Dir(index), logName)
	}
	return readUsageReport(&a.Workspace, index, a.Path(log))
}

// logName is the name of a usage log beside its index.
const logName = "usage.jsonl"

// readUsageReport reads the log, then the index; both paths are absolute.
func readUsageReport(w *workspace.Workspace, index, log string) (*usageReport, error) {
	r := &usageReport{index: index, log: log}
	var err error
	if r.events, r.skipped, err = (layers.Log{Path: r.log}).Read(); err != nil {
		return nil, diag.WithHint(err, "Name the usage log with --log FILE.")
	}
	if _, err := os.Stat(r.log); errors.Is(err, fs.ErrNotExist) && len(r.events) == 0 {
		return nil, diag.WithHint(fmt.Errorf("usage log not found: %s", r.log), "The hook writes it; run packgen hook install.")
	}
	ix, err := w.ReadIndex(r.index)
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("global index missing or unreadable: %w", err), "Run packgen refresh --store DIR with the directory of the MEMORY.md.")
	}
	return r, r.analyze(ix)
}

// readSiteReport reads the report that a site shows. A log that is not there is an
// empty one: a build elsewhere than where the hook runs has none.
func readSiteReport(w *workspace.Workspace, index string) (*usageReport, error) {
	r := &usageReport{index: index, log: filepath.Join(filepath.Dir(index), logName)}
	var err error
	if r.events, r.skipped, err = (layers.Log{Path: r.log}).Read(); err != nil {
		return nil, err
	}
	ix, err := w.ReadIndex(index)
	if err == nil {
		err = r.analyze(ix)
	}
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("site.report: %w", err), "site.report in packgen.yaml names an index that packgen refresh or packgen memories index wrote.")
	}
	return r, nil
}

// malformedLines is the finding about lines of a log that are no events; none when
// every line is one.
func malformedLines(path string, skipped int) []diag.Diagnostic {
	if skipped == 0 {
		return nil
	}
	return []diag.Diagnostic{{
		ID: idUsageMalformed, Severity: diag.Warning, Path: path,
		Message: amount.Counted(skipped, "line") + " of the log could not be read as an event.",
		Hint:    "the others are counted; a line is one JSON object with an entryId",
	}}
}

func (r *usageReport) analyze(ix *loadout.Index) (err error) {
	r.usage = loadout.Summarize(r.events)
	if r.dead, err = loadout.FindDead(ix, r.events); err != nil {
		return err
	}
	if r.overlaps, err = loadout.FindOverlaps(ix, false); err != nil {
		return err
	}
	if r.breadth, err = loadout.AnalyzeBudget(ix, r.usage, false); err != nil {
		return err
	}
	r.estimated, r.entries = ix.Budget.AvgTaskLoad, len(ix.Entries)
	for i := range r.events {
		if score, ok := r.events[i].JSON().Get("score").Num(); ok && !math.IsNaN(score) {
			if r.scores == nil {
				r.scores = make([]int, scoreBuckets)
			}
			r.scores[int(max(0, min(scoreBuckets-1, math.Floor(score*scoreBuckets))))]++
			if score < faintHits/5.0 {
				r.faint++
			}
		}
	}
	return r.readMisses(ix)
}

// readMisses counts the words of prompts that nothing matched. They lie beside
// the index.
func (r *usageReport) readMisses(ix *loadout.Index) error {
	count := map[string]int{}
	base := filepath.Join(filepath.Dir(r.index), "misses.jsonl")
	for _, name := range []string{base + ".1", base} {
		text, err := atomicfile.Read(name, 2*hook.MaxMisses)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return diag.WithHint(fmt.Errorf("read the misses: %w", err), "Move the file away; the hook writes a new one.")
		}
		for line := range strings.Lines(string(text)) {
			v, err := indexjson.Parse([]byte(line))
			if err != nil || v.Get("words").Kind() != loadout.Array {
				continue
			}
			r.misses++
			for w := range v.Get("words").Items {
				if word, ok := w.Str(); ok && len(word) > 2 && !memory.IsStopWord(word) {
					count[word]++
				}
			}
		}
	}
	for word, n := range count {
		r.words = append(r.words, missedWord{word: word, prompts: n})
	}
	slices.SortFunc(r.words, func(x, y missedWord) int {
		if x.prompts != y.prompts {
			return y.prompts - x.prompts
		}
		return strings.Compare(x.word, y.word)
	})
	// A word of a single prompt is chance; the most frequent tell enough.
	r.words = slices.DeleteFunc(r.words, func(w missedWord) bool { return w.prompts < 2 })
	r.words = r.words[:min(len(r.words), 100)]
	findNear(ix, r.words)
	return nil
}

// findNear finds for each word the first entry whose id or summary has it: it is
// where the word may be missing as a keyword.
func findNear(ix *loadout.Index, words []missedWord) {
	at := map[string]*missedWord{} // those without an entry
	for i := range words {
		at[words[i].word] = &words[i]
	}
	for i := range ix.Entries {
		e := &ix.Entries[i]
		if e.Priority == loadout.PriorityCore || len(at) == 0 {
			continue
		}
		for _, word := range ix.Tokenizer.Words(e.ID + " " + e.Summary) {
			if w := at[word]; w != nil {
				w.near = e.ID
				delete(at, word)
			}
		}
	}
}

// appendUsageReport appends the report in the original's shape, with what it adds behind.
func appendUsageReport(dst []byte, r *usageReport) []byte {
	dst = appendField(append(dst, `{"inputs":{`...), "index", r.index)
	dst = append(appendField(append(dst, ','), "usage", r.log), '}')
	dst = fmt.Appendf(dst, `,"events":%d,"skipped":%d,"usage":`, len(r.events), r.skipped)
	dst = loadout.AppendSummaries(dst, r.usage)
	dst = append(append(dst, `,"dead":`...), deadJSON(r.dead)...)
	dst = loadout.AppendBreadth(append(dst, `,"budget":`...), r.breadth)
	dst = append(dst, `,"scoreDistribution":`...)
	if r.scores == nil {
		dst = append(dst, "null"...)
	} else {
		dst = append(dst, '[')
		for i, n := range r.scores {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = fmt.Appendf(dst, `{"label":"%s","count":%d}`, scoreLabel(i), n)
		}
		dst = append(dst, ']')
	}
	dst = loadout.AppendOverlaps(append(dst, `,"ok":true,"overlaps":`...), r.overlaps)
	dst = fmt.Appendf(dst, `,"misses":{"prompts":%d,"words":[`, r.misses)
	for i, w := range r.words {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendField(append(dst, '{'), "word", w.word)
		dst = fmt.Appendf(dst, `,"prompts":%d,"entry":`, w.prompts)
		if w.near == "" {
			dst = append(dst, "null}"...)
		} else {
			dst = append(loadout.AppendString(dst, w.near), '}')
		}
	}
	return append(dst, "]}}"...)
}

// scoreLabel names a range of scores.
func scoreLabel(i int) string {
	return fmt.Sprintf("%.1f–%.1f", float64(i)/scoreBuckets, float64(i+1)/scoreBuckets)
}

// printUsageReport prints the report for a person.
func (a *app) printUsageReport(r *usageReport) {
	w := a.stdout
	fmt.Fprintf(w, "%s: %s\n", diag.Printable(a.Rel(r.log)), amount.Counted(len(r.events), "event"))
	if len(r.usage) > 0 {
		t := &table{right: map[int]bool{1: true, 2: true}}
		t.add("LOADED", "TIMES", "TOKENS", "LAST")
		for _, s := range r.usage[:a.shownRows(len(r.usage), loadRows)] {
			t.add(diag.Printable(s.EntryID), amount.Grouped(s.LoadCount), numberOrUnknown(s.TotalTokens), diag.Printable(s.LastLoaded))
		}
		fmt.Fprintln(w)
		t.write(w)
	}
	a.printDead(r)
	if len(r.overlaps) > 0 {
		t := &table{right: map[int]bool{1: true}}
		t.add("SHARED KEYWORD", "ENTRIES", "WHICH")
		for _, o := range r.overlaps[:a.shownRows(len(r.overlaps), loadRows)] {
			t.add(diag.Printable(o.Keyword), amount.Grouped(len(o.Entries)), a.shortened(o.Entries))
		}
		fmt.Fprintln(w)
		t.write(w)
		fmt.Fprintln(w, "    a word of several entries points to all of them: leave it where it tells most")
	}
	fmt.Fprintf(w, "\nestimated load of a task: %s tokens\n", number(r.estimated))
	if r.breadth.ObservedAvg != nil {
		fmt.Fprintf(w, "observed mean of a load: %s tokens\n", number(*r.breadth.ObservedAvg))
	} else {
		fmt.Fprintln(w, "observed mean of a load: none, the log has no load; packgen hook install wires the hook")
	}
	if r.scores != nil {
		t := &table{right: map[int]bool{1: true}}
		t.add("SCORE", "LOADS")
		for i, n := range r.scores {
			if n > 0 {
				t.add(scoreLabel(i), amount.Grouped(n))
			}
		}
		fmt.Fprintln(w)
		t.write(w)
		if n := r.scored(); n >= fewLoads && 2*r.faint > n {
			fmt.Fprintf(w, "    %d of %d loads have fewer than %d words behind them: their keywords are too common, or too few\n    drop such words, or raise %s above %v\n",
				r.faint, n, faintHits, hook.FloorVariable, hook.DefaultFloor)
		}
	}
	a.printMissedWords(r)
}

// scored is the number of loads with a score.
func (r *usageReport) scored() int {
	sum := 0
	for _, n := range r.scores {
		sum += n
	}
	return sum
}

// shownRows is how many of n rows are shown.
func (a *app) shownRows(n, limit int) int {
	if a.verbose {
		return n
	}
	return min(n, limit)
}

func (a *app) printDead(r *usageReport) {
	if len(r.dead) == 0 {
		return
	}
	sum := 0.0
	t := &table{right: map[int]bool{1: true}}
	t.add("NEVER LOADED", "TOKENS")
	for i, d := range r.dead {
		if !math.IsNaN(d.Entry.TokensEst) {
			sum += d.Entry.TokensEst
		}
		if i < a.shownRows(len(r.dead), reportDead) {
			t.add(diag.Printable(idText(d.Entry)), tokens(d.Entry))
		}
	}
	fmt.Fprintln(a.stdout)
	t.write(a.stdout)
	fmt.Fprintf(a.stdout, "%s never loaded, %s tokens\n    give them keywords that prompts use, or take them out\n", amount.Entries(len(r.dead)), number(sum))
}

func (a *app) printMissedWords(r *usageReport) {
	if r.misses == 0 {
		return
	}
	fmt.Fprintf(a.stdout, "\n%s matched nothing\n", amount.Counted(r.misses, "prompt"))
	if len(r.words) == 0 {
		return
	}
	t := &table{right: map[int]bool{1: true}}
	t.add("WORD", "PROMPTS", "SUGGESTION")
	for _, w := range r.words[:a.shownRows(len(r.words), reportWords)] {
		suggestion := "a topic of its own?"
		if w.near != "" {
			suggestion = "add it to the keywords of " + w.near
		}
		t.add(diag.Printable(w.word), amount.Grouped(w.prompts), diag.Printable(suggestion))
	}
	fmt.Fprintln(a.stdout)
	t.write(a.stdout)
}
