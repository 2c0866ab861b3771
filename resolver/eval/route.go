package eval

import (
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
	Outlook   *loadout.Outlook // the arithmetic of the entry; nil when there is none, and beyond 200 misses of a file
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
	j := &referee{ix: ix, options: options, entries: byID(ix), left: maxExplained}
	matcher := loadout.NewMatcher(ix)
	results := make([]TaskResult, 0, len(r.Tasks))
	for i := range r.Tasks {
		t := &r.Tasks[i]
		selected, err := matcher.Match(t.Task, options)
		if err != nil {
			return nil, fmt.Errorf("match the task of line %d of %s: %w", t.Line, r.Path, err)
		}
		result := TaskResult{Task: t, Selected: selected, Tokens: tokensOf(selected)}
		if err := j.task(&result); err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// Dialect is the matcher that the goldens name, otherwise the one given.
func (r *Routing) Dialect(otherwise loadout.Dialect) loadout.Dialect {
	if named, ok := loadout.NamedDialect(r.Matcher); ok {
		return named
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

// maxExplained is how many misses of one file are explained: each costs a look
// at the whole index.
const maxExplained = 200

// referee collects the misses of tasks.
type referee struct {
	ix      *loadout.Index
	options loadout.MatchOptions
	entries map[string]*loadout.Entry
	left    int // misses that may still be explained
}

// task collects the misses of a task.
func (j *referee) task(t *TaskResult) error {
	rank := placesOf(idsOf(t.Selected))
	for _, e := range t.Task.Must {
		got, selected := rank[e.ID]
		kind := NotSelected
		if selected {
			if e.Rank == 0 || got <= e.Rank {
				continue
			}
			kind = RankTooLow
		}
		if err := j.miss(t, Miss{Kind: kind, ID: e.ID, Want: e.Rank, Got: got}); err != nil {
			return err
		}
	}
	for _, id := range t.Task.MustNot {
		got, selected := rank[id]
		if !selected && j.entries[id] != nil {
			continue
		}
		if err := j.miss(t, Miss{Kind: Unwanted, ID: id, Got: got}); err != nil {
			return err
		}
	}
	if t.Task.Tokens > 0 && t.Tokens > t.Task.Tokens {
		t.Misses = append(t.Misses, Miss{Kind: TooMany, Want: t.Task.Tokens, Got: t.Tokens})
	}
	return nil
}

// miss adds a miss of an entry, explained while more may be.
func (j *referee) miss(t *TaskResult, m Miss) (err error) {
	known := j.entries[m.ID] != nil
	if !known {
		m.Kind = NoEntry
	}
	if j.left > 0 {
		j.left--
		if known {
			m.Outlook, err = loadout.ExplainTask(t.Task.Task, m.ID, j.ix, j.options)
		} else {
			m.Nearest = nearestID(m.ID, j.ix)
		}
	}
	t.Misses = append(t.Misses, m)
	return err
}

// nearestID returns the id that shares the longest start and end with a wrong
// one; "" when less than half of it is shared.
func nearestID(id string, ix *loadout.Index) string {
	best, most := "", 0
	for i := range ix.Entries {
		other := ix.Entries[i].ID
		head := 0
		for head < len(id) && head < len(other) && id[head] == other[head] {
			head++
		}
		tail := 0
		for tail < len(id)-head && tail < len(other)-head && id[len(id)-1-tail] == other[len(other)-1-tail] {
			tail++
		}
		if shared := head + tail; shared > most && 2*shared >= len(id) {
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
