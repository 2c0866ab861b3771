package main

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
	"github.com/packgen/packgen/compiler/store"
)

// stateName is the directory for locks, journals and staging at the repository
// root.
const stateName = ".packgen"

// member is one pack of the repository on its way through a run.
type member struct {
	dir    string     // as shown: slash path relative to the repository root
	pack   *pack.Pack // nil when it could not be opened
	opened []diag.Diagnostic
	result *compiler.Result  // nil when it was not compiled
	out    string            // where its outputs are, as shown
	dry    bool              // nothing of the result was written
	later  []diag.Diagnostic // what the index and the site found
	policy policy.Local      // what becomes of the findings
}

// name is the pack's name, or its directory's when it has none.
func (m *member) name() string {
	if m.pack != nil && m.pack.Meta.Name != "" {
		return m.pack.Meta.Name
	}
	return filepath.Base(m.dir)
}

// broken reports whether opening the pack found an error.
func (m *member) broken() bool {
	return m.pack == nil || diag.Count(m.opened, diag.Error) > 0
}

// unusable reports errors that leave nothing safe to write: a pack without a sound
// KNOWLEDGE.md may mean anything, and nothing is written where a link or file is in
// the way. Files that were left out because of where they lead or what their names
// give away are no such error; the run fails and records them (agent-knowledge
// section 6.11).
func (m *member) unusable() bool {
	return m.pack == nil || slices.ContainsFunc(m.opened, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && (pack.BlocksOutputs(d) || d.ID != "symlink-escape" && d.ID != "path-escape" && d.ID != "secret-suspect")
	})
}

// compileWarnings counts the warnings of the compile alone: those of the index and
// of the pages come later.
func (m *member) compileWarnings() int {
	if m.result != nil {
		return diag.Count(m.result.Diagnostics, diag.Warning)
	}
	return diag.Count(m.opened, diag.Warning)
}

// findings are the diagnostics about the pack so far.
func (m *member) findings() []diag.Diagnostic {
	list := m.opened
	if m.result != nil {
		// A compile takes in what opening found.
		list = m.result.Diagnostics
	}
	list = slices.Concat(list, m.later)
	for i := range list {
		list[i].Pack = m.name()
	}
	list, _ = m.policy.Apply(list) // what a compile has changed stays as it is
	return list
}

// repository is the packs of a run in path order.
type repository struct {
	members []*member
	faults  []diag.Diagnostic // about the repository as a whole
	policy  *policy.Policy    // what becomes of those
}

// open finds and opens the packs that match the patterns.
func (w *workspace) open(patterns []string) (*repository, error) {
	dirs, faults, err := pack.Find(w.dir, patterns)
	if err != nil {
		return nil, fmt.Errorf("find packs: %w", err)
	}
	w.raiseLostEntries(faults)
	r := &repository{faults: faults, policy: w.policy}
	for _, dir := range dirs {
		m, err := w.openMember(dir)
		if err != nil {
			r.close()
			return nil, err
		}
		r.members = append(r.members, m)
	}
	if len(r.members) == 0 && diag.Count(faults, diag.Error) == 0 {
		return nil, diag.WithHint(fmt.Errorf("no packs found: nothing matches %s in %s", strings.Join(patterns, ", "), w.dir),
			"A pack is a directory with a KNOWLEDGE.md, such as packs/handbook/KNOWLEDGE.md. Other places are named under packs: in %s.", configName)
	}
	return r, nil
}

// raiseLostEntries makes an error of the warning about a directory without
// KNOWLEDGE.md when all the rest of a pack is there: going on would take the
// pack off the site.
func (w *workspace) raiseLostEntries(faults []diag.Diagnostic) {
	for i := range faults {
		d := &faults[i]
		if d.ID != "pack-missing" || d.Severity != diag.Warning {
			continue
		}
		for _, layer := range []string{"documents", "wiki", "sources", "compiled"} {
			if info, err := os.Stat(filepath.Join(w.path(d.Path), layer)); err == nil && info.IsDir() {
				d.Severity = diag.Error
				d.Hint = fmt.Sprintf("restore %s/KNOWLEDGE.md, or move the directory out of the packs", d.Path)
				break
			}
		}
	}
}

