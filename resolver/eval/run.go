package eval

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/render"
	"github.com/packgen/packgen/resolver/repo"
)

// Options say which evals run, and what is written.
type Options struct {
	Suite    string      // only this suite, relative to the pack; "" is all
	Index    string      // goldens run against this index; "" is one made of the packs
	MinScore float64     // from which a prompt selects a pack
	Record   bool        // write a record for each suite
	Update   bool        // rewrite goldens that were missed
	DryRun   bool        // write nothing
	Curve    bool        // measure recall against budget too
	Misses   bool        // say why sections of the train half were lost
	Scorer   rank.Scorer // of context suites; nil is the resolver's default
	Open     Open        // opens the packs of context suites

	Dialect loadout.Dialect // of goldens that name none
	At      time.Time       // the time of the run
}

// Run is an eval in progress.
type Run struct {
	Options
	ws     *repo.Repo
	Chosen *repo.Packs // the packs whose evals ran
	all    *repo.Packs
	faults []diag.Diagnostic // of suites and goldens

	Suites   []Suite
	Goldens  []Goldens
	Contexts []PackContext
	Written  []string // paths as shown
}

// Suite is a selection suite with its outcome.
type Suite struct {
	Member *repo.Member
	Name   string // path in the pack
	Result *Discovery
}

// Goldens is a file of routing goldens with its outcome.
type Goldens struct {
	Name    string // as shown
	file    string // absolute
	routing *Routing
	Results []TaskResult
	Dialect loadout.Dialect
}

