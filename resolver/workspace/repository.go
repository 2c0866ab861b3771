package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/compiler/store"
)

// StateName is the directory for locks, journals and staging at the repository
// root.
const StateName = ".packgen"

// Member is one pack of the repository during a run.
type Member struct {
	Dir    string     // as shown: slash path relative to the repository root
	Pack   *pack.Pack // nil when it could not be opened
	Opened []diag.Diagnostic
	Result *compiler.Result  // nil when it was not compiled
	Out    string            // where its outputs are, as shown
	Dry    bool              // nothing of the result was written
	Later  []diag.Diagnostic // what the index and the site found
	Policy policy.Local      // what becomes of the findings
	Before *compiler.Result  // of an earlier run, when the pack is unchanged since; otherwise nil
}

// Name is the pack's name, or its directory's when it has none.
func (m *Member) Name() string {
	if m.Pack != nil && m.Pack.Meta.Name != "" {
		return m.Pack.Meta.Name
	}
	return filepath.Base(m.Dir)
}

// Last is the newest result of the pack as it is: of this run or of an earlier one.
func (m *Member) Last() *compiler.Result {
	if m.Result != nil {
		return m.Result
	}
	return m.Before
}

// CompileWarnings counts the warnings of the compile alone: those of the index and
// of the pages come later.
func (m *Member) CompileWarnings() int {
	if m.Result != nil {
		return diag.Count(m.Result.Diagnostics, diag.Warning)
	}
	return diag.Count(m.Opened, diag.Warning)
}

// Findings are the diagnostics about the pack so far.
func (m *Member) Findings() []diag.Diagnostic {
	list := m.Opened
	if m.Result != nil {
		// A compile takes in what opening found.
		list = m.Result.Diagnostics
	}
	list = slices.Concat(list, m.Later)
	for i := range list {
		list[i].Pack = m.Name()
	}
	list, _ = m.Policy.Apply(list) // what a compile has changed stays as it is
	return list
}

// Repository is the packs of a run in path order.
type Repository struct {
	Members []*Member
	Faults  []diag.Diagnostic // about the repository as a whole
	lost    map[string]bool   // paths of those that cost one pack
	policy  *policy.Policy    // what becomes of those

	dirs  []string          // of the packs, relative to the root
	found []diag.Diagnostic // while looking for them
}

// Open finds and opens the packs that match the patterns.
func (w *Workspace) Open(patterns []string) (*Repository, error) {
	return w.OpenAgain(patterns, nil, nil)
}

// OpenAgain is Open for a caller that knows of packs unchanged since an earlier run:
// untouched returns the member of that run by its directory, nil for any other pack. A
// pack of such a member is taken over as it is. Places, when it is not nil, is a
// repository whose packs are still the ones that there are: they are not looked for.
func (w *Workspace) OpenAgain(patterns []string, places *Repository, untouched func(dir string) *Member) (*Repository, error) {
	var dirs []string
	var faults []diag.Diagnostic
	if places != nil {
		dirs, faults = places.dirs, places.found
	} else {
		var err error
		if dirs, faults, err = pack.Find(w.Dir, patterns); err != nil {
			return nil, fmt.Errorf("find packs: %w", err)
		}
		w.raiseLostEntries(faults)
	}
	r := &Repository{Faults: slices.Clip(faults), lost: map[string]bool{}, policy: w.Policy, dirs: dirs, found: slices.Clip(faults)}
	for _, d := range faults {
		r.lost[d.Path] = true
	}
	for _, dir := range dirs {
		if untouched != nil {
			if m := untouched(w.Rel(w.Path(dir))); m != nil {
				r.Members = append(r.Members, &Member{Dir: m.Dir, Pack: m.Pack, Opened: m.Opened, Policy: m.Policy, Before: m.Last()})
				continue
			}
		}
		m, err := w.openMember(dir)
		if err != nil {
			r.Close()
			return nil, err
		}
		r.Members = append(r.Members, m)
	}
	if len(r.Members) == 0 && diag.Count(faults, diag.Error) == 0 {
		return nil, diag.WithHint(fmt.Errorf("no packs found: nothing matches %s in %s", strings.Join(patterns, ", "), w.Dir),
			"run packgen init, which makes a pack with its KNOWLEDGE.md, or name other places under packs: in %s", ConfigName)
	}
	return r, nil
}