// openMember opens one pack directory, given relative to the repository root or
// absolute.
func (w *workspace) openMember(dir string) (*member, error) {
	m := &member{dir: w.rel(w.path(dir))}
	m.policy = policy.Local{Policy: w.policy, Dir: m.dir}
	p, found, err := pack.Open(w.path(dir))
	if err != nil {
		return nil, fmt.Errorf("open pack %s: %w", m.dir, err)
	}
	m.pack, m.opened = p, found
	return m, nil
}

// close releases the packs.
func (r *repository) close() {
	for _, m := range r.members {
		if m.pack != nil {
			m.pack.Close() // reading is over: there is nothing to lose
		}
	}
}

// broken reports whether opening the packs found an error.
func (r *repository) broken() bool {
	return diag.Count(r.faults, diag.Error) > 0 || slices.ContainsFunc(r.members, (*member).broken)
}

// findings are all diagnostics of the run, sorted.
func (r *repository) findings() []diag.Diagnostic {
	list, _ := r.policy.Apply(slices.Clone(r.faults), pathOf)
	for _, m := range r.members {
		list = append(list, m.findings()...)
	}
	diag.Sort(list)
	return list
}

// pathOf is the path of a finding about no pack, which is relative to the root.
func pathOf(d diag.Diagnostic) string { return d.Path }

// add hands findings to the packs they are about.
func (r *repository) add(faults []diag.Diagnostic) {
	for _, d := range faults {
		if m := r.find(d.Pack, ""); m != nil {
			m.later = append(m.later, d)
		} else {
			r.faults = append(r.faults, d)
		}
	}
}

// find returns the pack of that name or directory; nil when there is none.
func (r *repository) find(name, dir string) *member {
	for _, m := range r.members {
		if m.name() == name || m.dir == dir {
			return m
		}
	}
	return nil
}

// dirs maps pack names to directories, for messages.
func (r *repository) dirs() map[string]string {
	dirs := map[string]string{}
	for _, m := range r.members {
		if _, taken := dirs[m.name()]; !taken {
			dirs[m.name()] = m.dir
		}
	}
	return dirs
}

// results are the compiled packs in path order.
func (r *repository) results() []*compiler.Result {
	var list []*compiler.Result
	for _, m := range r.members {
		if m.result != nil {
			list = append(list, m.result)
		}
	}
	return list
}

// duplicateNames reports packs that share a name and were named by directory:
// their outputs could take each other's place (agent-knowledge section 12.2).
func duplicateNames(members []*member) []diag.Diagnostic {
	var faults []diag.Diagnostic
	first := map[string]*member{}
	for _, m := range members {
		if m.pack == nil || m.pack.Meta.Name == "" {
			continue
		}
		other, taken := first[m.pack.Meta.Name]
		if !taken {
			first[m.pack.Meta.Name] = m
			continue
		}
		faults = append(faults, diag.Diagnostic{
			ID: "pack-duplicate", Severity: diag.Error, Path: m.dir + "/KNOWLEDGE.md",
			Message: fmt.Sprintf("Two packs are named %q: %s and %s.", m.pack.Meta.Name, other.dir, m.dir),
			Hint:    "give one of them another name, in its KNOWLEDGE.md and as its directory",
		})
	}
	return faults
}

// compileOptions are what the verbs that compile have in common.
type compileOptions struct {
	dryRun  bool
	force   bool
	trigger string
	overlay string    // absolute; "" writes into the packs
	now     time.Time // zero is the clock
	visit   func(*compiler.Unit) error

	disk       *store.Disk // remembers what packs came out as; nil remembers nothing
	contribute func(p *pack.Pack) []compiler.Contributor
	enough     func(p *pack.Pack, state store.Digest) bool // nil: the result alone is
}

// compile compiles the packs in parallel. A pack that is not sound enough to be
// written is inspected; its findings stand in the member.
func (w *workspace) compile(ctx context.Context, r *repository, o compileOptions) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(packsAtOnce)
	for _, m := range r.members {
		group.Go(func() error {
			if m.unusable() {
				return w.inspect(ctx, m, o)
			}
			options := w.compilerOptions(m, o)
			result, err := compiler.Compile(ctx, m.pack, options)
			if d := blockedBy(err); d != nil {
				err := w.inspect(ctx, m, o)
				m.opened = append(slices.Clip(m.opened), *d)
				return err
			}
			if err != nil {
				return fmt.Errorf("compile %s: %w", m.dir, err)
			}
			m.result, m.dry, m.out = result, options.DryRun, m.dir
			if o.disk != nil {
				o.disk.Group(packGroup + m.name()).Flush() // what it came out as outlives this run, and leaves memory
			}
			if options.OutDir != "" {
				m.out = w.rel(options.OutDir)
			}
			return nil
		})
	}
	return explainWrite(group.Wait())
}