// Evaluate runs the evals of the named packs; without a name those of all packs that
// are not archived, and the repository's own. The caller closes the evaluation.
func Evaluate(ctx context.Context, w *repo.Repo, o Options, names []string) (*Run, error) {
	e := &Run{Options: o, ws: w}
	var err error
	if e.all, e.Chosen, err = w.OpenForCheck(names); err != nil {
		return nil, err
	}
	ix, err := e.prepare(ctx, e.all)
	if err == nil {
		err = e.runAll(ctx, ix, len(names) == 0)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// Close releases the packs.
func (e *Run) Close() { e.all.Close() }

// Findings are those of the packs and of their evals, sorted.
func (e *Run) Findings() []diag.Diagnostic {
	list := append(e.Chosen.Findings(), e.faults...)
	diag.Sort(list)
	return list
}

// Totals are the figures of both halves over all packs; nil where no queries ran.
func (e *Run) Totals() []Total {
	var list []Total
	for _, half := range []Half{Train, Validation} {
		var results []ContextResult
		for _, c := range e.Contexts {
			results = append(results, inHalf(c.Report.Results, half)...)
		}
		if len(e.Contexts) == 0 {
			return nil
		}
		list = append(list, totalsOf(half.String(), results)...)
	}
	return list
}

// prepare compiles the packs in memory and makes the index that goldens run
// against.
func (e *Run) prepare(ctx context.Context, r *repo.Packs) (*loadout.Index, error) {
	disk := repo.OpenStore(e.ws.Paths, repo.StoreOptions{})
	defer disk.Close()
	builder := e.ws.Config.Loadout.NewBuilder(disk.Group(repo.IndexGroup))
	o := repo.CompileOptions{Each: compiler.Options{DryRun: true, Now: e.At}, Disk: disk, Contribute: repo.IndexAlone(builder), Enough: repo.WithoutResult}
	if err := r.Compile(ctx, o); err != nil {
		return nil, err
	}
	if e.Index != "" {
		return repo.ReadIndex(e.ws.Paths, e.Index)
	}
	ix, faults, err := builder.Finish(ctx, r.Results(), index.Options{Generated: e.At})
	r.Add(faults)
	return ix, err
}

// runAll runs the suites and goldens of the chosen packs; whole says that the
// repository's own goldens are meant too.
func (e *Run) runAll(ctx context.Context, ix *loadout.Index, whole bool) error {
	for _, m := range e.Chosen.Members {
		if m.Result == nil {
			continue
		}
		if err := e.runSuites(m); err != nil {
			return err
		}
		if e.Suite != "" {
			continue
		}
		if m.Pack.Has(RoutingPath) {
			file := filepath.Join(e.ws.Paths.Abs(m.Dir), filepath.FromSlash(RoutingPath))
			if err := e.runGoldens(path.Join(m.Dir, RoutingPath), file, ix); err != nil {
				return err
			}
		}
		if err := e.runContext(ctx, m); err != nil {
			return err
		}
	}
	file := e.ws.Paths.Abs(RoutingPath)
	if _, err := os.Stat(file); err == nil && whole && e.Suite == "" {
		return e.runGoldens(RoutingPath, file, ix)
	}
	return nil
}

// runSuites runs the selection suites of one pack.
func (e *Run) runSuites(m *repo.Member) error {
	subject := NewSubject(m.Pack, &m.Result.Run)
	names := []string{e.Suite}
	if e.Suite == "" {
		names = DiscoveryPaths(m.Pack)
	}
	for _, name := range names {
		data, err := m.Pack.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return diag.Absent("suite", path.Join(m.Dir, name), "write a path relative to the pack, such as evals/discovery.train.json")
		}
		if pack.IsRefused(err) {
			e.faults = append(e.faults, unread(m, name, err))
			continue
		}
		if err != nil {
			return fmt.Errorf("read suite %s: %w", name, err)
		}
		suite, err := schema.DecodeSuite(data)
		if err != nil {
			d := SchemaFault(name, err)
			d.Pack = m.Name()
			e.faults = append(e.faults, d)
			continue
		}
		if suite.PackName != m.Name() {
			e.faults = append(e.faults, otherPack(m, name, suite.PackName))
		}
		d, err := subject.Discover(name, suite, e.MinScore)
		if err != nil {
			return fmt.Errorf("run %s of %s: %w", name, m.Dir, err)
		}
		e.Suites = append(e.Suites, Suite{m, name, d})
	}
	return nil
}

// runGoldens runs one file of routing goldens.
func (e *Run) runGoldens(name, file string, ix *loadout.Index) error {
	data, err := atomicfile.Read(file, MaxRoutingBytes)
	if err != nil && repo.PackFault(err, filepath.Dir(file)) != nil {
		e.faults = append(e.faults, diag.Diagnostic{
			ID: "schema-invalid", Severity: diag.Error, Path: name,
			Message: fmt.Sprintf("the goldens are left out: %v", err), Hint: "replace the file by one that can be read, or remove it",
		})
		return nil
	}
	if err != nil {
		return fmt.Errorf("read routing goldens %s: %w", name, err)
	}
	routing, faults := ReadRouting(name, data)
	e.faults = append(e.faults, faults...)
	if routing == nil {
		return nil
	}
	results, err := Route(routing, ix, e.Dialect)
	if err != nil {
		return err
	}
	e.Goldens = append(e.Goldens, Goldens{name, file, routing, results, routing.Dialect(e.Dialect)})
	return nil
}

// runContext runs the queries of a pack through the context resolver. They measure;
// they fail only what the suite asks for.
func (e *Run) runContext(ctx context.Context, m *repo.Member) error {
	suite, faults, err := ContextSuiteOf(m)
	e.faults = append(e.faults, faults...)
	if err != nil || suite == nil {
		return err
	}
	if !m.Pack.Has(pack.IndexPath) {
		e.faults = append(e.faults, diag.Diagnostic{
			ID: "outputs-outdated", Severity: diag.Warning, Pack: m.Name(), Path: pack.IndexPath,
			Message: "the pack is not compiled, so that its queries are not measured", Hint: "run packgen compile",
		})
		return nil
	}
	p, err := e.Open(m.Dir, resolver.Explicit)
	if err != nil {
		return err
	}
	o := contextOptions{Scorer: e.Scorer, Misses: e.Misses}
	for _, other := range e.all.Members {
		all, err := e.Open(other.Dir, "")
		if err != nil {
			return err
		}
		o.Among = append(o.Among, all)
	}
	if e.Curve {
		o.Budgets = curveBudgets()
	}
	report, err := measure(ctx, p, m, suite, o)
	if err != nil {
		return err
	}
	e.faults = append(e.faults, doubts(m, suite, report)...)
	e.Contexts = append(e.Contexts, PackContext{m.Name(), m, report, suite.Least.Below(report.Results)})
	return nil
}

// Keep writes records and goldens where that is asked for.
func (e *Run) Keep() error {
	if e.Record {
		if err := e.writeRecords(); err != nil {
			return err
		}
	}
	if e.Update {
		return e.updateGoldens()
	}
	return nil
}

// Failed counts the cases and tasks that failed and the figures below what a suite
// asks for. Goldens that were rewritten count no longer.
func (e *Run) Failed() int {
	n := 0
	for _, s := range e.Suites {
		n += s.Result.Failed()
	}
	for _, c := range e.Contexts {
		n += len(c.Below)
	}
	if e.Update && !e.DryRun {
		return n
	}
	for _, g := range e.Goldens {
		n += g.missed()
	}
	return n
}

// missed counts the tasks that missed what is expected of them.
func (g *Goldens) missed() (n int) {
	for i := range g.Results {
		if len(g.Results[i].Misses) > 0 {
			n++
		}
	}
	return n
}

// writeRecords writes a run record for each suite (agent-knowledge section 11.2).
func (e *Run) writeRecords() error {
	for _, s := range e.Suites {
		data, err := schema.Encode(&s.Result.Record)
		if err != nil {
			return err
		}
		dir := e.ws.Paths.Abs(s.Member.Dir)
		name := ""
		for n := 1; ; n++ {
			name = "runs/" + schema.RunName{Kind: "eval-discovery", Time: e.At, N: n}.String() + ".json"
			if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); errors.Is(err, os.ErrNotExist) && !e.wrote(s.Member.Dir+"/"+name) {
				break
			}
		}
		if err := e.write(dir, s.Member.Dir+"/"+name, name, data); err != nil {
			return err
		}
	}
	return nil
}

