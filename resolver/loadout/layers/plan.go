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

// Explain says which layers define an entry and which wins; nil when none does.
func (s *Stack) Explain(id string, compat bool) (*loadout.Explanation, error) {
	return loadout.Explain(id, s.Layers, compat)
}
