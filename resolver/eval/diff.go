package eval

import (
	"fmt"
	"math"
	"strings"

	"github.com/packgen/packgen/resolver/loadout"
)

// Diff is how routing changed from one index to another.
type Diff struct {
	Gained  []*loadout.Entry // in the order of the new index
	Lost    []*loadout.Entry // in the order of the old index
	Changed []Changed        // in the order of the new index
	Tokens  [2]int           // estimates of all entries, before and after
	Tasks   []TaskDiff       // those tasks whose selection or tokens changed, in the order given
	Asked   int              // how many tasks were tried
}

// Empty reports whether nothing changed.
func (d *Diff) Empty() bool {
	return len(d.Gained)+len(d.Lost)+len(d.Changed)+len(d.Tasks) == 0
}

// Changed is an entry that both indexes have and that differs.
type Changed struct {
	Before, After                   *loadout.Entry
	KeywordsGained, KeywordsLost    []string
	PatternsGained, PatternsLost    []string
	Path, Priority, Summary, Phases bool // what differs beside the words
	Tokens                          int  // after less before
}

// routes reports whether anything differs that decides what is loaded.
func (c *Changed) routes() bool {
	return len(c.KeywordsGained)+len(c.KeywordsLost)+len(c.PatternsGained)+len(c.PatternsLost) > 0 ||
		c.Path || c.Priority || c.Phases || c.Tokens != 0
}

// TaskDiff is how the selection of one task changed.
type TaskDiff struct {
	Task         string
	Gained, Lost []string // ids; gained in the new order, lost in the old one
	Moved        []Move
	Tokens       [2]int
}

func (t *TaskDiff) changed() bool {
	return len(t.Gained)+len(t.Lost)+len(t.Moved) > 0 || t.Tokens[0] != t.Tokens[1]
}

// Move is an entry that both select, at another place.
type Move struct {
	ID     string `json:"id"`
	Before int    `json:"before"` // places among the selected, from 1
	After  int    `json:"after"`
}

// Compare says how routing changed from a to b. For each of the tasks it compares
// what the two select; entries that only moved because others came or went
// do not count as moved.
func Compare(a, b *loadout.Index, tasks []string, options loadout.MatchOptions) (*Diff, error) {
	d := &Diff{Asked: len(tasks)}
	d.entries(a, b)
	before, after := loadout.NewMatcher(a), loadout.NewMatcher(b)
	for _, task := range tasks {
		was, err := before.Match(task, options)
		if err != nil {
			return nil, fmt.Errorf("match %q against the first index: %w", task, err)
		}
		is, err := after.Match(task, options)
		if err != nil {
			return nil, fmt.Errorf("match %q against the second index: %w", task, err)
		}
		if t := compareTask(task, was, is); t.changed() {
			d.Tasks = append(d.Tasks, t)
		}
	}
	return d, nil
}

// entries compares the entries by id; of several with one id the first counts.
func (d *Diff) entries(a, b *loadout.Index) {
	before, after := byID(a), byID(b)
	for i := range a.Entries {
		e := &a.Entries[i]
		d.Tokens[0] += estimate(e)
		if before[e.ID] == e && after[e.ID] == nil {
			d.Lost = append(d.Lost, e)
		}
	}
	for i := range b.Entries {
		e := &b.Entries[i]
		d.Tokens[1] += estimate(e)
		switch old := before[e.ID]; {
		case after[e.ID] != e:
		case old == nil:
			d.Gained = append(d.Gained, e)
		default:
			if c := compareEntry(old, e); c.routes() || c.Summary {
				d.Changed = append(d.Changed, c)
			}
		}
	}
}

func byID(ix *loadout.Index) map[string]*loadout.Entry {
	m := make(map[string]*loadout.Entry, len(ix.Entries))
	for i := range ix.Entries {
		if e := &ix.Entries[i]; m[e.ID] == nil {
			m[e.ID] = e
		}
	}
	return m
}

// estimate is the tokens of an entry; 0 when it names none.
func estimate(e *loadout.Entry) int {
	if math.IsNaN(e.TokensEst) {
		return 0
	}
	return int(max(math.MinInt32, min(e.TokensEst, math.MaxInt32)))
}

func compareEntry(a, b *loadout.Entry) Changed {
	c := Changed{
		Before: a, After: b,
		Path: a.Path != b.Path, Priority: a.Priority != b.Priority, Summary: a.Summary != b.Summary,
		Phases: a.Triggers != b.Triggers, Tokens: estimate(b) - estimate(a),
	}
	c.KeywordsGained, c.KeywordsLost = without(b.Keywords, a.Keywords), without(a.Keywords, b.Keywords)
	c.PatternsGained, c.PatternsLost = without(b.Patterns, a.Patterns), without(a.Patterns, b.Patterns)
	return c
}

// without returns what is in one list and not in the other.
func without(list, other []string) []string {
	have := make(map[string]bool, len(other))
	for _, s := range other {
		have[s] = true
	}
	var out []string
	for _, s := range list {
		if !have[s] {
			out = append(out, s)
		}
	}
	return out
}

func compareTask(task string, was, is []loadout.Result) TaskDiff {
	t := TaskDiff{Task: task, Tokens: [2]int{tokensOf(was), tokensOf(is)}}
	before, after := idsOf(was), idsOf(is)
	t.Lost, t.Gained = without(before, after), without(after, before)
	// Among those that both select, compare the order.
	stayedBefore, stayedAfter := without(before, t.Lost), without(after, t.Gained)
	wasAt, isAt := placesOf(before), placesOf(after)
	for i, id := range stayedAfter {
		if i < len(stayedBefore) && stayedBefore[i] != id {
			t.Moved = append(t.Moved, Move{id, wasAt[id], isAt[id]})
		}
	}
	return t
}

// placesOf says where each id is first, from 1.
func placesOf(ids []string) map[string]int {
	places := make(map[string]int, len(ids))
	for i, id := range ids {
		if places[id] == 0 {
			places[id] = i + 1
		}
	}
	return places
}

func idsOf(list []loadout.Result) []string {
	ids := make([]string, len(list))
	for i, r := range list {
		ids[i] = r.Entry.ID
	}
	return ids
}

// maxTaskLines is how many tasks a plain file of tasks may hold.
const maxTaskLines = maxTasks

// ReadTasks reads a plain file of tasks: one a line; blank lines and those that
// start with # are left out. It takes at most 10,000 tasks.
func ReadTasks(data []byte) ([]string, error) {
	var tasks []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(tasks) == maxTaskLines {
			return nil, fmt.Errorf("more than %d tasks", maxTaskLines)
		}
		tasks = append(tasks, line)
	}
	return tasks, nil
}
