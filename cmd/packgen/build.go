package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/regular"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/workspace"
	"github.com/packgen/packgen/site"
)

// manifestName is the list of the files of a site, below its root.
const manifestName = "manifest.json"

// buildOptions say how a site is built.
type buildOptions struct {
	dryRun  bool   // write nothing
	force   bool   // overwrite compiled files that were edited by hand
	noCache bool   // do everything afresh
	out     string // where the site goes; "" is what the configuration says
	overlay string // where the packs' outputs go; "" is what the configuration says
}

// newBuild is the build verb.
func newBuild(a *app) *cobra.Command {
	var f buildOptions
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Compile every pack, write the index and the site",
		Long: `build compiles every pack of the repository, builds the loadout index over all
of them and writes the site. A site is replaced as a whole or not at all: when a
pack has errors, the earlier output stands and the exit code is 1.

SOURCE_DATE_EPOCH fixes the time of the run.`,
		Example: "  packgen build\n  packgen build --out /tmp/site\n  packgen -C ../handbook build --dry-run",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runBuild(cmd.Context(), f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", "", "write the site into `DIR` (default public)")
	flags.StringVar(&f.overlay, "overlay", "", "write the packs' compiled outputs below `DIR` instead of into the packs")
	flags.BoolVar(&f.dryRun, "dry-run", false, "list what would be written and write nothing")
	flags.BoolVar(&a.all, "all", false, allUsage)
	flags.BoolVar(&f.force, "force", false, "overwrite compiled files that were edited by hand")
	flags.BoolVar(&f.noCache, "no-cache", false, "do everything afresh, whatever is known of earlier builds")
	return cmd
}

// buildRun is one build on its way.
type buildRun struct {
	ws      *workspace.Workspace
	cfg     workspace.Config
	flags   buildOptions
	out     string // absolute
	overlay string // absolute; "" writes into the packs
	now     time.Time
	repo    *workspace.Repository
	stages  *workspace.Stages
	roles   []workspace.Role
	into    siteTarget           // where the site goes; nil is the output directory
	indexed func(*loadout.Index) // sees the index once it is built; may be nil

	index   *indexReport // what the index came out as; nil when it was not built
	summary publish.Summary
	written bool              // the site is what this run made it
	raised  []diag.Diagnostic // found in the index and the site
}

// siteTarget takes the files of a site; [publish.Tx] is one.
type siteTarget interface {
	site.Sink
	Commit() (publish.Summary, error)
	Abort() error
}

// target begins to write the site.
func (b *buildRun) target(ctx context.Context) (siteTarget, error) {
	if b.into != nil {
		return b.into, nil
	}
	return publish.Begin(ctx, publish.Options{
		Target: b.out, StateDir: b.state(), Manifest: manifestName, DryRun: b.flags.dryRun, Wait: workspace.LockWait,
		Remember: !b.flags.noCache,
	})
}

// runBuild does what the build verb says.
func (a *app) runBuild(ctx context.Context, f buildOptions) error {
	b, err := prepareBuild(ctx, &a.Workspace, f)
	if err != nil {
		return err
	}
	defer b.close()
	limitMemory(b.repo.Files())
	if err := b.run(ctx); err != nil {
		return explainTarget(workspace.ExplainWrite(err))
	}
	return buildPrinter{b, a}.report()
}

// prepareBuild reads the configuration and opens the packs.
func prepareBuild(ctx context.Context, w *workspace.Workspace, f buildOptions) (*buildRun, error) {
	cfg, err := w.LoadConfig()
	if err != nil {
		return nil, err
	}
	if f.out != "" {
		cfg.Out = f.out
	}
	if f.overlay != "" {
		cfg.Overlay = f.overlay
	}
	b := &buildRun{ws: w, cfg: cfg, flags: f, out: w.Path(cfg.Out), stages: w.Follow()}
	if b.now, err = workspace.RunTime(w.Getenv); err != nil {
		return nil, err
	}
	b.stages.Begin("open")
	if b.repo, err = w.Open(cfg.Packs); err != nil {
		b.stages.End()
		return nil, err
	}
	b.repo.DropArchived()
	if err = w.CheckTarget(b.out, b.repo); err == nil {
		err = w.CheckProject(cfg.Loadout.Project, b.out, b.repo)
	}
	// A dry run writes nothing, so it needs no place for it; but what stands in a
	// named one tells what would change.
	if err == nil && (!f.dryRun || cfg.Overlay != "") {
		b.overlay, err = w.ChooseOverlay(cfg.Overlay)
	}
	if err == nil {
		err = w.CheckOverlay(b.overlay, b.repo)
	}
	if err == nil {
		var found []diag.Diagnostic
		b.roles, found, err = w.OpenRoles(ctx, &cfg, b.repo)
		b.repo.Add(found)
	}
	if err != nil {
		b.stages.End()
		b.repo.Close()
		return nil, err
	}
	return b, nil
}

// close releases the packs and roles.
func (b *buildRun) close() {
	workspace.CloseRoles(b.roles)
	b.repo.Close()
}

// run writes the site, or says what keeps it from being written.
func (b *buildRun) run(ctx context.Context) error {
	defer b.stages.End()
	if b.repo.Broken() {
		return b.inspect(ctx)
	}
	return b.write(ctx)
}

// inspect compiles the packs that can be read without writing anything, so that
// one run shows every fault.
func (b *buildRun) inspect(ctx context.Context) error {
	b.stages.Begin("compile")
	o := b.compileOptions()
	o.DryRun = true
	return b.ws.Compile(ctx, b.repo, o)
}

// write compiles the packs and, when none of them failed, replaces the site.
func (b *buildRun) write(ctx context.Context) (err error) {
	b.stages.Begin("compile")
	tx, err := b.target(ctx)
	if err != nil {
		return fmt.Errorf("write %s: %w", b.ws.Rel(b.out), err)
	}
	defer func() { err = errors.Join(err, tx.Abort()) }()
	disk := b.ws.OpenStore(workspace.StoreOptions{DryRun: b.flags.dryRun, Afresh: b.flags.noCache, Elsewhere: b.overlay != ""})
	defer disk.Close()
	pages, err := b.newSite(disk)
	if err != nil {
		return err
	}
	builder := b.cfg.Loadout.NewBuilder(disk.Group(workspace.IndexGroup))
	o := b.compileOptions()
	o.Disk = disk
	o.Visit = func(*compiler.Unit) error {
		b.stages.Count("files")
		return nil
	}
	o.Contribute = func(p *pack.Pack) []compiler.Contributor {
		return []compiler.Contributor{builder.Contributor(p), pages.Contributor()}
	}
	keeper, keeps := tx.(site.Keeper)
	o.Enough = func(p *pack.Pack, state store.Digest) bool {
		return keeps && builder.Knows(p, state) && pages.Knows(p, state, keeper)
	}
	if err := b.ws.Compile(ctx, b.repo, o); err != nil {
		return err
	}
	whole := b.openWhole(disk.Group(workspace.SiteGroup))
	var project *loadout.Index
	if !whole.recall(b, tx) {
		b.stages.Begin("index")
		ix, err := b.putIndex(builder, tx)
		if err != nil {
			return err
		}
		if project, err = b.projectIndex(builder); err != nil {
			return err
		}
		if err := b.inspectProject(project); err != nil {
			return err
		}
		// A large index is not held while the pages are made.
		builder = nil

		b.stages.Begin("site")
		err = b.generate(ctx, pages, tx, ix)
		if b.failed() {
			return ctx.Err() // the pages were made for what is wrong with them alone
		}
		if err != nil {
			return err
		}
	} else if b.failed() {
		return ctx.Err()
	}
	b.stages.Begin("write")
	if err := ctx.Err(); err != nil {
		return err
	}
	if b.summary, err = tx.Commit(); err != nil {
		return fmt.Errorf("write %s: %w", b.ws.Rel(b.out), err)
	}
	b.written = true
	whole.keep(b, tx)
	return b.writeProject(ctx, project)
}

// putIndex builds the loadout index and hands it to the transaction.
func (b *buildRun) putIndex(builder *index.Builder, tx site.Sink) (site.Index, error) {
	ix, faults, err := builder.Finish(b.repo.Results(), index.Options{Generated: b.now})
	if err != nil {
		return site.Index{}, fmt.Errorf("build the loadout index: %w", err)
	}
	b.raise(faults)
	b.index = &indexReport{len(ix.Entries), ix.Budget.AlwaysLoaded, ix.Budget.OnDemandTotal}
	if b.indexed != nil {
		b.indexed(ix)
	}
	facts, err := site.PutIndex(tx, ix)
	var beyond *loadout.BinaryError
	if errors.As(err, &beyond) { // so large that no index.bin can hold it
		b.raise(index.Oversize(index.Sizes{Entries: len(ix.Entries), Text: indexjson.MaxIndex + 1}))
		return site.Index{Entries: len(ix.Entries)}, nil
	}
	b.raise(index.Oversize(index.Sizes{Entries: facts.Entries, Text: facts.Text, Binary: facts.Binary}))
	if err != nil {
		return site.Index{}, fmt.Errorf("build the loadout index: %w", err)
	}
	return facts, nil
}

// raise hands findings about the index and the site to the packs they are about.
func (b *buildRun) raise(found []diag.Diagnostic) {
	b.raised = append(b.raised, found...)
	b.repo.Add(found)
}

// state is the directory for locks, journals and caches; "" when the repository
// is not to be written.
func (b *buildRun) state() string {
	if b.overlay != "" {
		return ""
	}
	return filepath.Join(b.ws.Dir, workspace.StateName)
}

// newSite prepares the site that the packs' pages are collected in.
func (b *buildRun) newSite(disk *store.Disk) (*site.Site, error) {
	custom, err := b.ws.CustomOf(b.cfg.Site)
	if err != nil {
		return nil, err
	}
	context, err := json.Marshal(b.cfg)
	if err != nil {
		return nil, fmt.Errorf("describe the configuration: %w", err)
	}
	return site.New(site.Options{
		Title: b.cfg.Title, Description: b.cfg.Site.Description, Language: b.cfg.Site.Language,
		BaseURL: b.cfg.BaseURL, PublishSources: b.cfg.Site.Sources, PublishRuns: b.cfg.Site.Runs, PlainCode: !b.cfg.Site.Highlight,
		Examples: b.cfg.Site.Examples, Custom: custom, Version: compiler.Version, Context: string(context),
		Store: disk.Group(workspace.SiteGroup), Code: disk.Group(workspace.CodeGroup),
	}), nil
}

// generate hands the files of the site to the transaction.
func (b *buildRun) generate(ctx context.Context, pages *site.Site, tx site.Sink, ix site.Index) error {
	retrieval, err := b.retrieval(ctx)
	if err != nil {
		return err
	}
	report, err := b.siteReport()
	if err != nil {
		return err
	}
	in := site.Input{
		Results: b.repo.Results(), Roles: rolesOf(b.roles), Index: ix, Read: b.readCompiled, Retrieval: retrieval, Report: report,
		Progress: func(done, total int) { b.stages.Progress("%d of %d files", done, total) },
	}
	if !b.flags.dryRun {
		in.Open = func(p *pack.Pack, path string) (io.ReadCloser, error) { return openWritten(b.overlay, p, path) }
	}
	out, err := pages.Generate(ctx, in, tx)
	if err != nil {
		return fmt.Errorf("generate the site: %w", err)
	}
	b.raise(out.Diagnostics)
	return nil
}

// rolesOf are the roles as the site takes them.
func rolesOf(list []workspace.Role) []site.Role {
	out := make([]site.Role, len(list))
	for i, r := range list {
		out[i] = site.Role(r)
	}
	return out
}

// readCompiled reads a file below compiled/ where this build keeps it.
func (b *buildRun) readCompiled(p *pack.Pack, path string) ([]byte, error) {
	if b.overlay != "" {
		data, err := workspace.ReadLimited(filepath.Join(b.overlay, p.Meta.Name, filepath.FromSlash(path)), pack.SizeLimit(path))
		if !errors.Is(err, fs.ErrNotExist) {
			return data, err
		}
	}
	return p.ReadFile(path)
}

// openWritten opens a file of a pack where a compile with that overlay has left
// it; "" is the pack itself.
func openWritten(overlay string, p *pack.Pack, path string) (io.ReadCloser, error) {
	if overlay != "" {
		root, err := regular.Root(filepath.Join(overlay, p.Meta.Name))
		if err == nil {
			defer root.Close()
			var f *os.File
			if f, _, err = regular.OpenIn(root, path); err == nil {
				return f, nil
			}
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	f, _, err := p.OpenFile(path)
	return f, err
}

// compileOptions are the options of the compile inside a build.
func (b *buildRun) compileOptions() workspace.CompileOptions {
	return workspace.CompileOptions{
		DryRun: b.flags.dryRun, Force: b.flags.force, Trigger: "manual", Overlay: b.overlay, Now: b.now,
	}
}

// failed reports whether a pack or the index came out so that nothing may be
// published.
func (b *buildRun) failed() bool {
	return b.repo.Broken() || b.repo.Status() == "failed" || diag.Count(b.repo.Findings(), diag.Error) > 0
}

// explainTarget adds what to do to an error about the output directory.
func explainTarget(err error) error {
	switch {
	case errors.Is(err, publish.ErrLocked):
		return diag.WithHint(err, "Wait for the other run, or stop it.")
	case errors.Is(err, publish.ErrNotOurs):
		return diag.WithHint(err, "Name a directory with --out DIR that does not exist yet, is empty, or holds an earlier site.")
	}
	return err
}
