package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
	"github.com/packgen/packgen/resolver/repo"
)

// Repository is a check of packs in progress.
type Repository struct {
	ws      *repo.Repo
	now     time.Time
	All     *repo.Packs // every pack: the index is made of all of them
	Chosen  *repo.Packs // those that are checked
	Checked map[*repo.Member]*Result
	Faults  []diag.Diagnostic // about the index, goldens and roles
	Fixed   map[*repo.Member][]Fixed

	fixes      bool              // what can be fixed is fixed
	site       Site              // nil judges no pages
	suppressed []lint.Suppressed // by comments in roles
	changed    []policy.Change   // by the configuration, about the index, goldens and roles
}

// RepositoryOptions say which packs are checked, and whether what is safe to fix is
// fixed.
type RepositoryOptions struct {
	Now    time.Time // of the run; zero is the clock
	Names  []string  // of the packs; without one all that are not archived, and the roles
	Fix    bool
	DryRun bool // say what a fix would write, and write nothing
	// Site prepares what judges the pages of all packs; nil judges none.
	Site func(all *repo.Packs) (Site, error)
}

// Run checks packs, and checks them again when it has fixed something, or once when a file
// is gone since it was listed: a check takes no lock, and a compile may run beside it.
// The caller closes the result.
func Run(ctx context.Context, w *repo.Repo, o RepositoryOptions) (*Repository, error) {
	c, err := checkOnce(ctx, w, o)
	if errors.Is(err, fs.ErrNotExist) {
		c, err = checkOnce(ctx, w, o)
	}
	if err != nil || !o.Fix {
		return c, err
	}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	fixed, err := c.fix(o.DryRun)
	if err != nil {
		return nil, repo.ExplainWrite(err)
	}
	if !fixed || o.DryRun {
		return c, nil
	}
	again, err := checkOnce(ctx, w, o)
	if err != nil {
		return nil, err
	}
	again.Fixed = map[*repo.Member][]Fixed{}
	for m, list := range c.Fixed {
		if same := again.Chosen.Find("", m.Dir); same != nil {
			again.Fixed[same] = list
		}
	}
	c.Close()
	return again, nil
}

// Close releases the packs.
func (c *Repository) Close() { c.All.Close() }

// checkOnce opens the packs and looks at everything.
func checkOnce(ctx context.Context, w *repo.Repo, o RepositoryOptions) (*Repository, error) {
	c := &Repository{ws: w, now: o.Now, fixes: o.Fix, Checked: map[*repo.Member]*Result{}}
	var err error
	if c.All, c.Chosen, err = w.OpenForCheck(o.Names); err != nil {
		return nil, err
	}
	if o.Site != nil {
		if c.site, err = o.Site(c.All); err == nil {
			defer c.site.Close()
		}
	}
	if err == nil {
		err = c.run(ctx, len(o.Names) == 0)
	}
	if err != nil {
		c.All.Close()
		return nil, err
	}
	c.Faults = append(c.Faults, c.Chosen.Faults...)
	c.heedComments()
	c.Faults = append(c.Faults, c.lineEnds()...)
	c.Faults, c.changed = w.Config.Policy().Apply(c.Faults, PlaceIn(c.All.Dirs()))
	return c, nil
}

// heedComments moves what comments in files of packs switch off from the faults to what is
// suppressed, as a build does.
func (c *Repository) heedComments() {
	for _, m := range c.Chosen.Members {
		r := c.Checked[m]
		if r == nil || len(r.Compiled.Comments) == 0 {
			continue
		}
		c.Faults = slices.DeleteFunc(c.Faults, func(d diag.Diagnostic) bool {
			if d.Pack != m.Name() {
				return false
			}
			_, off := lint.Suppress([]diag.Diagnostic{d}, r.Compiled.Comments)
			r.Suppressed = append(r.Suppressed, off...)
			return len(off) > 0
		})
	}
}

