package eval

import (
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/loadout"
)

// changedJSON is an entry that changed, in the envelope.
type changedJSON struct {
	ID             string   `json:"id"`
	KeywordsGained []string `json:"keywords_gained"`
	KeywordsLost   []string `json:"keywords_lost"`
	PatternsGained []string `json:"patterns_gained"`
	PatternsLost   []string `json:"patterns_lost"`
	Path           []string `json:"path,omitempty"`     // before, after
	Priority       []string `json:"priority,omitempty"` // before, after
	Triggers       bool     `json:"triggers"`
	Summary        bool     `json:"summary"`
	Tokens         int      `json:"tokens_delta"`
}

// taskDiffJSON is a task that selects something else, in the envelope.
type taskDiffJSON struct {
	Task         string   `json:"task"`
	Gained       []string `json:"gained"`
	Lost         []string `json:"lost"`
	Moved        []Move   `json:"moved"`
	TokensBefore int      `json:"tokens_before"`
	TokensAfter  int      `json:"tokens_after"`
}

// DiffRecord is a difference in the envelope.
type DiffRecord struct {
	Gained       []string       `json:"gained"`
	Lost         []string       `json:"lost"`
	Changed      []changedJSON  `json:"changed"`
	TokensBefore int            `json:"tokens_before"`
	TokensAfter  int            `json:"tokens_after"`
	TasksTried   int            `json:"tasks_tried"`
	Tasks        []taskDiffJSON `json:"tasks"`
}

// RecordOf puts a difference into the form of the envelope.
func RecordOf(d *Diff) DiffRecord {
	out := DiffRecord{
		Gained: entryIDs(d.Gained), Lost: entryIDs(d.Lost), Changed: []changedJSON{},
		TokensBefore: d.Tokens[0], TokensAfter: d.Tokens[1], TasksTried: d.Asked, Tasks: []taskDiffJSON{},
	}
	list := func(words []string) []string { return append([]string{}, words...) }
	for i := range d.Changed {
		c := &d.Changed[i]
		j := changedJSON{
			ID: c.After.ID, KeywordsGained: list(c.KeywordsGained), KeywordsLost: list(c.KeywordsLost),
			PatternsGained: list(c.PatternsGained), PatternsLost: list(c.PatternsLost),
			Triggers: c.Phases, Summary: c.Summary, Tokens: c.Tokens,
		}
		if c.Path {
			j.Path = []string{c.Before.Path, c.After.Path}
		}
		if c.Priority {
			j.Priority = []string{c.Before.Priority, c.After.Priority}
		}
		out.Changed = append(out.Changed, j)
	}
	for _, t := range d.Tasks {
		out.Tasks = append(out.Tasks, taskDiffJSON{
			Task: secret.Redact(t.Task), Gained: list(t.Gained), Lost: list(t.Lost), Moved: append([]Move{}, t.Moved...),
			TokensBefore: t.Tokens[0], TokensAfter: t.Tokens[1],
		})
	}
	return out
}

func entryIDs(list []*loadout.Entry) []string {
	ids := make([]string, len(list))
	for i, e := range list {
		ids[i] = e.ID
	}
	return ids
}
