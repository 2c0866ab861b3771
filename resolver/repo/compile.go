package repo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/prune"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/compiler/store"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/loadout/index"
)

// CompileOptions are what the verbs that compile have in common.
type CompileOptions struct {
	Each    compiler.Options // of each pack, without what differs from pack to pack
	Overlay string           // absolute; "" writes into the packs
	Alone   bool             // nobody needs more of a compiled pack than its counts, outputs and findings
	Once    bool             // nobody looks for the splits of a pack among its files once it is compiled

	Disk       *store.Disk // remembers the results of packs; nil remembers nothing
	Contribute func(p *pack.Pack) []compiler.Contributor
	Enough     func(p *pack.Pack, state store.Digest) bool // nil: the result alone is
	Compiled   func(ctx context.Context, m *Member) error  // is called after each compile, several at once; may be nil
	// Restore gives a pack the outputs of a compile elsewhere, and returns nil if there are
	// none: the pack is opened again then, and what it returns called. It may be nil.
	Restore func(ctx context.Context, m *Member) (opened func(p *pack.Pack))
	// Early is compiler.Options.Early, for each pack; may be nil.
	Early func(ctx context.Context, m *Member, r *compiler.Result) error
}

// PacksAtOnce is how many packs compile at the same time; each of them works on
// its files in parallel.
const PacksAtOnce = 4

// LockWait is how long a run waits for another run that writes the same files.
const LockWait = 10 * time.Second

// Compile compiles the packs in parallel. A pack that is not sound enough to be
// written is inspected; its findings are in the member. Packs that somebody has touched
// since an earlier run come first: somebody may be waiting for them.
func (r *Packs) Compile(ctx context.Context, o CompileOptions) error {
	for _, touched := range []bool{true, false} {
		group, running := errgroup.WithContext(ctx)
		group.SetLimit(PacksAtOnce)
		for _, m := range r.Members {
			if (m.Before == nil) == touched {
				group.Go(func() error { return m.compile(running, o) })
			}
		}
		if err := group.Wait(); err != nil {
			return ExplainWrite(err)
		}
	}
	return nil
}

// compile compiles a pack, or inspects one that is not sound enough to be written.
func (m *Member) compile(ctx context.Context, o CompileOptions) error {
	if m.Unusable() {
		return m.Inspect(ctx, o)
	}
	if o.Once {
		defer func() { m.Pack.Release(pack.SplitsDir) }() // it may be another Pack by then
	}
	taken, err := m.takeOver(ctx, o)
	if d := m.Fault(err, ""); d != nil {
		m.Opened = append(slices.Clip(m.Opened), *d)
		return nil
	}
	if taken || err != nil {
		return err
	}
	options := optionsOf(m, o)
	if o.Early != nil {
		options.Early = func(r *compiler.Result) error { return o.Early(ctx, m, r) }
	}
	result, err := compiler.Compile(ctx, m.Pack, options)
	if d := m.Fault(err, options.OutDir); d != nil {
		err := m.Inspect(ctx, o)
		m.Opened = append(slices.Clip(m.Opened), *d)
		return err
	}
	if err != nil {
		return fmt.Errorf("compile %s: %w", m.Dir, err)
	}
	m.Result, m.Dry, m.Out = result, options.DryRun, cmp.Or(m.paths.Rel(options.OutDir), m.Dir)
	if o.Compiled != nil && !result.Reused {
		err = o.Compiled(ctx, m)
	}
	releaseResult(m, o)
	return err
}

// takeOver takes the result of an earlier run for a pack unchanged since, or the outputs of a
// compile elsewhere; taken says that this is all that is needed. Otherwise the pack is as it is
// now.
func (m *Member) takeOver(ctx context.Context, o CompileOptions) (taken bool, err error) {
	if m.Before != nil {
		if state := m.Before.State; state.Known() && o.Enough != nil && o.Enough(m.Pack, state) {
			m.Result, m.Dry, m.Out = m.Before.Again(), o.Each.DryRun, m.Dir
			return true, nil
		}
		if err := m.reopen(); err != nil {
			return false, err
		}
	}
	if o.Restore == nil {
		return false, nil
	}
	opened := o.Restore(ctx, m)
	if opened == nil {
		return false, nil
	}
	if err := m.reopen(); err != nil {
		return false, err
	}
	opened(m.Pack)
	return false, nil
}