// wrote reports whether this run has written, or would have written, a file.
func (e *Run) wrote(shown string) bool { return slices.Contains(e.Written, shown) }

// write writes one file below a directory, all or nothing, unless it is a dry
// run.
func (e *Run) write(dir, shown, name string, data []byte) error {
	if !e.DryRun {
		if err := atomicfile.WriteBelow(dir, name, data, false); err != nil {
			return repo.ExplainWrite(fmt.Errorf("write %s: %w", diag.Printable(shown), err))
		}
	}
	if !e.wrote(shown) {
		e.Written = append(e.Written, shown)
	}
	return nil
}

// updateGoldens rewrites the goldens that were missed.
func (e *Run) updateGoldens() error {
	for _, g := range e.Goldens {
		text, changed, err := g.routing.Update(g.Results)
		if err != nil {
			return err
		}
		if changed {
			if err := e.write(filepath.Dir(g.file), g.Name, filepath.Base(g.file), text); err != nil {
				return err
			}
		}
	}
	return nil
}

// SuiteJSON is one suite in the envelope.
type SuiteJSON struct {
	Suite    string             `json:"suite"`
	PackName string             `json:"pack_name"`
	Results  []caseJSON         `json:"results"`
	Summary  schema.EvalSummary `json:"summary"`
}

// caseJSON is one case, with what led to its outcome.
type caseJSON struct {
	schema.EvalResult
	Prompt   string   `json:"prompt"`
	Score    float64  `json:"score"`
	Hits     []string `json:"hits"`
	Warnings []string `json:"warnings"`
}

// GoldenJSON is one file of routing goldens in the envelope.
type GoldenJSON struct {
	Path    string     `json:"path"`
	Matcher string     `json:"matcher"`
	Tasks   []taskJSON `json:"tasks"`
}

// taskJSON is one task.
type taskJSON struct {
	Task     string     `json:"task"`
	Line     int        `json:"line"`
	Met      bool       `json:"met"`
	Tokens   int        `json:"tokens"`
	Selected []string   `json:"selected"`
	Misses   []missJSON `json:"misses"`
}

// missJSON is one expectation that did not come true.
type missJSON struct {
	Kind    MissKind `json:"kind"`
	ID      string   `json:"id,omitempty"`
	Want    int      `json:"want,omitempty"`
	Got     int      `json:"got,omitempty"`
	Score   *float64 `json:"score,omitempty"`
	Hits    []string `json:"hits,omitempty"`
	Nearest string   `json:"nearest,omitempty"`
}

// JSON is the suite in eval --json.
func (s *Suite) JSON() SuiteJSON {
	out := SuiteJSON{Suite: s.Name, PackName: secret.Redact(s.Result.Record.PackName), Results: []caseJSON{}, Summary: s.Result.Record.Summary}
	for i := range s.Result.Cases {
		c := &s.Result.Cases[i]
		out.Results = append(out.Results, caseJSON{
			EvalResult: s.Result.Record.Results[i], Prompt: secret.Redact(c.Prompt), Score: c.Rating.Score.Total,
			Hits: append([]string{}, c.Rating.MatchedKeywords...), Warnings: append([]string{}, c.Warnings...),
		})
	}
	return out
}

