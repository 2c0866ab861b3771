package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/gctuning"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/render"
	"github.com/packgen/packgen/resolver/remote/elsewhere"
	"github.com/packgen/packgen/resolver/repo"
)

// maxTask is the size limit of a task on standard input, in bytes.
const maxTask = 1 << 20

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
the task from standard input. It shows at most 100 entries; -v shows all.

A large index is read from its prebuilt form, which is made when it is missing.
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
	options, err := f.score.options(a, flags)
	if err != nil {
		return err
	}
	task, err := a.readTask(args)
	if err != nil {
		return err
	}
	options.Also = f.also
	gctuning.Seldom()
	if len(f.from) == 0 && f.index == "" {
		locked, err := repo.ReadLocked(ctx, &a.Repo)
		if err != nil {
			return err
		}
		if locked != nil {
			return a.matchServed(locked, task, options)
		}
	}
	if len(f.from) == 0 {
		name := a.Paths.Abs(cmp.Or(f.index, filepath.Join(a.Config.Out, "index.json")))
		r := indexfile.OpenPrebuilt(name)
		defer r.Close()
		if p := a.printer(); !a.json {
			if b := r.Detail(task, options, p.Most()); b != nil {
				p.Match(a.Paths.Rel(name), b)
				return nil
			}
		}
		if ix, _ := r.Select(&loadout.Need{Tasks: []string{task}, Match: options, Hits: true}); ix != nil {
			return a.answerMatch(a.Paths.Rel(name), repo.Scan{Ix: ix}, task, options, nil)
		}
	}
	name, m, err := a.openMatcher(ctx, f)
	if err != nil {
		return err
	}
	return a.answerMatch(name, m, task, options, nil)
}

// matchServed answers from the built index of the repository and from the packs that
// packgen.lock holds.
func (a *app) matchServed(locked *repo.LockedEntries, task string, o loadout.MatchOptions) error {
	locked.Remark(&a.Repo)
	m, name, err := locked.With(&a.Repo, &loadout.Need{Tasks: []string{task}, Match: o, Hits: true})
	if err != nil {
		return err
	}
	return a.answerMatch(name, m, task, o, locked)
}

// answerMatch prints what a matcher answers. Where packs are locked it says of each entry
// where it is from.
func (a *app) answerMatch(name string, m repo.Matcher, task string, options loadout.MatchOptions, locked *repo.LockedEntries) error {
	detail, err := m.Detail(task, options)
	if err != nil {
		return fmt.Errorf("match against %s: %w", name, err)
	}
	findings := wordFindings(name, m.Index())
	if a.json {
		results, err := m.Match(task, options)
		if err != nil {
			return fmt.Errorf("match against %s: %w", name, err)
		}
		a.printMatchJSON(name, task, findings, results, detail, locked)
	} else {
		a.printFindings(findings, nil)
		withOrigins(a.printer(), locked).Match(name, detail)
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
				ID: repo.IDEntryMalformed, Severity: diag.Warning, Path: name,
				Message: fmt.Sprintf("entry %s: %s", repo.Named(ix, i), problem),
				Hint:    "run packgen check --index for the place; the other entries are matched",
			})
		}
	}
	return list
}

// openMatcher opens the index that the flags name. The returned name is for display.
func (a *app) openMatcher(ctx context.Context, f matchFlags) (name string, m repo.Matcher, err error) {
	if len(f.from) > 0 {
		return elsewhere.FromMatcher(ctx, &a.Repo, f.from, f.offline)
	}
	name = cmp.Or(f.index, filepath.Join(a.Config.Out, "index.json"))
	if m, err = repo.ReadMatcher(a.Paths, name); err != nil {
		return "", nil, err
	}
	return a.Paths.Rel(a.Paths.Abs(name)), m, nil
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
	_ repo.Matcher = (*loadout.Matcher)(nil)
	_ repo.Matcher = repo.Scan{}
)

// printer prints what the loadout answers.
func (a *app) printer() *render.Printer {
	return &render.Printer{W: a.stdout, Painter: a.painterFor(a.stdout), Quiet: a.quiet, Verbose: a.verbose}
}

// withOrigins makes a printer say where entries are from where packs are locked.
func withOrigins(p *render.Printer, locked *repo.LockedEntries) *render.Printer {
	p.Origin = func(e *loadout.Entry) string {
		if from, ok := locked.OriginOf(e); ok {
			return from.String()
		}
		return ""
	}
	return p
}

