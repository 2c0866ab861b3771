package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/agent/exchange"
	"github.com/packgen/packgen/resolver/agent/usage"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site"
	"github.com/packgen/packgen/site/page"
)

// Options say how a site is built.
type Options struct {
	DryRun  bool   // write nothing
	Force   bool   // overwrite compiled files that were edited by hand
	NoCache bool   // do everything again
	Strict  bool   // publish nothing when a pack has errors
	Out     string // where the site goes; "" is what the configuration says
	Overlay string // where the packs' outputs go; "" is what the configuration says
	Action  string // compile the pack in that directory alone, for another machine, and leave its outputs at Out

	RemoteCache    string // address; "" is what the configuration says
	RemoteExecutor string // the same
	NoUpload       bool   // give a remote cache nothing
	Remote         Protocol
}

// Run is a build in progress.
type Run struct {
	ws         *repo.Repo
	Flags      Options
	Out        string // absolute
	overlay    string // absolute; "" writes into the packs
	now        time.Time
	Repository *repo.Packs
	Stages     *repo.Stages
	roles      []repo.Role
	into       publish.Target       // where the site goes; nil is the output directory
	serve      serving              // of a run that a server begins
	tools      *tools               // what it is made with; nil in a run alone, which makes its own
	indexed    func(*loadout.Entry) // sees the entries of the index; may be nil
	paged      func()               // is called when the pages of a pack are made; may be nil

	Index   *IndexReport // the result of the index; nil when it was not built
	Summary publish.Summary
	Written bool              // the site is what this run made it
	raised  []diag.Diagnostic // found in the index and the site
	remote  *service          // nil when the configuration names none
	out     outcome           // which packs the site shows, and how
}

// serving is what a run knows of the server that shows its site.
type serving struct {
	screen screen                      // nil in a run alone
	edited map[*repo.Member][]string   // files that somebody waits to see, by pack
	good   map[string]*compiler.Result // of the last good builds, by pack
}

// target begins to write the site.
func (b *Run) target(ctx context.Context) (publish.Target, error) {
	if b.into != nil {
		return b.into, nil
	}
	return publish.Begin(ctx, publish.Options{
		Target: b.Out, StateDir: b.state(), Manifest: schema.SiteManifestName, DryRun: b.Flags.DryRun, Wait: repo.LockWait,
		Remember: !b.Flags.NoCache, Notice: hostFile + 1,
	})
}

// Prepare opens the packs.
func Prepare(ctx context.Context, w *repo.Repo, f Options) (*Run, error) {
	return prepare(ctx, w, f, nil, nil)
}

// prepare is Prepare, given a repository with the packs that there are, nil when they are
// to be looked for, and the members of the run before that nobody has touched.
func prepare(ctx context.Context, w *repo.Repo, f Options, places *repo.Packs, untouched func(dir string) *repo.Member) (*Run, error) {
	own := *w // the flags change its configuration
	w = &own
	out := w.Config.Out
	if f.Out != "" {
		out = f.Out
	}
	if err := f.remote(&w.Config.Remote); err != nil {
		return nil, err
	}
	if w.Config.Remote.Cache+w.Config.Remote.Executor+f.Action == "" {
		w.Config.Out = out // what other machines use must not depend on where it is
	}
	if f.Overlay != "" {
		w.Config.Overlay = f.Overlay
	}
	b := &Run{ws: w, Flags: f, Out: w.Paths.Abs(out), Stages: w.Follow()}
	var err error
	if b.now, err = repo.RunTime(w.Getenv); err != nil {
		return nil, err
	}
	b.Stages.Begin("open")
	if b.Repository, err = w.OpenAgain(places, untouched); err != nil {
		b.Stages.End()
		return nil, err
	}
	b.Repository.DropArchived()
	// A dry run writes nothing, so it needs no place for it; but what is in a
	// named one says what would change.
	if !f.DryRun || w.Config.Overlay != "" {
		b.overlay, err = repo.ChooseOverlay(w, w.Config.Overlay)
	}
	if err == nil {
		err = checkPlaces(b)
	}
	if err == nil {
		var found []diag.Diagnostic
		b.roles, found, err = repo.OpenRoles(ctx, w, b.Repository)
		b.Repository.Add(found)
	}
	if err != nil {
		b.Stages.End()
		b.Repository.Close()
		return nil, err
	}
	return b, nil
}

// checkPlaces refuses places of outputs that cannot be meant.
func checkPlaces(b *Run) error {
	return cmp.Or(
		repo.CheckTarget(b.ws.Paths, b.Out, b.Repository),
		repo.CheckProject(b.ws.Paths, b.ws.Config.Loadout.Project, b.Out, b.Repository),
		repo.CheckOverlay(b.ws.Paths, b.overlay, b.Repository),
	)
}