// JSON is the file of goldens in eval --json.
func (g *Goldens) JSON() GoldenJSON {
	out := GoldenJSON{Path: g.Name, Matcher: g.Dialect.String(), Tasks: []taskJSON{}}
	for i := range g.Results {
		t := &g.Results[i]
		task := taskJSON{
			Task: secret.Redact(t.Task.Task), Line: t.Task.Line, Met: len(t.Misses) == 0, Tokens: t.Tokens,
			Selected: []string{}, Misses: []missJSON{},
		}
		for _, s := range t.Selected {
			task.Selected = append(task.Selected, s.Entry.ID)
		}
		for _, m := range t.Misses {
			miss := missJSON{Kind: m.Kind, ID: secret.Redact(m.ID), Want: m.Want, Got: m.Got, Nearest: m.Nearest}
			if m.Outlook != nil {
				miss.Score, miss.Hits = &m.Outlook.Score.Total, m.Outlook.MatchedKeywords
			}
			task.Misses = append(task.Misses, miss)
		}
		out.Tasks = append(out.Tasks, task)
	}
	return out
}

// WriteText writes the outcome of each suite, of goldens and of context evals.
func (e *Run) WriteText(p *render.Printer) {
	writeSuites(e, p)
	writeGoldens(e, p)
	writeContexts(e, p)
}

// writeSuites writes a line for each suite, and the cases that failed.
func writeSuites(e *Run, p *render.Printer) {
	if len(e.Suites) == 0 {
		return
	}
	if !p.Quiet {
		t := &columns.Table{Right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true}}
		t.Add("SUITE", "CASES", "PASSED", "PRECISION", "RECALL", "WARNINGS")
		for _, s := range e.Suites {
			sum := &s.Result.Record.Summary
			t.Add(diag.Printable(s.Member.Name()+" "+s.Name), amount.Grouped(sum.Total), amount.Grouped(sum.Passed),
				fraction(sum.Precision), fraction(sum.Recall), fraction(sum.WarningAccuracy))
		}
		t.Write(p.W)
	}
	for _, s := range e.Suites {
		for i := range s.Result.Cases {
			c := &s.Result.Cases[i]
			if c.Passed && !p.Verbose {
				continue
			}
			state := p.Red("failed")
			if c.Passed {
				state = p.Green("passed")
			}
			p.Printf("\n%s %s %s: expected %s, got %s: %q\n", state, diag.Printable(s.Member.Dir+"/"+s.Name),
				diag.Printable(secret.Redact(c.ID)), c.Expected, c.Actual, diag.Printable(secret.Redact(c.Prompt)))
			p.Printf("    %d of 5 hits = %s, selected from %s\n", c.Rating.Score.Matched, indexjson.Rounded(c.Rating.Score.Total), indexjson.Rounded(e.MinScore))
			p.Printf("    hit %s%s; words %s\n", render.Bracketed(c.Rating.MatchedKeywords), patternsHit(c.Rating.MatchedPatterns), render.WordsOf(c.Words))
			for _, w := range c.Warnings {
				p.Printf("    warning raised: %s\n", diag.Printable(w))
			}
		}
	}
}

func patternsHit(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return ", patterns " + render.Bracketed(list) + " + 0.2"
}

// fraction prints a ratio with two decimals.
func fraction(f *float64) string {
	if f == nil {
		return "-"
	}
	return ratio(*f)
}

// writeGoldens writes a line for each file of goldens, and every miss with its arithmetic.
func writeGoldens(e *Run, p *render.Printer) {
	if len(e.Goldens) == 0 {
		return
	}
	if !p.Quiet {
		t := &columns.Table{Right: map[int]bool{2: true, 3: true}}
		t.Add("ROUTING", "MATCHER", "TASKS", "MET")
		for _, g := range e.Goldens {
			t.Add(diag.Printable(g.Name), g.Dialect.String(), amount.Grouped(len(g.Results)), amount.Grouped(len(g.Results)-g.missed()))
		}
		if len(e.Suites) > 0 {
			p.Printf("\n")
		}
		t.Write(p.W)
	}
	for _, g := range e.Goldens {
		for i := range g.Results {
			t := &g.Results[i]
			if len(t.Misses) == 0 {
				continue
			}
			p.Printf("\n%s %s:%d: %q\n", p.Red("missed"), diag.Printable(g.Name), t.Task.Line, diag.Printable(secret.Redact(t.Task.Task)))
			for j := range t.Misses {
				writeMiss(p, &t.Misses[j], t, g.Dialect)
			}
		}
	}
}

