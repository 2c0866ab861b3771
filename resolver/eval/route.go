package eval

import (
	"cmp"
	"fmt"
	"math"

	"github.com/packgen/packgen/resolver/loadout"
)

// MissKind says in which way a task missed its golden.
type MissKind string

// The ways to miss.
const (
	NotSelected MissKind = "not-selected" // an entry of must is not among the selected
	Unwanted    MissKind = "unwanted"     // an entry of must_not is
	RankTooLow  MissKind = "rank"         // an entry of must comes later than its rank
	TooMany     MissKind = "tokens"       // the plan loads more than the ceiling
	NoEntry     MissKind = "no-entry"     // the index has no such entry
)

// Miss is one expectation that did not come true.
type Miss struct {
	Kind      MissKind
	ID        string           // of the entry; "" for tokens
	Want, Got int              // ranks, or tokens
	Outlook   *loadout.Outlook // the arithmetic of the entry; nil when there is none
	Nearest   string           // the id most like one that does not exist
}

// TaskResult is what came of one task.
type TaskResult struct {
	Task     *RoutingTask
	Selected []loadout.Result // best first
	Tokens   int              // what the plan loads, preloaded and on demand
	Misses   []Miss
}

// Route runs goldens against an index. dialect holds where the file names no
// matcher.
func Route(r *Routing, ix *loadout.Index, dialect loadout.Dialect) ([]TaskResult, error) {
	options := loadout.MatchOptions{Dialect: r.Dialect(dialect)}
	ids := make([]string, len(ix.Entries))
	for i := range ix.Entries {
		ids[i] = ix.Entries[i].ID
	}
	matcher := loadout.NewMatcher(ix)
	results := make([]TaskResult, 0, len(r.Tasks))
	for i := range r.Tasks {
		t := &r.Tasks[i]
		selected, err := matcher.Match(t.Task, options)
		if err != nil {
			return nil, fmt.Errorf("match the task of line %d of %s: %w", t.Line, r.Path, err)
		}
		result := TaskResult{Task: t, Selected: selected, Tokens: tokensOf(selected)}
		if err := result.judge(ix, ids, options); err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// Dialect is the matcher that the goldens name, else the one given.
func (r *Routing) Dialect(otherwise loadout.Dialect) loadout.Dialect {
	switch r.Matcher {
	case "coverage":
		return loadout.Coverage
	case "recall":
		return loadout.Recall
	}
	return otherwise
}

// tokensOf sums the estimates of what was selected.
func tokensOf(selected []loadout.Result) int {
	sum := 0.0
	for _, r := range selected {
		if !math.IsNaN(r.Entry.TokensEst) {
			sum += r.Entry.TokensEst
		}
	}
	return int(min(sum, math.MaxInt32))
}

// judge collects the misses of a task.
func (t *TaskResult) judge(ix *loadout.Index, ids []string, options loadout.MatchOptions) error {
	rank := map[string]int{}
	for i, r := range t.Selected {
		if _, twice := rank[r.Entry.ID]; !twice {
			rank[r.Entry.ID] = i + 1
		}
	}
	miss := func(m Miss) error {
		outlook, err := loadout.ExplainTask(t.Task.Task, m.ID, ix, options)
		m.Outlook = outlook
		if err == nil && outlook == nil && m.ID != "" {
			m.Kind, m.Nearest = NoEntry, nearestID(m.ID, ids)
		}
		t.Misses = append(t.Misses, m)
		return err
	}
	for _, e := range t.Task.Must {
		got, selected := rank[e.ID]
		kind := NotSelected
		if selected {
			if e.Rank == 0 || got <= e.Rank {
				continue
			}
			kind = RankTooLow
		}
		if err := miss(Miss{Kind: kind, ID: e.ID, Want: e.Rank, Got: got}); err != nil {
			return err
		}
	}
	for _, id := range t.Task.MustNot {
		got, selected := rank[id]
		if !selected && ix.Lookup(id) != nil {
			continue
		}
		if err := miss(Miss{Kind: Unwanted, ID: id, Got: got}); err != nil {
			return err
		}
	}
	if t.Task.Tokens > 0 && t.Tokens > t.Task.Tokens {
		t.Misses = append(t.Misses, Miss{Kind: TooMany, Want: t.Task.Tokens, Got: t.Tokens})
	}
	return nil
}

// nearestID returns the id that shares the longest start and end with a wrong
// one; "" when less than half of it is shared.
func nearestID(id string, ids []string) string {
	best, most := "", 0
	for _, other := range ids {
		head := 0
		for head < len(id) && head < len(other) && id[head] == other[head] {
			head++
		}
		tail := 0
		for tail < len(id)-head && tail < len(other)-head && id[len(id)-1-tail] == other[len(other)-1-tail] {
			tail++
		}
		if shared := head + tail; cmp.Compare(shared, most) > 0 && 2*shared >= len(id) {
			best, most = other, shared
		}
	}
	return best
}

// Unreached returns the ids of entries that words can lead to and that no task of
// the goldens selects, in index order.
func Unreached(ix *loadout.Index, results []TaskResult) []string {
	reached := map[string]bool{}
	for _, t := range results {
		for _, r := range t.Selected {
			reached[r.Entry.ID] = true
		}
	}
	var list []string
	for i := range ix.Entries {
		e := &ix.Entries[i]
		if e.Priority == loadout.PriorityDomain && !reached[e.ID] {
			list = append(list, e.ID)
		}
	}
	return list
}
