package layers

import (
	"time"

	"github.com/packgen/packgen/resolver/loadout"
)

// timeStamp is the form of the format's time stamps: UTC with milliseconds.
const timeStamp = "2006-01-02T15:04:05.000Z"

// Stamp writes a time in the form of the format's time stamps.
func Stamp(t time.Time) string { return t.UTC().Format(timeStamp) }

// Merge merges the layers of the stack. The result carries the time given; its
// Skipped lists what could not be merged.
func (s *Stack) Merge(at time.Time, compat bool) (*loadout.Merged, error) {
	return loadout.Merge(s.Layers, loadout.MergeOptions{Generated: Stamp(at), Compat: compat})
}

// Plan matches a task against the merged stack (loadout section 14).
func (s *Stack) Plan(task string, at time.Time, opts loadout.PlanOptions) (*loadout.LoadPlan, error) {
	merged, err := s.Merge(at, opts.Match.Compat)
	if err != nil {
		return nil, err
	}
	return loadout.Plan(task, merged, s.Layers, opts)
}

// Lookup returns the entry with that id from the merged stack, whatever its
// priority, or nil.
func (s *Stack) Lookup(id string, compat bool) (*loadout.Entry, error) {
	merged, err := s.Merge(time.Time{}, compat)
	if err != nil {
		return nil, err
	}
	return merged.Lookup(id), nil
}

// Explain says which layers define an entry and which wins; nil when none does.
func (s *Stack) Explain(id string, compat bool) (*loadout.Explanation, error) {
	return loadout.Explain(id, s.Layers, compat)
}