// writeMiss writes one expectation that was not met.
func writeMiss(p *render.Printer, m *Miss, t *TaskResult, dialect loadout.Dialect) {
	id := diag.Printable(secret.Redact(m.ID))
	switch m.Kind {
	case NoEntry:
		p.Printf("  the index has no entry %s", id)
		if m.Nearest != "" {
			p.Printf("; did you mean %s?", diag.Printable(m.Nearest))
		}
		p.Printf("\n")
		return
	case NotSelected:
		p.Printf("  %s must be selected and is not\n", id)
	case Unwanted:
		p.Printf("  %s must not be selected and is, in place %d of %d\n", id, m.Got, len(t.Selected))
	case RankTooLow:
		p.Printf("  %s must be in place %d or better and is in place %d\n", id, m.Want, m.Got)
		for i := range min(m.Got-1, len(t.Selected)) {
			r := &t.Selected[i]
			p.Printf("      %d. %s  %s, %s\n", i+1, diag.Printable(r.Entry.ID), indexjson.Rounded(r.Score), diag.Printable(r.Reason()))
		}
	case TooMany:
		p.Printf("  the plan loads %s tokens, %s are allowed\n", amount.Grouped(m.Got), amount.Grouped(m.Want))
		for i := range t.Selected {
			p.Printf("      %s  %s\n", diag.Printable(t.Selected[i].Entry.ID), render.Tokens(t.Selected[i].Entry))
		}
	}
	if o := m.Outlook; o != nil {
		writeOutlook(p, o, dialect)
	}
}

// writeOutlook writes the arithmetic of an entry, and what would change the outcome.
func writeOutlook(p *render.Printer, o *loadout.Outlook, dialect loadout.Dialect) {
	if o.Mode == loadout.ByManual {
		p.Printf("      manual: loaded by name only\n")
		return
	}
	p.Printf("      %s\n", render.Arithmetic(&o.Rating, dialect))
	p.Printf("      hit %s%s, missed %s\n", render.Bracketed(o.MatchedKeywords), patternsHit(o.MatchedPatterns), render.Bracketed(o.MissedKeywords))
	switch {
	case len(o.Change.Add) > 0:
		p.Printf("      a task with %s would select it\n", strings.Join(quotedAll(o.Change.Add), " and "))
	case len(o.Change.Remove) > 0:
		p.Printf("      a task without %s would not\n", strings.Join(quotedAll(o.Change.Remove), " and "))
	}
}

func quotedAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", diag.Printable(s))
	}
	return out
}

// writeContexts writes the results of each pack's queries with their own budgets, then the
// curve.
func writeContexts(e *Run, p *render.Printer) {
	if len(e.Contexts) == 0 {
		return
	}
	right := map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true}
	t := &columns.Table{Right: right}
	t.Add("CONTEXT", "QUERIES", "RECALL", "IN ITS PACK", "PARAPHRASED", "PRECISION", "TOKENS", "OVER BUDGET", "FALSE ANSWERS")
	curve := &columns.Table{Right: map[int]bool{1: true}}
	curve.Add("CURVE", "BUDGET", "RECALL", "PRECISION", "TOKENS")
	for _, c := range e.Contexts {
		s := &c.Report.Summary
		name := diag.Printable(c.Pack)
		t.Add(name, amount.Grouped(s.Cases), ratio(s.Recall), ratio(c.Report.Inside.Recall), ratio(s.ParaphraseRecall), ratio(s.Precision), amount.Grouped(int(s.Tokens+0.5)),
			amount.Grouped(s.Violations), fmt.Sprintf("%d of %d", s.FalseAnswers, s.Unanswerable))
		for _, p := range c.Report.Curve {
			at := atBudget(p)
			curve.Add(name, amount.Grouped(p.Budget), at[0].String(), at[1].String(), at[2].String())
		}
	}
	p.Below(t)
	p.Printf("\n")
	writeTotals(e, p)
	if e.Curve {
		p.Below(curve)
	}
	for _, c := range e.Contexts {
		c.writeMisses(p)
	}
}