// raiseLostEntries makes an error of the warning about a directory without
// KNOWLEDGE.md when all the rest of a pack exists: continuing would take the
// pack off the site.
func (w *Workspace) raiseLostEntries(faults []diag.Diagnostic) {
	for i := range faults {
		d := &faults[i]
		if d.ID != "pack-missing" || d.Severity != diag.Warning {
			continue
		}
		for _, layer := range []string{"documents", "wiki", "sources", "compiled"} {
			if info, err := os.Stat(filepath.Join(w.Path(d.Path), layer)); err == nil && info.IsDir() {
				d.Severity = diag.Error
				d.Hint = fmt.Sprintf("restore %s/KNOWLEDGE.md, or move the directory out of the packs", d.Path)
				break
			}
		}
	}
}

// openMember opens one pack directory, given relative to the repository root or
// absolute.
func (w *Workspace) openMember(dir string) (*Member, error) {
	m := &Member{Dir: w.Rel(w.Path(dir))}
	m.Policy = policy.Local{Policy: w.Policy, Dir: m.Dir}
	p, found, err := pack.Open(w.Path(dir), w.Mappings(m.Dir)...)
	if err != nil {
		return nil, fmt.Errorf("open pack %s: %w", m.Dir, err)
	}
	m.Pack, m.Opened = p, found
	return m, nil
}

// Close releases the packs.
func (r *Repository) Close() {
	for _, m := range r.Members {
		if m.Pack != nil {
			m.Pack.Close() // only read: an error of Close loses nothing
		}
	}
}

// Broken reports whether opening the packs found an error.
func (r *Repository) Broken() bool {
	return diag.Count(r.Faults, diag.Error) > 0 || slices.ContainsFunc(r.Members, (*Member).Broken)
}

// Findings are all diagnostics of the run, sorted.
func (r *Repository) Findings() []diag.Diagnostic {
	list := r.faults()
	for _, m := range r.Members {
		list = append(list, m.Findings()...)
	}
	diag.Sort(list)
	return list
}

// faults are the diagnostics about the repository as a whole, as the policy has them.
func (r *Repository) faults() []diag.Diagnostic {
	list, _ := r.policy.Apply(slices.Clone(r.Faults), PathOf)
	return list
}

// HasErrors reports whether one of the findings is an error.
func (r *Repository) HasErrors() bool {
	return diag.Count(r.faults(), diag.Error) > 0 ||
		slices.ContainsFunc(r.Members, func(m *Member) bool { return diag.Count(m.Findings(), diag.Error) > 0 })
}

// PathOf is the path of a finding about no pack, which is relative to the root.
func PathOf(d diag.Diagnostic) string { return d.Path }

// Add hands findings to the packs they are about.
func (r *Repository) Add(faults []diag.Diagnostic) {
	for _, d := range faults {
		if m := r.Find(d.Pack, ""); m != nil {
			m.Later = append(m.Later, d)
		} else {
			r.Faults = append(r.Faults, d)
		}
	}
}

// Find returns the pack of that name or directory; nil when there is none.
func (r *Repository) Find(name, dir string) *Member {
	for _, m := range r.Members {
		if m.Name() == name || m.Dir == dir {
			return m
		}
	}
	return nil
}

// Dirs maps pack names to directories, for messages.
func (r *Repository) Dirs() map[string]string {
	dirs := map[string]string{}
	for _, m := range r.Members {
		if _, taken := dirs[m.Name()]; !taken {
			dirs[m.Name()] = m.Dir
		}
	}
	return dirs
}