// mostRemembered is how many splits a build counts the words of, about a third of a
// second: a large repository would wait for what may never be asked.
const mostRemembered = 2000

// RememberSections keeps what queries need of packs that this run compiled for the first
// time, so that the first answer after it is a fast one.
func (b *Run) RememberSections(ctx context.Context) error {
	if b.Flags.DryRun || b.overlay != "" || !b.Written {
		return nil
	}
	return repo.RememberNew(ctx, b.ws, b.Repository, mostRemembered)
}

// Close releases the packs and roles.
func (b *Run) Close() {
	b.remote.close()
	repo.CloseRoles(b.roles)
	b.Repository.Close()
}

// Do writes the site, or says what keeps it from being written: an error about the
// repository as a whole and, where Strict says so, about any pack.
func (b *Run) Do(ctx context.Context) error {
	defer b.Stages.End()
	if b.Repository.Blocked() || b.Flags.Strict && b.Repository.Broken() {
		return b.inspect(ctx)
	}
	if err := b.openService(ctx); err != nil {
		return err
	}
	for faults := len(b.Repository.Faults); ; {
		again, err := b.write(ctx)
		if b.remote.wasSpoilt() && ctx.Err() == nil {
			again, err = true, nil
		}
		if !again || err != nil {
			return err
		}
		b.forget(faults)
	}
}

// inspect compiles the packs that can be read without writing anything, so that
// one run shows every fault.
func (b *Run) inspect(ctx context.Context) error {
	b.Stages.Begin("compile")
	o := b.compileOptions()
	o.Each.DryRun = true
	return b.Repository.Compile(ctx, o)
}

// write compiles the packs and replaces the site, unless nothing may be published. Again
// says that the index or the pages found a pack not fit to be shown: without it
// the site is another one.
func (b *Run) write(ctx context.Context) (again bool, err error) {
	b.Stages.Begin("compile")
	tx, err := b.target(ctx)
	if err != nil {
		return false, fmt.Errorf("write %s: %w", b.ws.Paths.Rel(b.Out), err)
	}
	defer func() { err = errors.Join(err, tx.Abort()) }()
	t := b.tools
	if t == nil {
		if t, err = b.newTools(ctx, false); err != nil {
			return false, err
		}
		defer t.close()
	}
	if err := b.compile(ctx, t, tx); err != nil || b.remote.isSpoilt() {
		return false, err
	}
	if b.out.refuseBlamed() {
		return b.into == nil, ctx.Err()
	}
	b.sort(tx)
	overall := b.openOverall(t.disk.Group(repo.SiteGroup))
	var project *loadout.Index
	if !overall.recall(b, tx) && !overall.fetch(ctx, b, t, tx) {
		if b.remote.isSpoilt() {
			return false, nil
		}
		overall.made = true
		b.Stages.Begin("pages")
		err = b.generate(ctx, t.pages, tx, func() (ix site.Index, err error) {
			b.Stages.Begin("index")
			ix, project, err = b.putIndexes(ctx, t, tx)
			b.Stages.Begin("site")
			return ix, err
		})
	}
	switch {
	case b.blame(err):
		b.out.refuseBlamed()
		return b.into == nil, ctx.Err()
	case err != nil && !b.Blocked():
		return false, err
	case b.Blocked():
		return false, ctx.Err() // the pages were made for what is wrong with them alone
	case b.out.changed(b):
		return true, nil
	}
	b.Stages.Begin("write")
	if err := ctx.Err(); err != nil {
		return false, err
	}
	b.Summary, err = tx.Commit()
	switch {
	case b.blame(err):
		b.out.refuseBlamed()
		return b.into == nil, ctx.Err()
	case err != nil:
		return false, fmt.Errorf("write %s: %w", b.ws.Paths.Rel(b.Out), err)
	}
	b.Written = true
	overall.keep(b)
	b.raise(beyondHosts(&b.Summary, b.ws.Paths.Rel(b.Out)))
	if b.remote.well() {
		b.Stages.Begin("remote")
		b.sendAll(ctx, t, tx)
		overall.send(ctx, b, t)
	}
	return false, b.writeProject(ctx, project)
}

