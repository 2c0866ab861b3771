package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
	"github.com/packgen/packgen/resolver/workspace"
)

// evalFlags are the flags of the eval verb.
type evalFlags struct {
	evalOptions
	matcher string
	strict  bool
}

// evalOptions say which evals run, and what is written.
type evalOptions struct {
	suite    string  // only this suite, relative to the pack; "" is all
	index    string  // goldens run against this index; "" is one made of the packs
	minScore float64 // from which a prompt selects a pack
	record   bool    // write a record for each suite
	update   bool    // rewrite goldens that were missed
	dryRun   bool    // write nothing
	curve    bool    // measure recall against budget too

	dialect loadout.Dialect // of goldens that name none
	at      time.Time       // the time of the run
}

// newEval is the eval verb.
func newEval(a *app) *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval [pack...]",
		Short: "Run selection evals and routing goldens",
		Long: `eval measures how packs are found, without a model.

Selection suites, evals/discovery.*.json in a pack, say which prompts should
select the pack: the words of its name, type and description and its declared
keywords are matched against each prompt. Routing goldens, evals/routing.yaml in
a pack or at the root of the repository, say which entries of the loadout index
a task must and must not select, at which place, and how many tokens may be
loaded. The index is made from the packs as they are now; nothing is compiled.

Every miss shows its arithmetic. The exit code is 1 when a case failed.`,
		Example: "  packgen eval\n  packgen eval handbook --suite evals/discovery.train.json\n  packgen eval --update --dry-run",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runEval(cmd.Context(), f, args, cmd.Flags().Changed("matcher"))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.suite, "suite", "", "run only this suite, a `FILE` relative to the pack")
	keepPath(flags, "suite")
	flags.StringVar(&f.index, "index", "", "run routing goldens against this index `FILE` instead of a fresh one")
	flags.StringVar(&f.matcher, "matcher", "coverage", "the `DIALECT` of goldens that name none: coverage or recall")
	flags.Float64Var(&f.minScore, "select-score", eval.SelectScore, "`SCORE` from which a prompt selects a pack")
	flags.BoolVar(&f.record, "record", false, "write runs/eval-discovery-*.json into each pack")
	flags.BoolVar(&f.update, "update", false, "rewrite routing goldens that were missed so that they expect what happens now")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --record or --update: say what would be written and write nothing")
	flags.BoolVar(&f.curve, "curve", false, "also run evals/context.yaml and draw recall against budget; needs compiled packs")
	flags.BoolVar(&f.strict, "strict", false, "exit with 1 for warnings too")
	return cmd
}

// evaluation is one eval on its way.
type evaluation struct {
	evalOptions
	ws     *workspace.Workspace
	cfg    workspace.Config
	chosen *workspace.Repository // the packs whose evals ran
	all    *workspace.Repository
	faults []diag.Diagnostic // of suites and goldens

	suites   []suiteRun
	goldens  []goldenRun
	contexts []contextRun
	written  []string // paths as shown
}

// suiteRun is a selection suite with its outcome.
type suiteRun struct {
	member *workspace.Member
	name   string // path in the pack
	result *eval.Discovery
}

// goldenRun is a file of routing goldens with its outcome.
type goldenRun struct {
	name    string // as shown
	file    string // absolute
	routing *eval.Routing
	results []eval.TaskResult
	dialect loadout.Dialect
}

// runEval does what the eval verb says.
func (a *app) runEval(ctx context.Context, f evalFlags, names []string, matcherGiven bool) error {
	cfg, err := a.LoadConfig()
	if err != nil {
		return err
	}
	if !matcherGiven {
		f.matcher = cfg.Matcher
	}
	if err := oneOf("--matcher", f.matcher, "coverage", "recall"); err != nil {
		return err
	}
	if f.minScore <= 0 || f.minScore > 1 {
		return diag.WithHint(errors.New("--select-score is out of range"), "It takes a number above 0, up to 1.")
	}
	if f.matcher == "recall" {
		f.dialect = loadout.Recall
	}
	if f.at, err = a.IndexTime(); err != nil {
		return err
	}
	e, err := evaluate(ctx, &a.Workspace, cfg, f.evalOptions, names)
	if err != nil {
		return err
	}
	defer e.close()
	return evalPrinter{e, a, f.strict}.report()
}

