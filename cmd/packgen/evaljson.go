package main

import (
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/eval/suites"
	"github.com/packgen/packgen/resolver/workspace"
)

// suiteJSON is one suite in the envelope.
type suiteJSON struct {
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

// goldenJSON is one file of routing goldens in the envelope.
type goldenJSON struct {
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
	Kind    eval.MissKind `json:"kind"`
	ID      string        `json:"id,omitempty"`
	Want    int           `json:"want,omitempty"`
	Got     int           `json:"got,omitempty"`
	Score   *float64      `json:"score,omitempty"`
	Hits    []string      `json:"hits,omitempty"`
	Nearest string        `json:"nearest,omitempty"`
}

// contextJSON is what the queries of one pack gave.
type contextJSON struct {
	Pack    string              `json:"pack"`
	Summary eval.ContextSummary `json:"summary"`
	Train   eval.ContextSummary `json:"train"`
	Judged  eval.ContextSummary `json:"validation"`
	Curve   []eval.CurvePoint   `json:"curve"`
	Misses  []lostJSON          `json:"misses,omitempty"`
}

// lostJSON is a section that was not selected for a query.
type lostJSON struct {
	Query   string   `json:"query"`
	Section string   `json:"section"`
	Rule    string   `json:"rule"` // split, budget, words, stop, place, branch
	Place   int      `json:"place,omitempty"`
	Score   float64  `json:"score"`
	Best    float64  `json:"best"`
	Lacks   []string `json:"lacks"`
	Above   []string `json:"above"`
}

// totalJSON is one figure of one half over all packs.
type totalJSON struct {
	Half  string  `json:"half"` // train, validation
	Name  string  `json:"name"` // recall, precision, tokens, refused
	Value float64 `json:"value"`
	Low   float64 `json:"low"` // 19 of 20 resamples are between low and high
	High  float64 `json:"high"`
	Of    int     `json:"of"` // cases
}

func contextOf(c *suites.Context) contextJSON {
	results := c.Report.Results
	out := contextJSON{
		Pack: c.Pack, Summary: c.Report.Summary, Curve: append([]eval.CurvePoint{}, c.Report.Curve...),
		Train: eval.Summarize(eval.InHalf(results, eval.Train)), Judged: eval.Summarize(eval.InHalf(results, eval.Validation)),
	}
	for i := range results {
		for _, m := range results[i].Misses {
			lost := lostJSON{
				Query: secret.Redact(results[i].Case.Query), Section: m.Section, Rule: string(m.Rule), Place: m.Place, Score: m.Score, Best: m.Best,
				Lacks: append([]string{}, m.Lacks...), Above: []string{},
			}
			for _, above := range m.Above {
				lost.Above = append(lost.Above, above.Path)
			}
			out.Misses = append(out.Misses, lost)
		}
	}
	return out
}

// printEvalJSON prints the envelope. When one suite ran, its keys stand at the top
// too, as the reference tool has them (agent-knowledge section 17.4).
func (e evalPrinter) printEvalJSON(r *workspace.Repository, findings []diag.Diagnostic, bad bool) {
	out := struct {
		envelope
		*suiteJSON               // the only suite; nil when there are several or none
		Suites     []suiteJSON   `json:"suites"`
		Routing    []goldenJSON  `json:"routing"`
		Context    []contextJSON `json:"context,omitempty"`
		Totals     []totalJSON   `json:"totals,omitempty"`
		DryRun     bool          `json:"dry_run"`
		Written    []string      `json:"written"`
	}{
		envelope: envelope{
			OK: diag.Count(findings, diag.Error) == 0, Status: "passed", Command: "eval", Findings: findingsOf(findings),
		},
		Suites: []suiteJSON{}, Routing: []goldenJSON{}, DryRun: e.DryRun, Written: append([]string{}, e.Written...),
	}
	switch {
	case !out.OK:
		out.Status = "failed"
	case bad:
		out.Status = "needs-review"
	}
	if len(r.Members) == 1 {
		out.Pack = r.Members[0].Name()
	}
	for _, s := range e.Suites {
		out.Suites = append(out.Suites, suiteOf(&s))
	}
	if len(out.Suites) == 1 {
		out.suiteJSON = &out.Suites[0]
	}
	for _, g := range e.Goldens {
		out.Routing = append(out.Routing, goldenOf(&g))
	}
	for _, c := range e.Contexts {
		out.Context = append(out.Context, contextOf(&c))
	}
	if len(e.Contexts) > 0 {
		for _, half := range []eval.Half{eval.Train, eval.Validation} {
			for _, f := range eval.Figures(e.ContextResults(half)) {
				out.Totals = append(out.Totals, totalJSON{half.String(), f.Name, f.Value, f.Low, f.High, f.Of})
			}
		}
	}
	e.printJSON(out)
}

func suiteOf(s *suites.Suite) suiteJSON {
	out := suiteJSON{Suite: s.Name, PackName: secret.Redact(s.Result.Record.PackName), Results: []caseJSON{}, Summary: s.Result.Record.Summary}
	for i := range s.Result.Cases {
		c := &s.Result.Cases[i]
		out.Results = append(out.Results, caseJSON{
			EvalResult: s.Result.Record.Results[i], Prompt: secret.Redact(c.Prompt), Score: c.Rating.Score.Total,
			Hits: append([]string{}, c.Rating.MatchedKeywords...), Warnings: append([]string{}, c.Warnings...),
		})
	}
	return out
}

func goldenOf(g *suites.Goldens) goldenJSON {
	out := goldenJSON{Path: g.Name, Matcher: g.Dialect.String(), Tasks: []taskJSON{}}
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