// writeTotals writes the figures of each half over all packs, with the intervals that hold
// 95 % of the resamples.
func writeTotals(e *Run, p *render.Printer) {
	t := &columns.Table{Right: map[int]bool{1: true}}
	t.Add("TOTAL", "QUERIES", "RECALL", "PRECISION", "TOKENS", "REFUSED")
	totals := e.Totals()
	for at := 0; at+4 <= len(totals); at += 4 {
		row := []string{totals[at].Half, amount.Grouped(totals[at+2].Of)}
		for _, f := range totals[at : at+4] {
			row = append(row, f.String())
		}
		t.Add(row...)
	}
	t.Write(p.W)
}

func ratio(f float64) string { return fmt.Sprintf("%.2f", f) }

// Half is one of the two halves of a suite. Settings may be chosen by the train half;
// the validation half only judges them.
type Half uint8

// The halves.
const (
	Train Half = iota
	Validation
)

// String names a half.
func (h Half) String() string {
	if h == Train {
		return "train"
	}
	return "validation"
}

// Half is that of a case. It follows from the words of the query, so that a case keeps
// its half when others come and go.
func (c *ContextCase) Half() Half { return Half(sha256.Sum256([]byte(c.Query))[0] & 1) }

// inHalf returns the results of one half.
func inHalf(results []ContextResult, half Half) []ContextResult {
	var list []ContextResult
	for i := range results {
		if results[i].Case.Half() == half {
			list = append(list, results[i])
		}
	}
	return list
}

// Below lists the figures of the validation half that stay below what a suite asks
// for.
func (l Least) Below(results []ContextResult) []Figure {
	return l.figures(results, func(f Figure) bool { return f.Of > 0 && f.Value < f.Least })
}

// Unjudged lists the figures that a suite asks for and that no case of the validation
// half gives.
func (l Least) Unjudged(results []ContextResult) []Figure {
	return l.figures(results, func(f Figure) bool { return f.Of == 0 && f.Least > 0 })
}

// figures lists those figures of the validation half that are to be listed; none for a
// suite that asks for nothing.
func (l Least) figures(results []ContextResult, listed func(Figure) bool) (list []Figure) {
	if l == (Least{}) {
		return nil
	}
	for i, f := range figuresOf(inHalf(results, Validation)) {
		if f.Least = l.list()[i]; listed(f) {
			list = append(list, f)
		}
	}
	return list
}

// list is what is asked for, in the order of [figuresOf].
func (l Least) list() [4]float64 { return [4]float64{l.Recall, l.Precision, 0, l.Refused} }

// Figure is one figure of some cases, with the interval that it falls into for 19 of
// 20 resamples of them.
type Figure struct {
	Name      string  // recall, precision, tokens, refused
	Value     float64 // tokens, otherwise a share from 0 to 1
	Low, High float64
	Of        int     // cases that it is taken over; of none it says nothing
	Least     float64 // what was asked for, where it is below that
}

// Resampling: how many resamples are drawn, and the seeds of the generator, so that a
// figure has the same interval everywhere.
const (
	resamples = 1000
	seedHigh  = 0x9E3779B97F4A7C15
	seedLow   = 0xD1B54A32D192ED03
)

// figuresOf are recall, precision, tokens and the share of refused unanswerable queries,
// in this order.
func figuresOf(results []ContextResult) []Figure {
	s := summaryOf(results)
	required, matched := 0, 0
	for i := range results {
		r := &results[i]
		tally(&required, r.Case.MayBeAnswered() && len(r.Case.Required) > 0)
		tally(&matched, r.Matched > 0 && len(r.Case.Required) > 0)
	}
	list := []Figure{{Name: "recall", Of: required}, {Name: "precision", Of: matched}, {Name: "tokens", Of: len(results)}, {Name: "refused", Of: s.Unanswerable}}
	if len(results) == 0 {
		return list
	}
	samples := make([][]float64, len(list))
	rng := rand.New(rand.NewPCG(seedHigh, seedLow))
	sample := make([]ContextResult, len(results))
	for range resamples {
		for i := range sample {
			sample[i] = results[rng.IntN(len(results))]
		}
		for i, value := range valuesOf(summaryOf(sample)) {
			samples[i] = append(samples[i], value)
		}
	}
	for i, value := range valuesOf(s) {
		slices.Sort(samples[i])
		list[i].Value = value
		list[i].Low, list[i].High = samples[i][resamples/40], samples[i][resamples-1-resamples/40]
	}
	return list
}

// valuesOf are the values of figuresOf.
func valuesOf(s ContextSummary) [4]float64 {
	return [4]float64{s.Recall, s.Precision, s.Tokens, mean(float64(s.Unanswerable-s.FalseAnswers), s.Unanswerable)}
}
