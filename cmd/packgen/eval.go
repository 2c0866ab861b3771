package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
)

// evalFlags are the flags of the eval verb.
type evalFlags struct {
	suite, index, matcher         string
	minScore                      float64
	record, update, dryRun, curve bool
	strict                        bool
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
	*app
	f       evalFlags
	cfg     Config
	at      time.Time
	dialect loadout.Dialect
	faults  []diag.Diagnostic // of suites and goldens

	suites   []suiteRun
	goldens  []goldenRun
	contexts []contextRun
	written  []string // paths as shown
}

// suiteRun is a selection suite with its outcome.
type suiteRun struct {
	member *member
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
	cfg, err := a.loadConfig()
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
	e := &evaluation{app: a, f: f, cfg: cfg}
	if f.matcher == "recall" {
		e.dialect = loadout.Recall
	}
	if e.at, err = runTime(a.getenv); err != nil {
		return err
	}
	if e.at.IsZero() {
		e.at = time.Now()
	}
	all, chosen, err := a.openForCheck(cfg.Packs, names)
	if err != nil {
		return err
	}
	defer all.close()
	ix, err := e.prepare(ctx, all)
	if err != nil {
		return err
	}
	if err := e.run(ctx, chosen, ix, len(names) == 0); err != nil {
		return err
	}
	return e.report(chosen)
}

// openForCheck opens all packs of the repository, and says which of them were
// named; without a name, all that are not archived.
func (w *workspace) openForCheck(patterns, names []string) (all, chosen *repository, err error) {
	all, err = w.open(patterns)
	if err != nil && len(names) == 0 {
		return nil, nil, err
	}
	if all == nil {
		all = &repository{}
	}
	if len(names) == 0 {
		chosen = &repository{members: slices.Clone(all.members), faults: all.faults, policy: all.policy}
		chosen.dropArchived()
		return all, chosen, nil
	}
	chosen, err = w.choose(all, names)
	if err != nil {
		all.close()
		return nil, nil, err
	}
	for _, m := range chosen.members {
		if !slices.Contains(all.members, m) {
			all.members = append(all.members, m)
		}
	}
	return all, chosen, nil
}

// prepare compiles the packs in memory and makes the index that goldens run
// against.
func (e *evaluation) prepare(ctx context.Context, r *repository) (*loadout.Index, error) {
	disk := e.openStore(storeOptions{})
	defer disk.Close()
	builder := e.cfg.Loadout.newBuilder(disk.Group(indexGroup))
	o := compileOptions{dryRun: true, now: e.at, disk: disk, contribute: indexAlone(builder), enough: never}
	if err := e.compile(ctx, r, o); err != nil {
		return nil, err
	}
	if e.f.index != "" {
		return e.readIndex(e.f.index)
	}
	ix, faults, err := builder.Finish(r.results(), index.Options{Generated: e.at})
	r.add(faults)
	return ix, err
}

// run runs the suites and goldens of the chosen packs; whole says that the
// repository's own goldens are meant too.
func (e *evaluation) run(ctx context.Context, r *repository, ix *loadout.Index, whole bool) error {
	for _, m := range r.members {
		if m.result == nil {
			continue
		}
		if err := e.runSuites(m); err != nil {
			return err
		}
		if e.f.suite != "" {
			continue
		}
		if m.pack.Has(eval.RoutingPath) {
			file := filepath.Join(e.path(m.dir), filepath.FromSlash(eval.RoutingPath))
			if err := e.runGoldens(path.Join(m.dir, eval.RoutingPath), file, ix); err != nil {
				return err
			}
		}
		if e.f.curve {
			if err := e.runContext(ctx, m); err != nil {
				return err
			}
		}
	}
	file := e.path(eval.RoutingPath)
	if _, err := os.Stat(file); err == nil && whole && e.f.suite == "" {
		return e.runGoldens(eval.RoutingPath, file, ix)
	}
	return nil
}

// runSuites runs the selection suites of one pack.
func (e *evaluation) runSuites(m *member) error {
	subject := eval.NewSubject(m.pack, &m.result.Run)
	names := []string{e.f.suite}
	if e.f.suite == "" {
		names = suitesOf(m)
	}
	for _, name := range names {
		data, err := m.pack.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return diag.WithHint(fmt.Errorf("no suite %s in %s", name, m.dir), "Suites are named relative to the pack, such as evals/discovery.train.json.")
		}
		if err != nil {
			return fmt.Errorf("read suite %s: %w", name, err)
		}
		suite, err := schema.DecodeSuite(data)
		if err != nil {
			e.faults = append(e.faults, schemaFault(m.name(), name, err))
			continue
		}
		if suite.PackName != m.name() {
			e.faults = append(e.faults, diag.Diagnostic{
				ID: "schema-invalid", Severity: diag.Warning, Pack: m.name(), Path: name,
				Message: fmt.Sprintf("The suite is for a pack named %q.", suite.PackName), Hint: "write " + m.name() + " as pack_name",
			})
		}
		d, err := subject.Discover(name, suite, e.f.minScore)
		if err != nil {
			return fmt.Errorf("run %s of %s: %w", name, m.dir, err)
		}
		e.suites = append(e.suites, suiteRun{m, name, d})
	}
	return nil
}

// suitesOf lists the selection suites of a pack.
func suitesOf(m *member) []string {
	var names []string
	for _, file := range m.pack.List("evals") {
		base := path.Base(file.Path)
		if path.Dir(file.Path) == "evals" && strings.HasPrefix(base, "discovery.") && strings.HasSuffix(base, ".json") {
			names = append(names, file.Path)
		}
	}
	return names
}

// runGoldens runs one file of routing goldens.
func (e *evaluation) runGoldens(name, file string, ix *loadout.Index) error {
	data, err := readLimited(file, eval.MaxRoutingBytes)
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