// lineEnds reports that git may change the line ends of packs. Where it has, that is a
// warning.
func (c *Repository) lineEnds() []diag.Diagnostic {
	var dirs []string
	for _, m := range c.Chosen.Members {
		dirs = append(dirs, m.Dir)
	}
	dir := repo.UnsafeLineEnds(c.ws.Paths, dirs)
	if dir == "" {
		return nil
	}
	severity := diag.Info
	for _, m := range c.Chosen.Members {
		if m.Pack == nil {
			continue
		}
		if data, err := m.Pack.ReadFile(pack.IndexPath); err == nil && bytes.Contains(data, []byte("\r\n")) {
			severity = diag.Warning
		}
	}
	return []diag.Diagnostic{{
		ID: idUntidy, Severity: severity, Path: ".gitattributes",
		Message: "nothing keeps git from changing the line ends of " + dir + ", as it does on Windows",
		Hint:    "write " + repo.LineEndsRule(dir) + " into .gitattributes",
	}}
}

// run checks the chosen packs, the index of all, and with whole the roles.
func (c *Repository) run(ctx context.Context, whole bool) error {
	// Whole results are known from one check to the next. A pack without one is read
	// from start to end: the rules look at every tree.
	disk := repo.OpenStore(c.ws.Paths, repo.StoreOptions{DryRun: c.fixes, Elsewhere: c.ws.Config.Overlay != ""})
	defer disk.Close()
	trees := store.ReadOnly("")
	defer trees.Close()
	builder := c.ws.Config.Loadout.NewBuilder(disk.Group(repo.IndexGroup))
	if err := c.packs(ctx, builder, disk, trees); err != nil {
		return err
	}
	rest := &repo.Packs{}
	for _, m := range c.All.Members {
		if c.Checked[m] == nil && !slices.Contains(c.Chosen.Members, m) {
			rest.Members = append(rest.Members, m)
		}
	}
	o := repo.CompileOptions{Each: compiler.Options{DryRun: true, Now: c.now}, Disk: disk, Contribute: repo.IndexAlone(builder), Enough: builder.Knows}
	if err := rest.Compile(ctx, o); err != nil {
		return err
	}
	ix, faults, err := builder.Finish(ctx, c.All.Results(), index.Options{Generated: c.now})
	if err != nil {
		return err
	}
	c.Faults = slices.Concat(faults, checkIndex(ix), oversizeIndex(ix))
	if err := c.goldens(ix); err != nil {
		return err
	}
	c.Faults = slices.DeleteFunc(c.Faults, func(d diag.Diagnostic) bool {
		return d.Pack != "" && c.Chosen.Find(d.Pack, "") == nil
	})
	if !whole {
		return nil
	}
	if err := c.restOfSite(ctx, builder); err != nil {
		return err
	}
	return c.roles(ctx)
}

// roles checks the roles that the configuration names.
func (c *Repository) roles(ctx context.Context) error {
	if len(c.ws.Config.Roles) == 0 {
		return nil
	}
	roles, found, err := repo.OpenRoles(ctx, c.ws, c.All)
	if err != nil {
		return err
	}
	defer repo.CloseRoles(roles)
	c.Faults = append(c.Faults, found...)
	for _, r := range roles {
		if m := c.All.Find(r.Pack, ""); r.Pack != "" && c.Checked[m] != nil && !m.Pack.HasDir("briefs") {
			continue // its briefs are the pages and documents of a pack that was checked
		}
		list, suppressed, err := checkRole(ctx, r.Role)
		if err != nil {
			return fmt.Errorf("check role %s: %w", r.Dir, err)
		}
		c.Faults = append(c.Faults, list...)
		c.suppressed = append(c.suppressed, suppressed...)
	}
	return nil
}