// releaseResult drops what nobody asks for once the pack is compiled.
func releaseResult(m *Member, o CompileOptions) {
	if o.Alone {
		m.Result = m.Result.Trim()
	}
	if o.Disk == nil {
		return
	}
	group := PackGroup + m.Name()
	if m.Result.Reused { // nobody asks for more of the pack: memory must not grow with their number
		o.Disk.Release(group)
	} else {
		o.Disk.Group(group).Flush() // its result outlives this run, and leaves memory
	}
}

// optionsOf are those of a compile of the pack.
func optionsOf(m *Member, o CompileOptions) compiler.Options {
	c := o.Each
	c.Opened, c.Wait, c.Policy, c.Lint = m.Opened, LockWait, m.Policy, true
	if o.Disk != nil {
		c.Store = o.Disk.Group(PackGroup + m.Name())
	}
	if m.Pack != nil && o.Contribute != nil {
		c.Contribute = o.Contribute(m.Pack)
	}
	if o.Enough != nil {
		c.Enough = func(state store.Digest) bool { return o.Enough(m.Pack, state) }
	}
	if o.Overlay != "" {
		c.OutDir = filepath.Join(o.Overlay, m.Name())
	} else {
		c.StateDir = m.State()
	}
	return c
}

// Inspect compiles what there is of a pack without writing anything, so that the
// faults of all its files are known in one run.
func (m *Member) Inspect(ctx context.Context, o CompileOptions) error {
	p, found, err := pack.Inspect(m.path, m.mapped...)
	if m.Fault(err, "") != nil {
		return nil // opening it has found that
	}
	if err != nil {
		return fmt.Errorf("inspect %s: %w", m.Dir, err)
	}
	if p == nil {
		return nil // no pack at all
	}
	defer p.Close()
	inspect := CompileOptions{Each: o.Each, Overlay: o.Overlay}
	inspect.Each.DryRun, inspect.Each.Visit = true, nil
	options := optionsOf(m, inspect)
	options.Opened, options.Lint = found, false // there is enough to say
	if o.Disk != nil {                          // not with the result of the pack, which is needed once it is sound again
		options.Store = o.Disk.Group(inspectedGroup + m.Dir)
		defer o.Disk.Release(inspectedGroup + m.Dir)
	}
	result, err := compiler.Compile(ctx, p, options)
	if d := m.Fault(err, options.OutDir); d != nil {
		m.Opened = append(found, *d)
		return nil
	}
	if err != nil {
		return fmt.Errorf("inspect %s: %w", m.Dir, err)
	}
	m.Opened = result.Diagnostics
	return nil
}

// Stages times the parts of a long run and, on a terminal, shows where it is.
type Stages struct {
	w    io.Writer
	Live bool // show progress as it happens

	mu    sync.Mutex
	Done  []Stage
	name  string
	start time.Time
	shown time.Time
	seen  int // things counted in the running stage
	width int // of the progress line on screen
}

// Stage is a finished part of a run.
type Stage struct {
	Name string  `json:"name"`
	MS   float64 `json:"ms"` // milliseconds
}

// progressEvery is how often the progress line may change.
const progressEvery = 100 * time.Millisecond

// NewStages returns stages that show their progress on a terminal; live says that
// it is one.
func NewStages(w io.Writer, live bool) *Stages { return &Stages{w: w, Live: live} }

// Begin ends the running stage and starts the next.
func (s *Stages) Begin(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
	s.name, s.start, s.seen = name, time.Now(), 0
	s.show(name + " …")
}

// Progress says how far the running stage is.
func (s *Stages) Progress(format string, args ...any) {
	if !s.Live {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.shown) >= progressEvery {
		s.shown = now
		s.show(s.name + " " + fmt.Sprintf(format, args...))
	}
}

// Count notes one more thing done in the running stage.
func (s *Stages) Count(things string) {
	if !s.Live {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen++
	if now := time.Now(); now.Sub(s.shown) >= progressEvery {
		s.shown = now
		s.show(fmt.Sprintf("%s %s %s", s.name, amount.Grouped(s.seen), things))
	}
}

// End ends the running stage and clears the progress line.
func (s *Stages) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
	s.show("")
}

func (s *Stages) close() {
	if s.name != "" {
		s.Done = append(s.Done, Stage{s.name, float64(time.Since(s.start).Microseconds()) / 1000})
		s.name = ""
	}
}

// show replaces the progress line.
func (s *Stages) show(text string) {
	if !s.Live || text == "" && s.width == 0 {
		return
	}
	fmt.Fprintf(s.w, "\r%s\r%s", strings.Repeat(" ", s.width), text)
	s.width = len([]rune(text))
}