// Results are the compiled packs in path order.
func (r *Repository) Results() []*compiler.Result {
	var list []*compiler.Result
	for _, m := range r.Members {
		if m.Result != nil {
			list = append(list, m.Result)
		}
	}
	return list
}

// duplicateNames reports packs that share a name and were named by directory:
// their outputs could take each other's place (agent-knowledge section 12.2).
func duplicateNames(members []*Member) []diag.Diagnostic {
	var faults []diag.Diagnostic
	first := map[string]*Member{}
	for _, m := range members {
		if m.Pack == nil || m.Pack.Meta.Name == "" {
			continue
		}
		other, taken := first[m.Pack.Meta.Name]
		if !taken {
			first[m.Pack.Meta.Name] = m
			continue
		}
		faults = append(faults, diag.Diagnostic{
			ID: "pack-duplicate", Severity: diag.Error, Path: m.Dir + "/KNOWLEDGE.md",
			Message: fmt.Sprintf("two packs are named %q: %s and %s", m.Pack.Meta.Name, other.Dir, m.Dir),
			Hint:    "give one of them another name, in its KNOWLEDGE.md and as its directory",
		})
	}
	return faults
}

// CompileOptions are what the verbs that compile have in common.
type CompileOptions struct {
	DryRun  bool
	Force   bool
	Whole   bool // record every run, and everything in its record
	Trigger string
	Overlay string    // absolute; "" writes into the packs
	Now     time.Time // zero is the clock
	Visit   func(*compiler.Unit) error
	Alone   bool // nobody needs more of a compiled pack than its counts, outputs and findings

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

// Compile compiles the packs in parallel. A pack that is not sound enough to be
// written is inspected; its findings are in the member. Packs that somebody has touched
// since an earlier run come first: somebody may be waiting for them.
func (w *Workspace) Compile(ctx context.Context, r *Repository, o CompileOptions) error {
	var touched, rest []*Member
	for _, m := range r.Members {
		if m.Before == nil {
			touched = append(touched, m)
		} else {
			rest = append(rest, m)
		}
	}
	if err := w.compile(ctx, touched, o); err != nil {
		return err
	}
	return w.compile(ctx, rest, o)
}

func (w *Workspace) compile(ctx context.Context, members []*Member, o CompileOptions) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(PacksAtOnce)
	for _, m := range members {
		group.Go(func() error {
			if m.Unusable() {
				return w.Inspect(ctx, m, o)
			}
			if again, err := w.takeOver(m, o); again || err != nil {
				return err
			}
			if err := w.restore(ctx, m, o); err != nil {
				return err
			}
			options := w.compilerOptions(m, o)
			if o.Early != nil {
				options.Early = func(r *compiler.Result) error { return o.Early(ctx, m, r) }
			}
			result, err := compiler.Compile(ctx, m.Pack, options)
			if d := blockedBy(err); d != nil {
				err := w.Inspect(ctx, m, o)
				m.Opened = append(slices.Clip(m.Opened), *d)
				return err
			}
			if err != nil {
				return fmt.Errorf("compile %s: %w", m.Dir, err)
			}
			m.Result, m.Dry, m.Out = result, options.DryRun, m.Dir
			if options.OutDir != "" {
				m.Out = w.Rel(options.OutDir)
			}
			if o.Compiled != nil && !result.Reused {
				err = o.Compiled(ctx, m)
			}
			group := PackGroup + m.Name()
			if o.Alone {
				m.Result = result.Trim()
			}
			switch {
			case o.Disk == nil:
			case m.Result.Reused: // nobody asks for more of the pack: memory must not grow with their number
				o.Disk.Release(group)
			default:
				o.Disk.Group(group).Flush() // its result outlives this run, and leaves memory
			}
			return err
		})
	}
	return ExplainWrite(group.Wait())
}

// takeOver takes the result of an earlier run for a pack unchanged since.
// Where more of the pack is needed than that, it is opened again.
func (w *Workspace) takeOver(m *Member, o CompileOptions) (bool, error) {
	if m.Before == nil {
		return false, nil
	}
	if state := m.Before.State; state.Known() && o.Enough != nil && o.Enough(m.Pack, state) {
		m.Result, m.Dry, m.Out = m.Before.Again(), o.DryRun, m.Dir
		return true, nil
	}
	return false, w.openAgain(m)
}