// loads sums up what would be loaded for a task.
type loads struct {
	Entries int     `json:"entries"`
	Tokens  float64 `json:"tokens"`
	Eager   float64 `json:"eager_tokens"`
	Lazy    float64 `json:"lazy_tokens"`
}

func loadsOf(detail *loadout.Breakdown) loads { return loads(detail.Loads()) }

// printMatchJSON prints the envelope; the matches keep the JSON of the format.
func (a *app) printMatchJSON(name, task string, findings []diag.Diagnostic, results []loadout.Result, detail *loadout.Breakdown, locked *repo.LockedEntries) {
	a.printParts(struct {
		envelope
		Index   string                 `json:"index"`
		Task    string                 `json:"task"`
		Matcher string                 `json:"matcher"`
		Loads   loads                  `json:"loads"`
		Origins map[string]repo.Origin `json:"origins,omitempty"`
	}{
		envelope: envelope{OK: true, Status: schema.Passed, Command: "match", Findings: findingsOf(findings)},
		Index:    name, Task: task, Matcher: detail.Dialect.String(), Loads: loadsOf(detail), Origins: locked.OriginsOf(results),
	}, part{"result", loadout.AppendResults(nil, results)}, part{"detail", loadout.AppendBreakdown(nil, detail, 0, 0)})
}

// scoreFlags are the flags that say how hits become a score.
type scoreFlags struct {
	matcher  string
	minScore float64
}

func (f *scoreFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.matcher, "matcher", "coverage", "the `DIALECT` that makes hits a score: "+dialectNames())
	flags.Float64Var(&f.minScore, "min-score", loadout.DefaultMinScore, fmt.Sprintf("`SCORE` from 0 to 1 from which an entry is included; with weighted %v unless given", loadout.WeightedMinScore))
}

// options checks the flags. Without --matcher the configuration chooses the matcher.
func (f *scoreFlags) options(a *app, flags *pflag.FlagSet) (loadout.MatchOptions, error) {
	var o loadout.MatchOptions
	if err := a.Load(); err != nil {
		return o, err
	}
	matcher := f.matcher
	if !flags.Changed("matcher") {
		matcher = a.Config.Matcher
	}
	if err := oneOf("--matcher", matcher, loadout.Dialects()...); err != nil {
		return o, err
	}
	if !(f.minScore >= 0 && f.minScore <= 1) { // true for NaN too
		return o, diag.WithHint(fmt.Errorf("--min-score %v is not a score", f.minScore), "write a number from 0 to 1")
	}
	o.Dialect, _ = loadout.NamedDialect(matcher) // oneOf has checked the name
	if flags.Changed("min-score") {
		o.MinScore = &f.minScore
	}
	return o, nil
}

// dialectNames lists the dialects as a sentence does.
func dialectNames() string {
	names := loadout.Dialects()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func newQuestions(a *app) *cobra.Command {
	limit := 20
	cmd := &cobra.Command{
		Use:   "questions [pack...]",
		Short: "List sections without a question of their author, most needed first",
		Long: `questions lists the sections of packs that name no question which they answer.
Such questions, under questions: in the front matter of a page, hold the words
that readers use and the text does not; resolve finds sections by them.

Sections that context evals lose come first, then those that a recorded query
with an uncertain answer came nearest to (resolve --write-run keeps these in the
pack's runs/), then the largest. packgen eval --ask writes questions for those
that evals lose.`,
		Example: "  packgen questions\n  packgen questions handbook --limit 0",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runQuestions(cmd.Context(), args, limit) },
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "print at most `N` sections of a pack; 0 is all")
	return cmd
}

func (a *app) runQuestions(ctx context.Context, names []string, limit int) error {
	if err := a.Load(); err != nil {
		return err
	}
	l := repo.NewLibrary(&a.Repo)
	defer l.Close()
	needs, notes, err := eval.QuestionsNeeded(ctx, &a.Repo, l.Open, names, limit)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(struct {
			envelope
			Sections []eval.Need `json:"sections"`
		}{envelopeOf("questions", nil), needs})
		return nil
	}
	t := &columns.Table{Right: map[int]bool{2: true, 3: true, 4: true}}
	t.Add("PACK", "SECTION", "LOST", "RECORDED", "TOKENS")
	for _, n := range needs {
		t.Add(diag.Printable(n.Pack), diag.Printable(n.Section), amount.Grouped(n.Lost), amount.Grouped(len(n.Queries)), amount.Grouped(n.Tokens))
	}
	t.Write(a.stdout)
	for _, note := range notes {
		fmt.Fprintln(a.stdout, diag.Printable(note))
	}
	return nil
}