// Summary is the times of all stages on one line.
func (s *Stages) Summary() string {
	parts := make([]string, 0, len(s.Done)+1)
	total := 0.0
	for _, d := range s.Done {
		parts = append(parts, d.Name+" "+amount.Milliseconds(d.MS))
		total += d.MS
	}
	return strings.Join(append(parts, "total "+amount.Milliseconds(total)), ", ")
}

// PrunedPack says which run records of a pack were removed, for the envelope of a command.
type PrunedPack struct {
	Pack    string    `json:"pack"`
	Dir     string    `json:"dir"`
	Kept    []KeptRun `json:"kept"`
	Removed []string  `json:"removed"`
	Bytes   int64     `json:"bytes"`
}

// KeptRun is a run record that stays.
type KeptRun struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// PruneRuns removes run records of the packs named, of all without any. Where overlay is
// not "", or the configuration names one, it holds the records. The caller closes the
// packs; those that cannot be read are left alone.
func PruneRuns(ctx context.Context, w *Repo, names []string, overlay string, dryRun bool) (chosen *Packs, packs []PrunedPack, err error) {
	if info, err := os.Stat(w.Paths.Abs(overlay)); overlay != "" && (err != nil || !info.IsDir()) {
		return nil, nil, diag.Absent("directory", overlay, "name the directory of compile --overlay")
	}
	if overlay == "" {
		overlay = w.Config.Overlay
	}
	all, chosen, err := w.OpenForCheck(names)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			all.Close()
		}
	}()
	for _, m := range chosen.Members {
		if m.Broken() {
			continue
		}
		o := prune.Options{DryRun: dryRun, Wait: LockWait}
		if overlay != "" {
			o.OutDir = filepath.Join(w.Paths.Abs(overlay), m.Name())
		} else {
			o.StateDir = m.State()
		}
		result, err := prune.Runs(ctx, m.Pack, o)
		if err != nil {
			return nil, nil, ExplainWrite(err)
		}
		p := PrunedPack{Pack: m.Name(), Dir: m.Dir, Kept: []KeptRun{}, Removed: append([]string{}, result.Removed...), Bytes: result.Bytes}
		for _, k := range result.Kept {
			p.Kept = append(p.Kept, KeptRun(k))
		}
		packs = append(packs, p)
	}
	return chosen, packs, nil
}

// stateOf is the directory of what is known of a pack, looked up when it is asked for.
func (l *Library) stateOf(dir string) func() string {
	return sync.OnceValue(func() string { return l.w.Paths.PackState(nameOf(l.w.Paths, dir)) })
}

// RememberNew keeps what queries need of packs that were compiled for the first time.
// Of a pack that is as an earlier run left it the next query keeps that: a compile right
// after a build costs no more than one that finds nothing to do. Packs are left to their
// first query as soon as together they have more splits than most.
func RememberNew(ctx context.Context, w *Repo, r *Packs, most int) error {
	l := NewLibrary(w)
	defer l.Close()
	for i := range r.Members {
		m := r.Members[i]
		// A build drops what it no longer needs of a result, but not which run it wrote.
		// Nothing of a pack with a likely secret is kept.
		if m.Result != nil && (!m.Result.Reused || m.Result.RunPath != "") && !m.Dry && len(m.Withheld()) == 0 {
			if most -= m.Result.Counts.Splits; most < 0 {
				return nil
			}
			if err := l.Remember(ctx, m.Dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// Remember keeps what queries need of a pack that was compiled and of which nothing is
// kept so far, so that the first answer does not count its words. After a change the next
// query does: a compile that follows a small edit should not read the whole pack.
func (l *Library) Remember(ctx context.Context, dir string) error {
	p, err := l.Open(dir, resolver.Explicit)
	if err != nil || p.Cache == nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(l.stateOf(dir)(), sectionsName)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return resolver.Remember(ctx, p)
}

// sectionsName is the file of what is counted in the sections of a pack.
const sectionsName = "sections.bin"

// sectionCache keeps what is counted in the sections of a pack beside what the last
// compile knows of it. Where no compile has kept anything, it makes no directory.
type sectionCache struct {
	state func() string
	dir   string // of the pack
}

// Fine asks the file system of the pack.
func (m sectionCache) Fine() bool { return store.FineTimes(m.dir) }

// sectionsPurpose is what the seal of the file is for.
const sectionsPurpose = "sections"

// Recall reads what this user's runs have kept.
func (m sectionCache) Recall() []byte {
	root, err := regularfile.Root(m.state())
	if err != nil {
		return nil
	}
	defer root.Close()
	data, err := root.ReadFile(sectionsName)
	if err != nil {
		return nil
	}
	data, _ = store.Unseal(sectionsPurpose, data)
	return data
}

// Keep replaces the file. What cannot be written is not
// kept.
func (m sectionCache) Keep(data []byte) {
	dir := m.state()
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return
	}
	f, err := scratch.Create(dir, "sections")
	if err != nil {
		return
	}
	_, err = f.Write(store.Seal(sectionsPurpose, data))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = regularfile.Rename(f.Name(), filepath.Join(dir, sectionsName))
	}
	if err != nil {
		_ = regularfile.Remove(f.Name()) // removal is best effort
	}
}

// rulesWait is how long a split waits for another one of the same repository.
const rulesWait = 10 * time.Second

// LockRules lets the splits of a repository take turns. The lock is in the state
// directory, which git does not see.
func LockRules(ctx context.Context, paths Paths) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, rulesWait)
	defer cancel()
	if err := MakeState(paths); err != nil {
		return nil, diag.WithHint(fmt.Errorf("make %s: %w", StateName, err), "run again; nothing was changed")
	}
	unlock, err = atomicfile.Lock(ctx, filepath.Join(paths.Abs(StateName), "rules"))
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, diag.WithHint(errors.New("another packgen rules split is running here"), "wait for it, or stop it; nothing was changed")
	}
	if err != nil {
		return nil, diag.WithHint(err, "run again; nothing was changed")
	}
	return unlock, nil
}

