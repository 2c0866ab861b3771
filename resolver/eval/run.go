package eval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
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
		if e.Curve || e.Misses || suite.Least != (Least{}) {
			e.faults = append(e.faults, diag.Diagnostic{
				ID: "outputs-outdated", Severity: diag.Warning, Pack: m.Name(), Path: pack.IndexPath,
				Message: "the pack is not compiled, so that no context can be resolved", Hint: "run packgen compile",
			})
		}
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