// evaluate runs the evals of the named packs; without a name those of all packs that
// are not archived, and the repository's own. The caller closes the evaluation.
func evaluate(ctx context.Context, w *workspace.Workspace, cfg workspace.Config, o evalOptions, names []string) (*evaluation, error) {
	e := &evaluation{evalOptions: o, ws: w, cfg: cfg}
	var err error
	if e.all, e.chosen, err = w.OpenForCheck(cfg.Packs, names); err != nil {
		return nil, err
	}
	ix, err := e.prepare(ctx, e.all)
	if err == nil {
		err = e.runAll(ctx, ix, len(names) == 0)
	}
	if err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// close releases the packs.
func (e *evaluation) close() { e.all.Close() }

// findings are those of the packs and of their evals, sorted.
func (e *evaluation) findings() []diag.Diagnostic {
	list := append(e.chosen.Findings(), e.faults...)
	diag.Sort(list)
	return list
}

// prepare compiles the packs in memory and makes the index that goldens run
// against.
func (e *evaluation) prepare(ctx context.Context, r *workspace.Repository) (*loadout.Index, error) {
	disk := e.ws.OpenStore(workspace.StoreOptions{})
	defer disk.Close()
	builder := e.cfg.Loadout.NewBuilder(disk.Group(workspace.IndexGroup))
	o := workspace.CompileOptions{DryRun: true, Now: e.at, Disk: disk, Contribute: workspace.IndexAlone(builder), Enough: workspace.WithoutResult}
	if err := e.ws.Compile(ctx, r, o); err != nil {
		return nil, err
	}
	if e.index != "" {
		return e.ws.ReadIndex(e.index)
	}
	ix, faults, err := builder.Finish(r.Results(), index.Options{Generated: e.at})
	r.Add(faults)
	return ix, err
}

// runAll runs the suites and goldens of the chosen packs; whole says that the
// repository's own goldens are meant too.
func (e *evaluation) runAll(ctx context.Context, ix *loadout.Index, whole bool) error {
	for _, m := range e.chosen.Members {
		if m.Result == nil {
			continue
		}
		if err := e.runSuites(m); err != nil {
			return err
		}
		if e.suite != "" {
			continue
		}
		if m.Pack.Has(eval.RoutingPath) {
			file := filepath.Join(e.ws.Path(m.Dir), filepath.FromSlash(eval.RoutingPath))
			if err := e.runGoldens(path.Join(m.Dir, eval.RoutingPath), file, ix); err != nil {
				return err
			}
		}
		if e.curve {
			if err := e.runContext(ctx, m); err != nil {
				return err
			}
		}
	}
	file := e.ws.Path(eval.RoutingPath)
	if _, err := os.Stat(file); err == nil && whole && e.suite == "" {
		return e.runGoldens(eval.RoutingPath, file, ix)
	}
	return nil
}

// runSuites runs the selection suites of one pack.
func (e *evaluation) runSuites(m *workspace.Member) error {
	subject := eval.NewSubject(m.Pack, &m.Result.Run)
	names := []string{e.suite}
	if e.suite == "" {
		names = suitesOf(m)
	}
	for _, name := range names {
		data, err := m.Pack.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return diag.WithHint(fmt.Errorf("no suite %s in %s", name, m.Dir), "Suites are named relative to the pack, such as evals/discovery.train.json.")
		}
		if err != nil {
			return fmt.Errorf("read suite %s: %w", name, err)
		}
		suite, err := schema.DecodeSuite(data)
		if err != nil {
			e.faults = append(e.faults, schemaFault(m.Name(), name, err))
			continue
		}
		if suite.PackName != m.Name() {
			e.faults = append(e.faults, diag.Diagnostic{
				ID: "schema-invalid", Severity: diag.Warning, Pack: m.Name(), Path: name,
				Message: fmt.Sprintf("The suite is for a pack named %q.", suite.PackName), Hint: "write " + m.Name() + " as pack_name",
			})
		}
		d, err := subject.Discover(name, suite, e.minScore)
		if err != nil {
			return fmt.Errorf("run %s of %s: %w", name, m.Dir, err)
		}
		e.suites = append(e.suites, suiteRun{m, name, d})
	}
	return nil
}

// suitesOf lists the selection suites of a pack.
func suitesOf(m *workspace.Member) []string {
	var names []string
	for _, file := range m.Pack.List("evals") {
		base := path.Base(file.Path)
		if path.Dir(file.Path) == "evals" && strings.HasPrefix(base, "discovery.") && strings.HasSuffix(base, ".json") {
			names = append(names, file.Path)
		}
	}
	return names
}

// runGoldens runs one file of routing goldens.
func (e *evaluation) runGoldens(name, file string, ix *loadout.Index) error {
	data, err := workspace.ReadLimited(file, eval.MaxRoutingBytes)
	if err != nil {
		return fmt.Errorf("read routing goldens %s: %w", name, err)
	}
	routing, faults := eval.ReadRouting(name, data)
	e.faults = append(e.faults, faults...)
	if routing == nil {
		return nil
	}
	results, err := eval.Route(routing, ix, e.dialect)
	if err != nil {
		return err
	}
	e.goldens = append(e.goldens, goldenRun{name, file, routing, results, routing.Dialect(e.dialect)})
	return nil
}