// MakeState makes the state directory, which git does not see.
func MakeState(paths Paths) error {
	ignore := filepath.Join(paths.Abs(StateName), ".gitignore")
	if _, err := os.Stat(ignore); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return atomicfile.Write(ignore, []byte("*\n"))
}

// storeName is the directory of the store, below the state directory.
const storeName = "store"

// OpenStore opens what earlier runs have left of the work on this repository. With
// --no-cache everything is done again and nothing is remembered. A dry run leaves
// nothing on disk. The caller closes it after the last use of any result.
func OpenStore(paths Paths, o StoreOptions) *store.Disk {
	dir := paths.StorePath()
	switch {
	case o.Elsewhere, o.NoCache:
		return store.ReadOnly("")
	case o.DryRun:
		return store.ReadOnly(dir)
	}
	_ = MakeState(paths) // where nothing can be written, nothing is kept
	return store.Open(dir)
}

// StoreOptions say how the store of earlier results is opened.
type StoreOptions struct {
	DryRun    bool
	NoCache   bool // nothing of earlier runs is used
	Elsewhere bool // the repository is not to be written
}

// IndexGroup and SiteGroup are the parts of the store that hold what the index and
// the site need of packs, CodeGroup holds highlighted code, CheckGroup what checks of packs
// found. A pack has a part of its own, by its name.
const (
	PackGroup = "pack "

	inspectedGroup = "inspected " // of a pack that cannot be built, by its directory
	IndexGroup     = "index"
	SiteGroup      = "site"
	CodeGroup      = "code"
	CheckGroup     = "check"
)

// IndexAlone is the contribution of a command that makes an index and no site.
func IndexAlone(b *index.Builder) func(p *pack.Pack) []compiler.Contributor {
	return func(p *pack.Pack) []compiler.Contributor { return []compiler.Contributor{b.Contributor(p)} }
}

// WithoutResult asks for the whole result of a compile.
func WithoutResult(*pack.Pack, store.Digest) bool { return false }

// RunTime is the time of the run: SOURCE_DATE_EPOCH when set, otherwise zero, which
// stands for the clock.
func RunTime(getenv func(string) string) (time.Time, error) {
	text := getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Time{}, nil
	}
	var seconds int64
	if _, err := fmt.Sscanf(text, "%d", &seconds); err != nil || fmt.Sprint(seconds) != text || seconds < 0 || seconds > maxEpoch {
		return time.Time{}, diag.WithHint(fmt.Errorf("SOURCE_DATE_EPOCH is %q, not a number of seconds", text), "set it to a Unix time such as $(git log -1 --format=%%ct), or unset it")
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// maxEpoch is the last second of the year 9999, the end of the time format.
const maxEpoch = 253402300799

// IndexTime is the time stamp of an index: SOURCE_DATE_EPOCH, otherwise now.
func IndexTime(getenv func(string) string) (time.Time, error) {
	at, err := RunTime(getenv)
	if err == nil && at.IsZero() {
		at = time.Now()
	}
	return at, err
}