// blockedBy makes a finding of an error about a link or file that stands where
// outputs go: it is a fault of that pack, and the others are compiled.
func blockedBy(err error) *diag.Diagnostic {
	d := diag.Diagnostic{Severity: diag.Error, Hint: "move it away; compile makes what belongs there"}
	switch {
	case errors.Is(err, publish.ErrSymlink):
		d.ID = "symlink-escape"
	case errors.Is(err, publish.ErrBlocked):
		d.ID = "output-blocked"
	default:
		return nil
	}
	d.Message = fmt.Sprintf("The outputs cannot be written: %v.", err)
	return &d
}

// inspect compiles what there is of a pack without writing anything, so that the
// faults of all its files are known in one run.
func (w *workspace) inspect(ctx context.Context, m *member, o compileOptions) error {
	p, found, err := pack.Inspect(w.path(m.dir))
	if err != nil {
		return fmt.Errorf("inspect %s: %w", m.dir, err)
	}
	if p == nil {
		return nil // no pack at all
	}
	defer p.Close()
	options := w.compilerOptions(m, o)
	options.DryRun, options.Visit, options.Opened, options.Contribute, options.Enough, options.Store = true, nil, found, nil, nil, nil
	result, err := compiler.Compile(ctx, p, options)
	if err != nil {
		return fmt.Errorf("inspect %s: %w", m.dir, err)
	}
	m.opened = result.Diagnostics
	return nil
}

// packsAtOnce is how many packs compile at the same time; each of them works on
// its files in parallel.
const packsAtOnce = 4

// compilerOptions translates the options for one pack.
func (w *workspace) compilerOptions(m *member, o compileOptions) compiler.Options {
	c := compiler.Options{
		Trigger: o.trigger, DryRun: o.dryRun, Force: o.force, Now: o.now,
		Opened: m.opened, Visit: o.visit, Wait: lockWait, Policy: m.policy,
	}
	if o.disk != nil {
		c.Store = o.disk.Group(packGroup + m.name())
	}
	if m.pack != nil && o.contribute != nil {
		c.Contribute = o.contribute(m.pack)
	}
	if o.enough != nil {
		c.Enough = func(state store.Digest) bool { return o.enough(m.pack, state) }
	}
	if o.overlay != "" {
		c.OutDir = filepath.Join(o.overlay, m.name())
		return c
	}
	c.StateDir = w.packState(m)
	return c
}

// packState is the directory for locks, journals and what is known of one pack.
func (w *workspace) packState(m *member) string {
	return filepath.Join(w.dir, stateName, "packs", m.name())
}

// lockWait is how long a run waits for another one that writes the same files.
const lockWait = 10 * time.Second

// explainWrite adds what to do to an error of a place that cannot be written.
func explainWrite(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return diag.Refuse(diag.WithHint(err, "Make it writable, or name a place that is: --overlay DIR for pack outputs, --out DIR for the site."))
	case errors.Is(err, syscall.ENOSPC):
		return diag.WithHint(err, "The disk is full. Every file is whole, as it was or as this run made it; free some space and run again.")
	}
	return err
}

// chooseOverlay returns the directory for pack outputs: the one that is named,
// none when the checkout can be written, else one in the user's cache.
func (w *workspace) chooseOverlay(named string) (string, error) {
	if named != "" {
		return w.path(named), nil
	}
	if !readOnly(w.dir) {
		return "", nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", diag.WithHint(fmt.Errorf("%s is read-only and there is no cache directory: %w", w.dir, err), "Name a place for pack outputs with --overlay DIR.")
	}
	sum := sha256.Sum256([]byte(w.dir))
	overlay := filepath.Join(cache, "packgen", "overlay", hex.EncodeToString(sum[:8]))
	w.remark("note: %s is read-only; pack outputs go to %s", w.dir, overlay)
	return overlay, nil
}

// readOnly reports whether the repository root refuses our state directory.
func readOnly(root string) bool {
	state := filepath.Join(root, stateName)
	err := os.MkdirAll(state, 0o777)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(state, "probe-*"); err == nil {
			f.Close()
			err = os.Remove(f.Name())
		}
	}
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}
