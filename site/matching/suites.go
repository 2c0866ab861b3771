package matching

import (
	"encoding/json"
	"fmt"

	"github.com/packgen/packgen/site/shard"
)

// Suite is what the evals of a pack ask besides routing: which prompts select the pack,
// and which sections a query selects.
type Suite struct {
	Pack     string              `json:"pack"`
	Words    []string            `json:"words,omitempty"`    // of its name, type and description
	Declared map[string][]string `json:"declared,omitempty"` // keywords, by the id of the entry
	Prompts  []Prompt            `json:"prompts,omitempty"`
	Budget   int                 `json:"budget,omitempty"` // of queries that have none; 0 is that of resolve
	Queries  []Query             `json:"queries,omitempty"`
}

// Prompt is a case of a discovery eval.
type Prompt struct {
	Prompt string `json:"prompt"`
	Select bool   `json:"select,omitempty"` // the pack must be selected; otherwise it must not
	Never  bool   `json:"never,omitempty"`  // it expects a warning that the pack does not raise
}

// Query is a case of a context eval.
type Query struct {
	Query        string   `json:"query"`
	Also         []string `json:"also,omitempty"`
	Budget       int      `json:"budget,omitempty"`
	Unanswerable bool     `json:"unanswerable,omitempty"`
	Required     []string `json:"required,omitempty"`
	Forbidden    []string `json:"forbidden,omitempty"`
}

// putSuites puts the file of suites and returns its name; "" when there are none.
func putSuites(list []Suite, put func(shard.File) error) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	data, err := json.Marshal(list)
	if err != nil {
		return "", fmt.Errorf("write the suites of evals: %w", err)
	}
	name := shard.Name(data)
	return name, put(shard.File{Path: dir + name + ".bin", Data: data})
}
