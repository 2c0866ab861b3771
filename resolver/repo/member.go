package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
)

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

	paths  Paths          // of the repository
	path   string         // of the directory, absolute
	mapped []pack.Mapping // folders that are read as its documents
}

// open opens the pack as it is now.
func (m *Member) open() error {
	p, found, err := pack.Open(m.path, m.mapped...)
	if d := m.Fault(err, ""); d != nil {
		m.Opened = append(found, *d)
		return nil
	}
	if err != nil {
		return fmt.Errorf("open pack %s: %w", m.Dir, err)
	}
	m.Pack, m.Opened = p, found
	return nil
}

// reopen opens the pack again.
func (m *Member) reopen() error {
	p, found, err := pack.Open(m.path, m.mapped...)
	if err != nil {
		return fmt.Errorf("open pack %s: %w", m.Dir, err)
	}
	m.Pack.Close()
	m.Pack, m.Opened, m.Before = p, found, nil
	return nil
}

// Name is the pack's name, or its directory's when it has none.
func (m *Member) Name() string {
	if m.Pack != nil && m.Pack.Meta.Name != "" {
		return m.Pack.Meta.Name
	}
	return filepath.Base(m.Dir)
}

// State is the directory for locks, what is pending and what is known of the pack.
func (m *Member) State() string { return m.paths.PackState(m.Name()) }

// Last is the newest result of the pack as it is: of this run or of an earlier one.
func (m *Member) Last() *compiler.Result {
	if m.Result != nil {
		return m.Result
	}
	return m.Before
}

// Doubts are the claims of the pack that are stale or disputed: as the newest result has
// them, otherwise as the source map on disk does.
func (m *Member) Doubts() *compiler.Doubts {
	if r := m.Last(); r != nil {
		if d := r.Doubts(); d != nil {
			return d
		}
	}
	claims := &schema.SourceMap{}
	if data, err := m.Pack.ReadFile(pack.SourceMapPath); err == nil {
		if read, err := schema.DecodeSourceMap(data); err == nil {
			claims = read
		}
	}
	return compiler.DoubtsOf(claims)
}

// CompileWarnings counts the warnings of the compile alone: those of the index and
// of the pages come later.
func (m *Member) CompileWarnings() int {
	if m.Result != nil {
		return diag.Count(m.Result.Diagnostics, diag.Warning)
	}
	return diag.Count(m.Opened, diag.Warning)
}

// LaterWarnings counts the warnings of the index and of the pages.
func (m *Member) LaterWarnings() int { return diag.Count(m.later(), diag.Warning) }

// later is what the index and the site found, without what comments in files switch off.
func (m *Member) later() []diag.Diagnostic {
	if m.Result == nil {
		return m.Later
	}
	kept, _ := lint.Suppress(m.Later, m.Result.Comments)
	return kept
}

// Findings are the diagnostics about the pack so far.
func (m *Member) Findings() []diag.Diagnostic {
	list := m.Opened
	if m.Result != nil {
		// A compile takes in what opening found.
		list = m.Result.Diagnostics
	}
	list = slices.Concat(list, m.later())
	for i := range list {
		list[i].Pack = m.Name()
	}
	list, _ = m.Policy.Apply(list) // what a compile has changed stays as it is
	return list
}

// Broken reports whether opening the pack found an error.
func (m *Member) Broken() bool {
	return m.Pack == nil || diag.Count(m.Opened, diag.Error) > 0
}

// costsPack reports an error about the pack as a whole: one that costs a file leaves the
// file out.
func costsPack(d diag.Diagnostic) bool { return d.Severity == diag.Error && !compiler.CostsFile(d) }

// Unusable reports errors that leave nothing safe to write: a pack without a sound
// KNOWLEDGE.md may mean anything, and nothing is written where a link or file is in
// the way. Files that were left out because of where they lead or what their names
// give away are no such error; the run fails and records them (agent-knowledge
// section 6.11).
func (m *Member) Unusable() bool { return m.Pack == nil || slices.ContainsFunc(m.Opened, costsPack) }

// Unsound reports errors about the pack as a whole, so that no page of it may be shown.
// What the policy of the repository made an error always counts: the repository wants
// nothing published with it.
func (m *Member) Unsound() bool {
	if m.Result == nil || m.Unusable() {
		return true
	}
	raised := slices.ContainsFunc(m.Result.Changed, func(c policy.Change) bool { return c.To == policy.Error })
	later, _ := m.Policy.Apply(m.later())
	return raised || slices.ContainsFunc(m.Result.Diagnostics, costsPack) || diag.Count(later, diag.Error) > 0
}