// restore gives a pack the outputs of a compile elsewhere, if there are any.
func (w *Workspace) restore(ctx context.Context, m *Member, o CompileOptions) error {
	if o.Restore == nil {
		return nil
	}
	opened := o.Restore(ctx, m)
	if opened == nil {
		return nil
	}
	err := w.openAgain(m)
	if err == nil {
		opened(m.Pack)
	}
	return err
}

// openAgain opens a pack as it is now.
func (w *Workspace) openAgain(m *Member) error {
	p, found, err := pack.Open(w.Path(m.Dir), w.Mappings(m.Dir)...)
	if err != nil {
		return fmt.Errorf("open pack %s: %w", m.Dir, err)
	}
	m.Pack.Close()
	m.Pack, m.Opened, m.Before = p, found, nil
	return nil
}

// PacksAtOnce is how many packs compile at the same time; each of them works on
// its files in parallel.
const PacksAtOnce = 4

// compilerOptions translates the options for one pack.
func (w *Workspace) compilerOptions(m *Member, o CompileOptions) compiler.Options {
	c := compiler.Options{
		Trigger: o.Trigger, DryRun: o.DryRun, Force: o.Force, RecordUnchanged: o.Whole, Now: o.Now,
		Opened: m.Opened, Visit: o.Visit, Wait: LockWait, Policy: m.Policy,
	}
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
		return c
	}
	c.StateDir = w.PackState(m)
	return c
}

// PackState is the directory for locks, journals and what is known of one pack.
func (w *Workspace) PackState(m *Member) string {
	return filepath.Join(w.Dir, StateName, "packs", m.Name())
}

// LockWait is how long a run waits for another run that writes the same files.
const LockWait = 10 * time.Second

// ExplainWrite adds what to do to an error of a place that cannot be written.
func ExplainWrite(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return diag.Refuse(diag.WithHint(err, "make it writable, or name a place that is: --overlay DIR for pack outputs, --out DIR for the site"))
	case errors.Is(err, publish.ErrNoLocks):
		return diag.Refuse(diag.WithHint(err, "name places on another file system: --overlay DIR for pack outputs, --out DIR for the site"))
	case errors.Is(err, syscall.ENOTDIR):
		return diag.WithHint(err, "move the file away that has the name of a directory")
	case diag.DiskFull(err):
		return diag.WithHint(err, "free some space and run again: the disk is full; every file is complete, either old or new")
	}
	return err
}

// ChooseOverlay returns the directory for pack outputs: the one that is named,
// none when the checkout can be written, otherwise one in the user's cache.
func (w *Workspace) ChooseOverlay(named string) (string, error) {
	if named != "" {
		return w.Path(named), nil
	}
	if !ReadOnly(w.Dir) {
		return "", nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", diag.WithHint(fmt.Errorf("%s is read-only and there is no cache directory: %w", w.Dir, err), "name a place for pack outputs with --overlay DIR")
	}
	sum := sha256.Sum256([]byte(w.Dir))
	overlay := filepath.Join(cache, "packgen", "overlay", hex.EncodeToString(sum[:8]))
	w.Remark("note: %s is read-only; pack outputs go to %s", w.Dir, overlay)
	return overlay, nil
}

// ReadOnly reports whether a repository root refuses files, in our state directory and
// beside it. One that refuses them in the state directory alone is not a read-only
// checkout, and a run reports what it cannot write.
func ReadOnly(root string) bool {
	return refusesFiles(filepath.Join(root, StateName)) && refusesFiles(root)
}

// refusesFiles reports whether no file can be made in a directory, for want of permission.
func refusesFiles(dir string) bool {
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		var f scratch.File
		if f, err = scratch.NewFile(dir, "probe"); err == nil {
			err = f.Close()
		}
	}
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}