// compile compiles the packs, and makes the pages of each that may be shown.
func (b *Run) compile(ctx context.Context, t *tools, tx publish.Target) error {
	o := b.compileOptions()
	o.Disk, o.Once = t.disk, b.tools == nil
	o.Each.Visit = func(*compiler.Unit) error {
		b.Stages.Count("files")
		return nil
	}
	o.Contribute = func(p *pack.Pack) []compiler.Contributor {
		return []compiler.Contributor{t.builder.Contributor(p), t.pages.Contributor()}
	}
	if b.remote.well() {
		fetching, cancel := context.WithCancel(ctx)
		defer cancel()
		b.fetchAll(fetching, t)
		o.Restore = func(ctx context.Context, m *repo.Member) func(*pack.Pack) { return b.restore(ctx, t, m) }
	}
	o.Enough = func(p *pack.Pack, state store.Digest) bool {
		if f := b.fetchedPages(p, state, tx); f != nil {
			return b.takePages(p, state, t, f)
		}
		return !b.out.refused[p.Meta.Name] && t.builder.Knows(p, state) && t.pages.Knows(p, state, tx)
	}
	o.Compiled = func(ctx context.Context, m *repo.Member) error {
		if b.out.refused[m.Name()] || m.Unsound() {
			return nil
		}
		return b.makePack(ctx, t, tx, m)
	}
	if b.serve.screen != nil && len(b.serve.edited) > 0 {
		o.Early = func(ctx context.Context, m *repo.Member, r *compiler.Result) error {
			return b.preview(ctx, t, m, r)
		}
	}
	return b.Repository.Compile(ctx, o)
}

// screen is what readers see of a site before all of it is made.
type screen interface {
	// Show shows what was put so far.
	Show()
	// Preview shows a file before it is put, with the same bytes.
	Preview(path string, data []byte) error
	// Pause gives the browser of a page that Preview has changed the time to paint it.
	Pause(ctx context.Context)
}

// preview shows the pages of edited files as soon as their content is known, before
// anything is written. Of a pack with errors the last good pages stay.
func (b *Run) preview(ctx context.Context, t *tools, m *repo.Member, r *compiler.Result) error {
	if len(b.serve.edited[m]) == 0 || b.out.refused[m.Name()] || diag.Count(r.Diagnostics, diag.Error) > 0 {
		return nil
	}
	if err := t.pages.Preview(r, b.serve.edited[m], b.serve.screen.Preview); err != nil {
		return fmt.Errorf("generate the site: %w", err)
	}
	b.serve.screen.Pause(ctx)
	return nil
}

// raise hands findings about the index and the site to the packs they are about.
func (b *Run) raise(found []diag.Diagnostic) {
	b.raised = append(b.raised, found...)
	b.Repository.Add(found)
}

// state is the directory for locks, staging and caches; "" when the repository
// is not to be written.
func (b *Run) state() string {
	if b.overlay != "" {
		return ""
	}
	return filepath.Join(b.ws.Paths.Dir, repo.StateName)
}

// generate hands the files of the site to the transaction.
func (b *Run) generate(ctx context.Context, pages *site.Site, tx publish.Target, paged func() (site.Index, error)) error {
	report, err := siteReport(b)
	if err != nil {
		return err
	}
	in, err := b.siteInput(ctx, b.out.shown...)
	if err != nil {
		return err
	}
	in.Results, in.Kept, in.Roles, in.Paged, in.Report = b.results(), b.out.kept, rolesOf(b.roles), paged, report
	in.Progress = func(done, total int) { b.Stages.Progress("%d of %d files", done, total) }
	out, err := pages.Generate(ctx, in, tx)
	if err != nil {
		return fmt.Errorf("generate the site: %w", err)
	}
	b.raise(out.Diagnostics)
	return putSkills(b, tx)
}

// putSkills hands the skills of the packs to the transaction, when the site is to have
// them.
func putSkills(b *Run, tx publish.Target) error {
	if !b.ws.Config.Site.Skills {
		return nil
	}
	files, found, err := exchange.Published(b.out.shown)
	if err != nil {
		return err
	}
	for _, f := range files {
		if _, err := tx.Put(f.Path, f.Data); err != nil {
			return fmt.Errorf("write %s: %w", f.Path, err)
		}
	}
	b.raise(found)
	return nil
}

// siteInput is what the pages of packs are made from besides their results.
func (b *Run) siteInput(ctx context.Context, members ...*repo.Member) (site.Input, error) {
	in := site.Input{Read: b.readCompiled, Retrieval: map[string]page.Retrieval{}}
	if !b.Flags.DryRun {
		in.Open = func(p *pack.Pack, path string) (io.ReadCloser, error) { return openWritten(b.overlay, p, path) }
	}
	for _, m := range members {
		r, ok, err := b.retrieval(ctx, m)
		if err != nil {
			return in, err
		}
		if ok {
			in.Retrieval[m.Name()] = r
		}
	}
	return in, nil
}

