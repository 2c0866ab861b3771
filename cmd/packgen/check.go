package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
	"github.com/packgen/packgen/resolver/workspace"
)

// checkFlags are the flags of the check verb.
type checkFlags struct {
	index, format, output string
	strict, fix, dryRun   bool
	explain               bool
}

// checkFormats are the faces of a report.
var checkFormats = [...]string{"text", "json", "sarif", "github", "markdown"}

// newCheck is the check verb.
func newCheck(a *app) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check [pack...]",
		Short: "Find what is wrong in packs, indexes and roles",
		Long: `check applies every rule: to packs, to the loadout index that would be made of
them, to evals, and to the roles that packgen.yaml names. It compiles in memory
and writes nothing into a pack. With --index it checks one index file instead.

Findings go to standard error as text; the other formats are the output. --output
writes the report to a file, in the format that the file's name says unless
--format does, and leaves the text.

--explain RULE says what a finding of that rule means, why it matters and what to
do. Without a rule it lists what comments in files and the rules of packgen.yaml
switch off or change, where and why; packs limit it to them.

--fix mends what changes nothing that a pack says: byte-order marks, carriage
returns, line feeds at the end of a file, suppressions without effect.

The exit code is 1 when there is an error, with --strict also for a warning.`,
		Example: `  packgen check
  packgen check handbook --strict
  packgen check --format github
  packgen check --output report.sarif
  packgen check --fix --dry-run
  packgen check --explain
  packgen check --explain secret-suspect
  packgen check --index public/index.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.normalise(a, cmd.Flags().Changed("format")); err != nil {
				return err
			}
			switch {
			case f.explain:
				return a.runCheckExplain(cmd, f, args)
			case !cmd.Flags().Changed("index"):
				return a.runCheck(cmd.Context(), f, args)
			case len(args) > 0 || f.fix:
				return diag.WithHint(errors.New("check --index takes no packs and no --fix"), "An index is written anew by packgen build.")
			}
			return a.runCheckIndex(f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.index, "index", "", "check this index `FILE`, .json, instead of packs")
	flags.StringVar(&f.format, "format", "text", "the `FORM` of the report: "+strings.Join(checkFormats[:], ", "))
	flags.StringVar(&f.output, "output", "", "write the report to `FILE`")
	flags.BoolVar(&a.all, "all", false, allUsage)
	flags.BoolVar(&f.strict, "strict", false, "exit with 1 for warnings too")
	flags.BoolVar(&f.fix, "fix", false, "mend what is safe to mend")
	flags.BoolVar(&f.explain, "explain", false, "explain the rule that is named, or list what is switched off and changed, and why")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --fix or --output: say what would be written and write nothing")
	return cmd
}

// normalise settles which format is meant and checks the flags.
func (f *checkFlags) normalise(a *app, formatGiven bool) error {
	if err := oneOf("--format", f.format, checkFormats[:]...); err != nil {
		return err
	}
	if f.output != "" && !formatGiven {
		switch strings.ToLower(filepath.Ext(f.output)) {
		case ".json":
			f.format = "json"
		case ".sarif":
			f.format = "sarif"
		case ".md":
			f.format = "markdown"
		}
	}
	if a.json && f.output == "" {
		if formatGiven && f.format != "json" {
			return diag.WithHint(errors.New("--json and --format contradict each other"), "Leave one of them out.")
		}
		f.format = "json"
	}
	return nil
}

// checking is one check of packs on its way.
type checking struct {
	ws      *workspace.Workspace
	cfg     workspace.Config
	now     time.Time
	all     *workspace.Repository // every pack: the index is made of all of them
	chosen  *workspace.Repository // those that are checked
	checked map[*workspace.Member]*check.Result
	faults  []diag.Diagnostic // about the index, goldens and roles
	fixed   map[*workspace.Member][]check.Fixed

	suppressed []lint.Suppressed // by comments in roles
	changed    []policy.Change   // by the configuration, about the index, goldens and roles
}

// runCheck checks packs, and checks them again when it has mended something.
func (a *app) runCheck(ctx context.Context, f checkFlags, names []string) error {
	cfg, err := a.LoadConfig()
	if err != nil {
		return err
	}
	now, err := workspace.RunTime(a.Getenv)
	if err != nil {
		return err
	}
	a.scope = diag.Printable(strings.Join(names, " "))
	o := checkOptions{now: now, names: names, fix: f.fix, dryRun: f.dryRun}
	c, err := checkRepository(ctx, &a.Workspace, cfg, o)
	if err != nil {
		return err
	}
	defer c.close()
	return a.checked(c, f).emit()
}

// checkOptions say which packs are checked, and whether what is safe to mend is
// mended.
type checkOptions struct {
	now    time.Time // of the run; zero is the clock
	names  []string  // of the packs; without one all that are not archived, and the roles
	fix    bool
	dryRun bool // say what a fix would write, and write nothing
}

// checkRepository checks packs, and checks them again when it has mended something.
// The caller closes the result.
func checkRepository(ctx context.Context, w *workspace.Workspace, cfg workspace.Config, o checkOptions) (*checking, error) {
	c, err := checkOnce(ctx, w, cfg, o)
	if err != nil || !o.fix {
		return c, err
	}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	mended, err := c.mend(o.dryRun)
	if err != nil {
		return nil, workspace.ExplainWrite(err)
	}
	if !mended || o.dryRun {
		return c, nil
	}
	again, err := checkOnce(ctx, w, cfg, o)
	if err != nil {
		return nil, err
	}
	again.fixed = map[*workspace.Member][]check.Fixed{}
	for m, list := range c.fixed {
		if same := again.chosen.Find("", m.Dir); same != nil {
			again.fixed[same] = list
		}
	}
	c.close()
	return again, nil
}

// close releases the packs.
func (c *checking) close() { c.all.Close() }

// checkOnce opens the packs and looks at everything.
func checkOnce(ctx context.Context, w *workspace.Workspace, cfg workspace.Config, o checkOptions) (*checking, error) {
	c := &checking{ws: w, cfg: cfg, now: o.now, checked: map[*workspace.Member]*check.Result{}}
	var err error
	if c.all, c.chosen, err = w.OpenForCheck(cfg.Packs, o.names); err != nil {
		return nil, err
	}
	if err := c.run(ctx, len(o.names) == 0); err != nil {
		c.all.Close()
		return nil, err
	}
	c.faults = append(c.faults, c.chosen.Faults...)
	c.faults, c.changed = w.Policy.Apply(c.faults, placeIn(c.all.Dirs()))
	return c, nil
}

// run checks the chosen packs, the index of all, and with whole the roles.
func (c *checking) run(ctx context.Context, whole bool) error {
	disk := store.ReadOnly("") // the rules look at every tree
	defer disk.Close()
	builder := c.cfg.Loadout.NewBuilder(disk.Group(workspace.IndexGroup))
	if err := c.packs(ctx, builder, disk); err != nil {
		return err
	}
	rest := &workspace.Repository{}
	for _, m := range c.all.Members {
		if c.checked[m] == nil && !slices.Contains(c.chosen.Members, m) {
			rest.Members = append(rest.Members, m)
		}
	}
	if err := c.ws.Compile(ctx, rest, workspace.CompileOptions{DryRun: true, Now: c.now, Disk: disk, Contribute: workspace.IndexAlone(builder)}); err != nil {
		return err
	}
	ix, faults, err := builder.Finish(c.all.Results(), index.Options{Generated: c.now})
	if err != nil {
		return err
	}
	c.faults = append(faults, check.Index(ix)...)
	if err := c.goldens(ix); err != nil {
		return err
	}
	c.faults = slices.DeleteFunc(c.faults, func(d diag.Diagnostic) bool {
		return d.Pack != "" && c.chosen.Find(d.Pack, "") == nil
	})
	if !whole || len(c.cfg.Roles) == 0 {
		return nil
	}
	roles, found, err := c.ws.OpenRoles(ctx, &c.cfg, c.all)
	if err != nil {
		return err
	}
	defer workspace.CloseRoles(roles)
	c.faults = append(c.faults, found...)
	for _, r := range roles {
		if m := c.all.Find(r.Pack, ""); r.Pack != "" && c.checked[m] != nil && !m.Pack.HasDir("briefs") {
			continue // its briefs are the pages and documents of a pack that was checked
		}
		list, suppressed, err := check.Role(ctx, r.Role)
		if err != nil {
			return fmt.Errorf("check role %s: %w", r.Dir, err)
		}
		c.faults = append(c.faults, list...)
		c.suppressed = append(c.suppressed, suppressed...)
	}
	return nil
}

// packs checks the chosen packs in parallel.
func (c *checking) packs(ctx context.Context, builder *index.Builder, disk *store.Disk) error {
	results := make([]*check.Result, len(c.chosen.Members))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workspace.PacksAtOnce)
	for i, m := range c.chosen.Members {
		if m.Unusable() {
			group.Go(func() error { return c.ws.Inspect(ctx, m, workspace.CompileOptions{DryRun: true, Now: c.now}) })
			continue
		}
		o := check.Options{
			Opened: m.Opened, Now: c.now, Policy: m.Policy,
			Contribute: []compiler.Contributor{builder.Contributor(m.Pack)}, Store: disk.Group(workspace.PackGroup + m.Name()),
		}
		if c.cfg.Overlay != "" {
			o.OutDir = filepath.Join(c.ws.Path(c.cfg.Overlay), m.Name())
		}
		group.Go(func() (err error) {
			if results[i], err = check.Pack(ctx, m.Pack, o); err != nil {
				return fmt.Errorf("check %s: %w", m.Dir, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, m := range c.chosen.Members {
		if results[i] != nil {
			c.checked[m], m.Result = results[i], results[i].Compiled
		}
	}
	return nil
}

// goldens runs the routing goldens to see which entries they reach. Those of
// packs that cannot be read are reported by the check of the pack.
func (c *checking) goldens(ix *loadout.Index) error {
	var results []eval.TaskResult
	var with []string
	run := func(name string, data []byte) ([]diag.Diagnostic, error) {
		routing, faults := eval.ReadRouting(name, data)
		if routing == nil {
			return faults, nil
		}
		list, err := eval.Route(routing, ix, loadout.Coverage)
		results = append(results, list...)
		return nil, err
	}
	for _, m := range c.all.Members {
		if m.Result == nil || !m.Pack.Has(eval.RoutingPath) {
			continue
		}
		with = append(with, m.Name())
		data, err := m.Pack.ReadFile(eval.RoutingPath)
		if err == nil {
			_, err = run(eval.RoutingPath, data)
		}
		if err != nil {
			return fmt.Errorf("run the goldens of %s: %w", m.Dir, err)
		}
	}
	data, err := workspace.ReadLimited(c.ws.Path(eval.RoutingPath), eval.MaxRoutingBytes)
	switch {
	case err == nil:
		faults, err := run(eval.RoutingPath, data)
		if err != nil {
			return fmt.Errorf("run %s: %w", eval.RoutingPath, err)
		}
		c.faults = append(c.faults, faults...)
	case !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("read %s: %w", eval.RoutingPath, err)
	}
	c.faults = append(c.faults, check.Unreached(ix, results, with)...)
	return nil
}

// mend mends what is safe to mend; mended is false when there is nothing.
func (c *checking) mend(dryRun bool) (mended bool, err error) {
	c.fixed = map[*workspace.Member][]check.Fixed{}
	for _, m := range c.chosen.Members {
		result := c.checked[m]
		if result == nil {
			continue
		}
		list, err := check.Fix(m.Pack, result, dryRun)
		if err != nil {
			return mended, fmt.Errorf("mend %s: %w", m.Dir, err)
		}
		c.fixed[m] = list
		for _, f := range list {
			mended = mended || f.Kept == ""
		}
	}
	return mended, nil
}
