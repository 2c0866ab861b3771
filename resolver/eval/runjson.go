package eval

import (
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
)

// SuiteJSON is one suite in the envelope.
type SuiteJSON struct {
	Suite    string             `json:"suite"`
	PackName string             `json:"pack_name"`
	Results  []caseJSON         `json:"results"`
	Summary  schema.EvalSummary `json:"summary"`
}

// caseJSON is one case, with what led to its outcome.
type caseJSON struct {
	schema.EvalResult
	Prompt   string   `json:"prompt"`
	Score    float64  `json:"score"`
	Hits     []string `json:"hits"`
	Warnings []string `json:"warnings"`
}

// GoldenJSON is one file of routing goldens in the envelope.
type GoldenJSON struct {
	Path    string     `json:"path"`
	Matcher string     `json:"matcher"`
	Tasks   []taskJSON `json:"tasks"`
}

// taskJSON is one task.
type taskJSON struct {
	Task     string     `json:"task"`
	Line     int        `json:"line"`
	Met      bool       `json:"met"`
	Tokens   int        `json:"tokens"`
	Selected []string   `json:"selected"`
	Misses   []missJSON `json:"misses"`
}

// missJSON is one expectation that did not come true.
type missJSON struct {
	Kind    MissKind `json:"kind"`
	ID      string   `json:"id,omitempty"`
	Want    int      `json:"want,omitempty"`
	Got     int      `json:"got,omitempty"`
	Score   *float64 `json:"score,omitempty"`
	Hits    []string `json:"hits,omitempty"`
	Nearest string   `json:"nearest,omitempty"`
}

// JSON is the suite in eval --json.
func (s *Suite) JSON() SuiteJSON {
	out := SuiteJSON{Suite: s.Name, PackName: secret.Redact(s.Result.Record.PackName), Results: []caseJSON{}, Summary: s.Result.Record.Summary}
	for i := range s.Result.Cases {
		c := &s.Result.Cases[i]
		out.Results = append(out.Results, caseJSON{
			EvalResult: s.Result.Record.Results[i], Prompt: secret.Redact(c.Prompt), Score: c.Rating.Score.Total,
			Hits: append([]string{}, c.Rating.MatchedKeywords...), Warnings: append([]string{}, c.Warnings...),
		})
	}
	return out
}

// JSON is the file of goldens in eval --json.
func (g *Goldens) JSON() GoldenJSON {
	out := GoldenJSON{Path: g.Name, Matcher: g.Dialect.String(), Tasks: []taskJSON{}}
	for i := range g.Results {
		t := &g.Results[i]
		task := taskJSON{
			Task: secret.Redact(t.Task.Task), Line: t.Task.Line, Met: len(t.Misses) == 0, Tokens: t.Tokens,
			Selected: []string{}, Misses: []missJSON{},
		}
		for _, s := range t.Selected {
			task.Selected = append(task.Selected, s.Entry.ID)
		}
		for _, m := range t.Misses {
			miss := missJSON{Kind: m.Kind, ID: secret.Redact(m.ID), Want: m.Want, Got: m.Got, Nearest: m.Nearest}
			if m.Outlook != nil {
				miss.Score, miss.Hits = &m.Outlook.Score.Total, m.Outlook.MatchedKeywords
			}
			task.Misses = append(task.Misses, miss)
		}
		out.Tasks = append(out.Tasks, task)
	}
	return out
}
