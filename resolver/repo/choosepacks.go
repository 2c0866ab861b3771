package repo

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// DropArchived leaves out archived packs, which compile only when they are
// named (agent-knowledge section 14.1).
func (r *Packs) DropArchived() {
	r.Members = slices.DeleteFunc(r.Members, func(m *Member) bool {
		return m.Pack != nil && m.Pack.Meta.Status == schema.Archived
	})
}

// Choose keeps the named packs, and opens those named by a directory that no
// pattern matches.
func (w *Repo) Choose(r *Packs, names []string) (*Packs, error) {
	chosen := &Packs{Faults: r.Faults, policy: r.policy}
	for _, name := range names {
		m := r.Find(name, w.Paths.Rel(w.Paths.Abs(name)))
		if m == nil {
			name = w.Paths.GivenPack(name)
			m = r.Find(name, w.Paths.Rel(w.Paths.Abs(name)))
		}
		if m == nil {
			if _, err := os.Stat(filepath.Join(w.Paths.Abs(name), pack.EntryName)); err != nil {
				return nil, unknownPack(r, name)
			}
			var err error
			if m, err = w.openMember(name); err != nil {
				return nil, err
			}
		}
		if !slices.Contains(chosen.Members, m) {
			chosen.Members = append(chosen.Members, m)
		}
	}
	chosen.Faults = append(chosen.Faults, duplicateNames(chosen.Members)...)
	return chosen, nil
}

// unknownPack is the error about a pack that does not exist.
func unknownPack(r *Packs, name string) error {
	known := make([]string, len(r.Members))
	for i, m := range r.Members {
		known[i] = m.Name()
	}
	err := fmt.Errorf("no pack is named %q", name)
	if near := nearest.Name(name, known); near != "" {
		return diag.WithHint(err, "did you mean %s?", near)
	}
	if len(known) == 0 {
		return diag.WithHint(err, "add a pack with packgen init --name NAME")
	}
	return diag.WithHint(err, "name one of %s", strings.Join(known, ", "))
}

// status is that of the pack's run; a pack that was not compiled has failed.
func (m *Member) status() schema.Status {
	if m.Result == nil {
		return schema.Failed
	}
	return m.Result.Run.Status
}

// Status is the worst status of the run over all packs.
func (r *Packs) Status() schema.Status {
	worst := schema.Passed
	if diag.Count(r.Faults, diag.Error) > 0 {
		worst = schema.Failed
	}
	for _, m := range r.Members {
		worst = schema.Worse(worst, m.status())
	}
	return worst
}

// OpenForCheck opens all packs of the repository, and says which of them were
// named; without a name, all that are not archived.
func (w *Repo) OpenForCheck(patterns, names []string) (all, chosen *Packs, err error) {
	all, err = w.Open(patterns)
	if err != nil && len(names) == 0 {
		return nil, nil, err
	}
	if all == nil {
		all = &Packs{}
	}
	if len(names) == 0 {
		chosen = &Packs{Members: slices.Clone(all.Members), Faults: all.Faults, policy: all.policy}
		chosen.DropArchived()
		return all, chosen, nil
	}
	chosen, err = w.Choose(all, names)
	if err != nil {
		all.Close()
		return nil, nil, err
	}
	for _, m := range chosen.Members {
		if !slices.Contains(all.Members, m) {
			all.Members = append(all.Members, m)
		}
	}
	return all, chosen, nil
}

// OpenOne opens the named pack, or the only one there is.
func (w *Repo) OpenOne(patterns, names []string) (*Packs, error) {
	r, err := w.Open(patterns)
	if err != nil && len(names) == 0 {
		return nil, err
	}
	if r == nil {
		r = &Packs{}
	}
	if len(names) > 0 {
		chosen, err := w.Choose(r, names)
		if err != nil {
			r.Close()
			return nil, err
		}
		return chosen, nil
	}
	if len(r.Members) > 1 {
		defer r.Close()
		return nil, diag.WithHint(fmt.Errorf("pack: there are %d packs here", len(r.Members)), "name one: %s", strings.Join(namesOf(r), ", "))
	}
	return r, nil
}

func namesOf(r *Packs) []string {
	var list []string
	for _, m := range r.Members {
		list = append(list, m.Name())
	}
	return list
}
