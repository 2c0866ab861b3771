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
	*app
	f       checkFlags
	cfg     Config
	now     time.Time
	all     *repository // every pack: the index is made of all of them
	chosen  *repository // those that are checked
	checked map[*member]*check.Result
	faults  []diag.Diagnostic // about the index, goldens and roles
	fixed   map[*member][]check.Fixed

	suppressed []lint.Suppressed // by comments in roles
	changed    []policy.Change   // by the configuration, about the index, goldens and roles
}

// runCheck checks packs, and checks them again when it has mended something.
func (a *app) runCheck(ctx context.Context, f checkFlags, names []string) error {
	cfg, err := a.loadConfig()
	if err != nil {
		return err
	}
	now, err := runTime(a.getenv)
	if err != nil {
		return err
	}
	a.scope = diag.Printable(strings.Join(names, " "))
	c, err := a.checkOnce(ctx, f, cfg, now, names)
	if err != nil {
		return err
	}
	defer func() { c.all.close() }()
	if f.fix {
		mended, err := c.fix()
		if err != nil {
			return explainWrite(err)
		}
		if mended && !f.dryRun {
			again, err := a.checkOnce(ctx, f, cfg, now, names)
			if err != nil {
				return err
			}
			again.fixed = map[*member][]check.Fixed{}
			for m, list := range c.fixed {
				if same := again.chosen.find("", m.dir); same != nil {
					again.fixed[same] = list
				}
			}
			c.all.close()
			c = again
		}
	}
	return c.report().emit()
}

// checkOnce opens the packs and looks at everything.
func (a *app) checkOnce(ctx context.Context, f checkFlags, cfg Config, now time.Time, names []string) (*checking, error) {
	c := &checking{app: a, f: f, cfg: cfg, now: now, checked: map[*member]*check.Result{}}
	var err error
	if c.all, c.chosen, err = a.openForCheck(cfg.Packs, names); err != nil {
		return nil, err
	}
	if err := c.run(ctx, len(names) == 0); err != nil {
		c.all.close()
		return nil, err
	}
	c.faults = append(c.faults, c.chosen.faults...)
	c.faults, c.changed = a.policy.Apply(c.faults, placeIn(c.all.dirs()))
	return c, nil
}

// run checks the chosen packs, the index of all, and with whole the roles.
func (c *checking) run(ctx context.Context, whole bool) error {
	disk := store.ReadOnly("") // the rules look at every tree
	defer disk.Close()
	builder := c.cfg.Loadout.newBuilder(disk.Group(indexGroup))
	if err := c.packs(ctx, builder, disk); err != nil {
		return err
	}
	rest := &repository{}
	for _, m := range c.all.members {
		if c.checked[m] == nil && !slices.Contains(c.chosen.members, m) {
			rest.members = append(rest.members, m)
		}
	}
	if err := c.compile(ctx, rest, compileOptions{dryRun: true, now: c.now, disk: disk, contribute: indexAlone(builder)}); err != nil {
		return err
	}
	ix, faults, err := builder.Finish(c.all.results(), index.Options{Generated: c.now})
	if err != nil {
		return err
	}
	c.faults = append(faults, check.Index(ix)...)
	if err := c.goldens(ix); err != nil {
		return err
	}
	c.faults = slices.DeleteFunc(c.faults, func(d diag.Diagnostic) bool {
		return d.Pack != "" && c.chosen.find(d.Pack, "") == nil
	})
	if !whole || len(c.cfg.Roles) == 0 {
		return nil
	}
	roles, found, err := c.openRoles(ctx, &c.cfg, c.all)
	if err != nil {
		return err
	}
	defer closeRoles(roles)
	c.faults = append(c.faults, found...)
	for _, r := range roles {
		if m := c.all.find(r.Pack, ""); r.Pack != "" && c.checked[m] != nil && !m.pack.HasDir("briefs") {
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
	results := make([]*check.Result, len(c.chosen.members))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(packsAtOnce)
	for i, m := range c.chosen.members {
		if m.unusable() {
			group.Go(func() error { return c.inspect(ctx, m, compileOptions{dryRun: true, now: c.now}) })
			continue
		}
		o := check.Options{
			Opened: m.opened, Now: c.now, Policy: m.policy,
			Contribute: []compiler.Contributor{builder.Contributor(m.pack)}, Store: disk.Group(packGroup + m.name()),
		}
		if c.cfg.Overlay != "" {
			o.OutDir = filepath.Join(c.path(c.cfg.Overlay), m.name())
		}
		group.Go(func() (err error) {
			if results[i], err = check.Pack(ctx, m.pack, o); err != nil {
				return fmt.Errorf("check %s: %w", m.dir, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, m := range c.chosen.members {
		if results[i] != nil {
			c.checked[m], m.result = results[i], results[i].Compiled
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
	for _, m := range c.all.members {
		if m.result == nil || !m.pack.Has(eval.RoutingPath) {
			continue
		}
		with = append(with, m.name())
		data, err := m.pack.ReadFile(eval.RoutingPath)
		if err == nil {
			_, err = run(eval.RoutingPath, data)
		}
		if err != nil {
			return fmt.Errorf("run the goldens of %s: %w", m.dir, err)
		}
	}
	data, err := readLimited(c.path(eval.RoutingPath), eval.MaxRoutingBytes)
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

// fix mends what is safe to mend; mended is false when there is nothing.
func (c *checking) fix() (mended bool, err error) {
	c.fixed = map[*member][]check.Fixed{}
	for _, m := range c.chosen.members {
		result := c.checked[m]
		if result == nil {
			continue
		}
		list, err := check.Fix(m.pack, result, c.f.dryRun)
		if err != nil {
			return mended, fmt.Errorf("mend %s: %w", m.dir, err)
		}
		c.fixed[m] = list
		for _, f := range list {
			mended = mended || f.Kept == ""
		}
	}
	return mended, nil
}
