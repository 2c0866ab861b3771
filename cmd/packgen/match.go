package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/workspace"
	"github.com/packgen/packgen/resolver/workspace/library"
)

// maxTask is the size limit of a task on standard input, in bytes.
const maxTask = 1 << 20

// nearMisses is the number of entries below the threshold shown without -v.
const nearMisses = 5

type matchFlags struct {
	fromFlags
	index string
	also  []string
	score scoreFlags
}

func newMatch(a *app) *cobra.Command {
	var f matchFlags
	cmd := &cobra.Command{
		Use:   "match TASK",
		Short: "Show which entries of the index a task selects, and why",
		Long: `match scores the entries of a built index against a task, as an agent's router
and the match page of the site do. For each entry it shows the arithmetic of the
score and the words that hit; below the threshold, the near misses. "-" reads
the task from standard input.

With --json the result holds the matches in the format of the index's original
tools, detail the arithmetic.`,
		Example: "  packgen match fix the release workflow\n  packgen match --matcher recall --json 'review a change'",
		Args:    needsTask,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runMatch(cmd.Context(), f, args, cmd.Flags()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.index, "index", "", "index `FILE`, .json or .bin (default index.json of the output directory)")
	f.fromFlags.register(a, flags, "use the index of a site or a pack")
	flags.StringArrayVar(&f.also, "also", nil, "`TEXT` that says the task, or a part of it, in other words; may be repeated")
	f.score.register(flags)
	cmd.MarkFlagsMutuallyExclusive("index", "from")
	return cmd
}

// needsTask refuses a command without a task.
func needsTask(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return diag.WithHint(fmt.Errorf("%s needs a task", cmd.Name()), "try packgen %s fix the release workflow", cmd.Name())
}

func (a *app) runMatch(ctx context.Context, f matchFlags, args []string, flags *pflag.FlagSet) error {
	options, cfg, err := f.score.options(a, flags)
	if err != nil {
		return err
	}
	task, err := a.readTask(args)
	if err != nil {
		return err
	}
	options.Also = f.also
	name, m, err := a.openMatcher(ctx, f, cfg)
	if err != nil {
		return err
	}
	results, err := m.Match(task, options)
	if err != nil {
		return fmt.Errorf("match against %s: %w", name, err)
	}
	detail, err := m.Detail(task, options)
	if err != nil {
		return fmt.Errorf("match against %s: %w", name, err)
	}
	findings := wordFindings(name, m.Index())
	if a.json {
		a.printMatchJSON(name, task, findings, results, detail)
	} else {
		a.printFindings(findings, nil)
		a.printMatch(name, detail)
	}
	return nil
}

// wordFindings reports the entries that no task can select because their words have the
// wrong shape.
func wordFindings(name string, ix *loadout.Index) []diag.Diagnostic {
	var list []diag.Diagnostic
	for i := range ix.Entries {
		e := &ix.Entries[i]
		if e.Priority == loadout.PriorityCore || e.Priority == loadout.PriorityManual {
			continue // always or never loaded, whatever the words
		}
		if problem := indexjson.WordsProblem(e); problem != "" {
			list = append(list, diag.Diagnostic{
				ID: workspace.IDEntryMalformed, Severity: diag.Warning, Path: name,
				Message: fmt.Sprintf("entry %s: %s", workspace.Named(ix, i), problem),
				Hint:    "run packgen check --index for the place; the other entries are matched",
			})
		}
	}
	return list
}

// openMatcher opens the index that the flags name. The returned name is for display.
func (a *app) openMatcher(ctx context.Context, f matchFlags, cfg workspace.Config) (name string, m workspace.Matcher, err error) {
	if len(f.from) > 0 {
		return library.FromMatcher(ctx, &a.Workspace, f.from, f.offline, cfg)
	}
	name = f.index
	if name == "" {
		name = filepath.Join(cfg.Out, "index.json")
	}
	if m, err = a.ReadMatcher(name); err != nil {
		return "", nil, err
	}
	return a.Rel(a.Path(name)), m, nil
}

func (a *app) readTask(args []string) (string, error) { return a.readWords(args, "task", maxTask) }

// readWords returns the words of the command line, or at most limit bytes of standard
// input for "-". what names the text in errors.
func (a *app) readWords(args []string, what string, limit int64) (string, error) {
	if len(args) != 1 || args[0] != "-" {
		return strings.Join(args, " "), nil
	}
	data, err := io.ReadAll(io.LimitReader(a.stdin, limit+1))
	if err != nil {
		return "", fmt.Errorf("read the %s: %w", what, err)
	}
	if int64(len(data)) > limit {
		return "", diag.WithHint(fmt.Errorf("the %s is too long", what), "shorten it to %s", bytesize.Text(limit))
	}
	return string(data), nil
}

var (
	_ workspace.Matcher = (*loadout.Matcher)(nil)
	_ workspace.Matcher = workspace.Scan{}
)

// loads sums up what would be loaded for a task.
type loads struct {
	Entries int     `json:"entries"`
	Tokens  float64 `json:"tokens"`
	Eager   float64 `json:"eager_tokens"`
	Lazy    float64 `json:"lazy_tokens"`
}

func loadsOf(detail *loadout.Breakdown) loads { return loads(detail.Loads()) }

// printMatchJSON prints the envelope; the matches keep the JSON of the format.
func (a *app) printMatchJSON(name, task string, findings []diag.Diagnostic, results []loadout.Result, detail *loadout.Breakdown) {
	a.printParts(struct {
		envelope
		Index   string `json:"index"`
		Task    string `json:"task"`
		Matcher string `json:"matcher"`
		Loads   loads  `json:"loads"`
	}{
		envelope: envelope{OK: true, Status: "passed", Command: "match", Findings: findingsOf(findings)},
		Index:    name, Task: task, Matcher: detail.Dialect.String(), Loads: loadsOf(detail),
	}, part{"result", loadout.AppendResults(nil, results)}, part{"detail", loadout.AppendBreakdown(nil, detail, 0, 0)})
}

func (a *app) printMatch(name string, detail *loadout.Breakdown) {
	w := a.stdout
	fmt.Fprintf(w, "%s, %s matcher, threshold %s\n", diag.Printable(name), detail.Dialect, indexjson.Rounded(detail.MinScore))
	fmt.Fprintf(w, "words of the task: %s\n", orNone(detail.Words))
	missed := 0
	for i := range detail.Entries {
		r := &detail.Entries[i]
		if !r.Included {
			missed++
			continue
		}
		fmt.Fprintln(w)
		a.printRating(r, detail.Dialect)
	}
	l := loadsOf(detail)
	fmt.Fprintf(w, "\nwould load %s: %s tokens (%s eager, %s lazy)\n",
		amount.Entries(l.Entries), indexjson.Rounded(l.Tokens), indexjson.Rounded(l.Eager), indexjson.Rounded(l.Lazy))
	if missed > 0 && !a.quiet {
		a.printMisses(detail, missed)
	}
}

// printMisses prints the entries that the task's words hit but that are not included.
func (a *app) printMisses(detail *loadout.Breakdown, missed int) {
	fmt.Fprintf(a.stdout, "\nnear misses:\n")
	shown := 0
	for i := range detail.Entries {
		r := &detail.Entries[i]
		if r.Included {
			continue
		}
		if shown == nearMisses && !a.verbose {
			fmt.Fprintf(a.stdout, "  and %s more; -v shows all\n", amount.Grouped(missed-shown))
			return
		}
		shown++
		why := "score " + indexjson.Rounded(r.Score.Total) + ", keywords " + bracketed(r.MatchedKeywords)
		if v := r.Score.Evidence; v != nil {
			why = "score " + indexjson.Rounded(r.Score.Total) + ", words " + bracketed(v.Words)
		}
		if r.Mode == loadout.ByManual {
			why = "manual: loaded by name only; would have hit " + bracketed(append(r.MatchedKeywords, r.MatchedPatterns...))
		}
		fmt.Fprintf(a.stdout, "  %s  %s\n", diag.Printable(idText(r.Entry)), why)
	}
}

// printRating prints one included entry and its arithmetic.
func (a *app) printRating(r *loadout.Rating, dialect loadout.Dialect) {
	p := a.painterFor(a.stdout)
	fmt.Fprintf(a.stdout, "%s  %s  %s tokens, %s\n", p.Bold(indexjson.Rounded(r.Score.Total)), p.Green(diag.Printable(idText(r.Entry))), tokens(r.Entry), r.Mode)
	fmt.Fprintf(a.stdout, "    %s\n", arithmetic(r, dialect))
	if r.Mode == loadout.Lazy && dialect != loadout.Weighted {
		fmt.Fprintf(a.stdout, "    hit %s", bracketed(r.MatchedKeywords))
		if len(r.MatchedPatterns) > 0 {
			fmt.Fprintf(a.stdout, ", patterns %s", bracketed(r.MatchedPatterns))
		}
		fmt.Fprintf(a.stdout, ", missed %s\n", bracketed(r.MissedKeywords))
	}
	fmt.Fprintf(a.stdout, "    %s\n", p.Dim(diag.Printable(r.Entry.Path)))
}

// arithmetic spells out a score (loadout sections 6.3 and 7).
func arithmetic(r *loadout.Rating, dialect loadout.Dialect) string {
	if r.Mode == loadout.Eager {
		return "core: always loaded"
	}
	s := r.Score
	coverage := fmt.Sprintf("%d of %d keywords = %s", s.Matched, len(r.Entry.Keywords), indexjson.Rounded(s.Coverage))
	if dialect == loadout.Weighted {
		coverage = weighed(s)
	}
	if dialect == loadout.Recall {
		coverage = fmt.Sprintf("the greater of %s and %d of 5 = %s", coverage, s.Matched, indexjson.Rounded(s.Absolute))
	}
	if s.PatternBonus > 0 {
		coverage += fmt.Sprintf("; + %s for a pattern = %s", indexjson.Rounded(s.PatternBonus), indexjson.Rounded(s.Base+s.PatternBonus))
	}
	if s.Base+s.PatternBonus > 1 {
		coverage += "; at most 1"
	}
	return coverage
}

// weighed spells out a weighted score without the bonus for a pattern.
func weighed(s loadout.Score) string {
	if s.Evidence == nil {
		return "no word hits"
	}
	words := make([]string, len(s.Evidence.Words))
	for i, word := range s.Evidence.Words {
		words[i] = fmt.Sprintf("%s %s", indexjson.Rounded(s.Evidence.Worth[i]), diag.Printable(word))
		if i >= len(words)-s.Evidence.InSummary {
			words[i] += " in the summary"
		}
	}
	return fmt.Sprintf("(%s) by 2 = %s", strings.Join(words, " + "), indexjson.Rounded(s.Base))
}

func tokens(e *loadout.Entry) string {
	return numberOrUnknown(e.TokensEst)
}

// numberOrUnknown prints a sum of estimates, or "unknown" when one was missing.
func numberOrUnknown(f float64) string {
	if math.IsNaN(f) {
		return "unknown"
	}
	return indexjson.Rounded(f)
}

// bracketed prints words as the reason of a match does.
func bracketed(words []string) string {
	return "[" + diag.Printable(strings.Join(words, ", ")) + "]"
}

// orNone prints words, or says that there are none.
func orNone(words []string) string {
	if len(words) == 0 {
		return "none that the matcher can see"
	}
	return diag.Printable(strings.Join(words, ", "))
}