// packs checks the chosen packs in parallel. What is known of their units is in trees
// while the check runs.
func (c *Repository) packs(ctx context.Context, builder *index.Builder, disk, trees *store.Disk) error {
	results := make([]*Result, len(c.Chosen.Members))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(repo.PacksAtOnce)
	for i, m := range c.Chosen.Members {
		if m.Unusable() {
			group.Go(func() error { return m.Inspect(ctx, repo.CompileOptions{Each: compiler.Options{Now: c.now}}) })
			continue
		}
		o := options{
			Opened: m.Opened, Now: c.now, Policy: m.Policy,
			Contribute: []compiler.Contributor{builder.Contributor(m.Pack)}, Store: trees.Group(repo.PackGroup + m.Name()),
		}
		if c.site != nil {
			o.Contribute = append(o.Contribute, c.site.Contributor())
			o.Site, o.Pages = c.site.Key(), func(ctx context.Context, r *compiler.Result) (p Pages, err error) {
				if m.Result = r; !m.Unsound() {
					p, err = c.site.Pack(ctx, m)
				}
				return p, err
			}
		}
		if c.ws.Config.Overlay != "" {
			o.OutDir = filepath.Join(c.ws.Paths.Abs(c.ws.Config.Overlay), m.Name())
		}
		group.Go(func() (err error) {
			results[i], err = c.member(ctx, m, o, builder, disk.Group(repo.CheckGroup))
			switch {
			case errors.Is(err, fs.ErrNotExist): // a check takes no lock, and files were listed before
				return diag.WithHint(fmt.Errorf("check %s: another run is writing there, or a file was removed: %w", m.Dir, err), "check again")
			case err != nil:
				return fmt.Errorf("check %s: %w", m.Dir, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, m := range c.Chosen.Members {
		if results[i] != nil {
			c.Checked[m], m.Result = results[i], results[i].Compiled
		}
	}
	return nil
}

// member checks one pack, unless an earlier check has left its result. One that is fixed
// is checked: what is fixed follows from more than the result that is kept.
func (c *Repository) member(ctx context.Context, m *repo.Member, o options, builder *index.Builder, s store.Store) (*Result, error) {
	if c.fixes || o.OutDir != "" {
		return checkPack(ctx, m.Pack, o)
	}
	n := openCache(s, m.State(), m.Pack, o)
	if n != nil {
		if r := n.recall(builder.Knows); r != nil {
			return r, nil
		}
	}
	r, err := checkPack(ctx, m.Pack, o)
	if err != nil || n == nil {
		return r, err
	}
	if err := builder.Add(r.Compiled); err != nil {
		return nil, err
	}
	if again, _, err := pack.Open(m.Pack.Dir, c.ws.Mappings(m.Dir)...); err == nil && again != nil {
		n.keep(r, again)
		again.Close()
	}
	return r, nil
}

// goldens runs the routing goldens to see which entries they reach. Those of
// packs that cannot be read are reported by the check of the pack.
func (c *Repository) goldens(ix *loadout.Index) error {
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
	for _, m := range c.All.Members {
		if m.Result == nil || !m.Pack.Has(eval.RoutingPath) {
			continue
		}
		data, err := m.Pack.ReadFile(eval.RoutingPath)
		if err != nil {
			continue // the check of the pack reports it
		}
		with = append(with, m.Name())
		if _, err := run(eval.RoutingPath, data); err != nil {
			return fmt.Errorf("run the goldens of %s: %w", m.Dir, err)
		}
	}
	data, err := atomicfile.Read(c.ws.Paths.Abs(eval.RoutingPath), eval.MaxRoutingBytes)
	switch {
	case err == nil:
		faults, err := run(eval.RoutingPath, data)
		if err != nil {
			return fmt.Errorf("run %s: %w", eval.RoutingPath, err)
		}
		c.Faults = append(c.Faults, faults...)
	case !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("read %s: %w", eval.RoutingPath, err)
	}
	c.Faults = append(c.Faults, unreached(ix, results, with)...)
	return nil
}

// fix fixes what is safe to fix; fixed is false when there is nothing.
func (c *Repository) fix(dryRun bool) (fixed bool, err error) {
	c.Fixed = map[*repo.Member][]Fixed{}
	for _, m := range c.Chosen.Members {
		result := c.Checked[m]
		if result == nil {
			continue
		}
		list, err := fix(m.Pack, result, dryRun)
		if err != nil {
			return fixed, fmt.Errorf("fix %s: %w", m.Dir, err)
		}
		c.Fixed[m] = list
		for _, f := range list {
			fixed = fixed || f.Kept == ""
		}
	}
	return fixed, nil
}
