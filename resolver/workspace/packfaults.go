package workspace

import (
	"errors"
	"fmt"
	"slices"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/publish"
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
	later, _ := m.Policy.Apply(m.Later)
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

// Blocked reports an error about the repository as a whole, which leaves nothing that may
// be published. A directory that is not a pack does not count: the others are published.
func (r *Repository) Blocked() bool {
	return slices.ContainsFunc(r.faults(), func(d diag.Diagnostic) bool { return d.Severity == diag.Error && !r.lost[d.Path] })
}

// Lost returns the directories of packs that lack their KNOWLEDGE.md, in path order.
func (r *Repository) Lost() []string {
	var list []string
	for _, d := range r.Faults {
		if d.ID == "pack-missing" && d.Severity == diag.Error {
			list = append(list, d.Path)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// blockedBy makes a finding of an error about a link or file that is where
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
	d.Message = fmt.Sprintf("the outputs cannot be written: %v", err)
	return &d
}