// Withheld lists the files of the pack that likely secrets keep from being shown, in
// path order.
func (m *Member) Withheld() []string {
	var list []string
	for _, d := range m.Findings() {
		if compiler.Withheld(d) {
			list = append(list, d.Path)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// LeftOut returns, for each file of the pack that cannot be shown, the error that says why,
// in path order.
func (m *Member) LeftOut() []diag.Diagnostic {
	list := slices.DeleteFunc(m.Findings(), func(d diag.Diagnostic) bool { return !compiler.LeavesOut(d) })
	slices.SortStableFunc(list, func(a, b diag.Diagnostic) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(list, func(a, b diag.Diagnostic) bool { return a.Path == b.Path })
}

// sourcesOf is how many files a pack holds, without compiled ones.
func sourcesOf(m *Member) int {
	if m.Pack == nil {
		return 0
	}
	n := 0
	for _, f := range m.Pack.Files {
		if !strings.HasPrefix(f.Path, "compiled/") {
			n++
		}
	}
	return n
}

// textOf is how many bytes the documents and pages of a pack have.
func textOf(m *Member) (n int64) {
	if m.Pack == nil {
		return 0
	}
	for _, dir := range []string{"documents", "wiki"} {
		for _, f := range m.Pack.List(dir) {
			n += f.Size
		}
	}
	return n
}

// Fault makes a finding of an error about the files of the pack, or about what is where its
// outputs go, in the directory out unless that is "". See [PackFault].
func (m *Member) Fault(err error, out string) *diag.Diagnostic {
	dirs := []string{m.path}
	if out != "" {
		dirs = append(dirs, out)
	}
	return PackFault(err, dirs...)
}

// PackFault makes a finding of an error about the files of one pack, or about what is
// where its outputs go: the others are built. It is nil for an error about the machine or
// the repository, such as a full disk. Dirs are where the pack and its outputs are.
func PackFault(err error, dirs ...string) *diag.Diagnostic {
	d := diag.Diagnostic{ID: "output-blocked", Severity: diag.Error, Hint: "move it away; compile makes what belongs there"}
	var at *fs.PathError
	var moved *os.LinkError
	var large *atomicfile.TooLargeError
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), diag.DiskFull(err), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EIO), errors.Is(err, publish.ErrLocked), errors.Is(err, publish.ErrNoLocks):
		return nil
	case errors.Is(err, publish.ErrSymlink):
		d.ID = "symlink-escape"
	case errors.Is(err, publish.ErrBlocked):
	case errors.Is(err, publish.ErrPath), errors.Is(err, syscall.ENAMETOOLONG):
		d.Message, d.Hint = fmt.Sprintf("an output has no place: %v", err), "give the page a shorter path"
		return &d
	case errors.Is(err, regularfile.ErrFile), errors.As(err, &large), pack.IsRefused(err):
		d.Message, d.Hint = fmt.Sprintf("the pack cannot be read: %v", err), "replace it by a regular file, or remove it"
		return &d
	case errors.As(err, &at) && isBelow(at.Path, dirs), errors.As(err, &moved) && isBelow(moved.New, dirs):
		d.Message, d.Hint = fmt.Sprintf("the pack cannot be read or written: %v", err), "give the user who builds the right to read and write it, or name another place for outputs: --overlay DIR"
		return &d
	default:
		return nil
	}
	d.Message = fmt.Sprintf("the outputs cannot be written: %v", err)
	return &d
}

// isBelow reports whether a path is relative to a pack, or in one of some directories.
func isBelow(name string, dirs []string) bool {
	return !filepath.IsAbs(name) || slices.ContainsFunc(dirs, func(dir string) bool { return below(name, dir) })
}

// PackReport sums up what became of one pack, for the envelope of a command.
type PackReport struct {
	Pack            string             `json:"pack"`
	Dir             string             `json:"dir"`
	Profile         string             `json:"profile,omitempty"`
	PackStatus      schema.Status      `json:"pack_status,omitempty"` // from KNOWLEDGE.md
	Status          schema.Status      `json:"status"`                // of the run
	SuggestedStatus schema.Status      `json:"suggested_status,omitempty"`
	Run             string             `json:"run,omitempty"` // path of the run record; "" when nothing changed
	Views           int                `json:"views"`
	Splits          int                `json:"splits"`
	Claims          int                `json:"claims"`
	Tokens          int                `json:"tokens"`
	Errors          int                `json:"errors"`
	Warnings        int                `json:"warnings"`
	Outputs         []schema.RunOutput `json:"outputs,omitempty"`
}

// Summary sums up the pack. The caller adds Outputs.
func (m *Member) Summary() PackReport {
	findings := m.Findings()
	p := PackReport{
		Pack: m.Name(), Dir: m.Dir, Status: statusOf(m),
		Errors: diag.Count(findings, diag.Error), Warnings: diag.Count(findings, diag.Warning),
	}
	if m.Pack != nil {
		p.PackStatus = m.Pack.Meta.Status
		p.Profile = m.Pack.Meta.EffectiveProfile()
	}
	if r := m.Result; r != nil {
		p.SuggestedStatus, p.Run = r.SuggestedStatus, r.RunPath
		p.Views, p.Splits, p.Claims, p.Tokens = r.Counts.Views, r.Counts.Splits, r.Counts.Claims, r.Counts.Tokens
	}
	return p
}

// statusOf is that of the run of a pack; a pack that was not compiled has failed.
func statusOf(m *Member) schema.Status {
	if m.Result == nil {
		return schema.Failed
	}
	return m.Result.Run.Status
}