// readCompiled reads a file below compiled/ where this build keeps it.
func (b *Run) readCompiled(p *pack.Pack, path string) ([]byte, error) {
	if b.overlay != "" {
		data, err := atomicfile.Read(filepath.Join(b.overlay, p.Meta.Name, filepath.FromSlash(path)), pack.SizeLimit(path))
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
		root, err := regularfile.Root(filepath.Join(overlay, p.Meta.Name))
		if err == nil {
			defer root.Close()
			var f *os.File
			if f, _, err = regularfile.OpenIn(root, path); err == nil {
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
func (b *Run) compileOptions() repo.CompileOptions {
	return repo.CompileOptions{
		Each:    compiler.Options{DryRun: b.Flags.DryRun, Force: b.Flags.Force, Now: b.now, KeepRuns: int(b.ws.Config.Runs.Keep)},
		Overlay: b.overlay,
	}
}

// Failed reports whether there are errors, published or not.
func (b *Run) Failed() bool {
	return b.Repository.Broken() || b.Repository.Status() == schema.Failed || b.Repository.HasErrors()
}

// ExplainTarget adds what to do to an error about the output directory.
func ExplainTarget(err error) error {
	switch {
	case errors.Is(err, publish.ErrLocked):
		return diag.WithHint(err, "wait for the other run, or stop it")
	case errors.Is(err, publish.ErrNotOurs):
		return diag.WithHint(err, "name a directory with --out DIR that does not exist yet, is empty, or holds an earlier site")
	}
	return err
}

// siteReport is the report that the site shows; nil when the configuration asks
// for none.
func siteReport(b *Run) (*site.Report, error) {
	if b.ws.Config.Site.Report == "" {
		return nil, nil
	}
	log := layers.LogBeside(b.ws.Config.Site.Report).Path
	for _, name := range []string{b.ws.Config.Site.Report, log, log + layers.RotatedSuffix} {
		if err := b.ws.CheckPlace(name); err != nil {
			return nil, fmt.Errorf("site.report: %w", err)
		}
	}
	r, err := usage.ReadForSite(b.ws, b.ws.Paths.Abs(b.ws.Config.Site.Report))
	if err != nil {
		return nil, err
	}
	b.Repository.Add(usage.MalformedLines(b.ws.Paths.Rel(r.Log), r.Skipped))
	return ReportPage(r), nil
}

// PackOne compiles one pack and writes its archive to out, "" for NAME.tar.gz. Without
// names the only pack is meant. An Archive without Out means that findings, which the
// repository has, forbid one. The caller closes the repository.
func PackOne(ctx context.Context, w *repo.Repo, f ArchiveOptions, names []string, out string) (r *repo.Packs, done Archive, err error) {
	if r, err = w.OpenOne(names); err != nil {
		return nil, done, err
	}
	opened := r
	defer func() {
		if err != nil {
			opened.Close()
		}
	}()
	s, err := newSigner(w, f.SignOptions)
	if err != nil {
		return nil, done, err
	}
	m := r.Members[0]
	if out == "" {
		out = m.Name() + ".tar.gz"
	}
	out = w.Paths.Abs(out)
	if err := checkArchivePath(w, out, m); err != nil {
		return nil, done, err
	}
	st := w.Follow()
	defer st.End()
	err = compiled(ctx, w, f, r, st, func(overlay string) (err error) {
		if failed(r) {
			return nil
		}
		st.Begin("pack")
		done, err = writeArchive(ctx, w, f, m, overlay, out)
		r.Add(oversizeArchive(done.Out, done.Bytes, false))
		if err != nil || s == nil || done.Out == "" || f.DryRun {
			return err
		}
		return done.sign(ctx, w, s, m, out)
	})
	return r, done, err
}

// compiled compiles packs for their archives and calls then while the outputs are in
// place: for a trial they are elsewhere, and removed afterwards.
func compiled(ctx context.Context, w *repo.Repo, f ArchiveOptions, r *repo.Packs, st *repo.Stages, then func(overlay string) error) (err error) {
	var o repo.CompileOptions
	if o.Each.Now, err = repo.RunTime(w.Getenv); err != nil {
		return err
	}
	var remove func() error
	if o.Overlay, remove, err = packOverlay(w, f); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	st.Begin("compile")
	if err = repo.CheckOverlay(w.Paths, o.Overlay, r); err == nil {
		err = r.Compile(ctx, o)
	}
	if err == nil {
		err = then(o.Overlay)
	}
	return repo.ExplainWrite(err)
}

func failed(r *repo.Packs) bool {
	return r.Status() == schema.Failed || diag.Count(r.Findings(), diag.Error) > 0
}
