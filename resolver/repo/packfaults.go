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
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/regularfile"
)

// Broken reports whether opening the pack found an error.
func (m *Member) Broken() bool {
	return m.Pack == nil || diag.Count(m.Opened, diag.Error) > 0
}

// Unusable reports errors that leave nothing safe to write: a pack without a sound
// KNOWLEDGE.md may mean anything, and nothing is written where a link or file is in
// the way. Files that were left out because of where they lead or what their names
// give away are no such error; the run fails and records them (agent-knowledge
// section 6.11).
func (m *Member) Unusable() bool {
	return m.Pack == nil || slices.ContainsFunc(m.Opened, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && !compiler.CostsFile(d)
	})
}

// Unsound reports errors about the pack as a whole, so that no page of it may be shown.
// An error that costs one file does not count: the file is left out. What the policy of the
// repository made an error always counts: the repository wants nothing published with it.
func (m *Member) Unsound() bool {
	if m.Result == nil || m.Unusable() {
		return true
	}
	raised := slices.ContainsFunc(m.Result.Changed, func(c policy.Change) bool { return c.To == policy.Error })
	whole := func(d diag.Diagnostic) bool { return d.Severity == diag.Error && !compiler.CostsFile(d) }
	later, _ := m.Policy.Apply(m.later())
	return raised || slices.ContainsFunc(m.Result.Diagnostics, whole) || diag.Count(later, diag.Error) > 0
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

// Blocked reports an error about the repository as a whole, which leaves nothing that may
// be published. A directory that is not a pack does not count: the others are published.
func (r *Packs) Blocked() bool {
	return slices.ContainsFunc(r.faults(), func(d diag.Diagnostic) bool { return d.Severity == diag.Error && !r.lost[d.Path] })
}

// Lost returns the directories of packs that lack their KNOWLEDGE.md, in path order.
func (r *Packs) Lost() []string {
	var list []string
	for _, d := range r.Faults {
		if d.ID == "pack-missing" && d.Severity == diag.Error {
			list = append(list, d.Path)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
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

// packFault is [PackFault] of a member whose outputs go to a directory; "" is the pack.
func packFault(paths Paths, m *Member, out string, err error) *diag.Diagnostic {
	dirs := []string{paths.Abs(m.Dir)}
	if out != "" {
		dirs = append(dirs, out)
	}
	return PackFault(err, dirs...)
}

// isBelow reports whether a path is relative to a pack, or in one of some directories.
func isBelow(name string, dirs []string) bool {
	return !filepath.IsAbs(name) || slices.ContainsFunc(dirs, func(dir string) bool {
		rel, err := filepath.Rel(dir, name)
		return err == nil && filepath.IsLocal(rel)
	})
}
