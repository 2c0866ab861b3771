package suites

import (
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/eval"
)

// ContextJSON is what the queries of one pack gave, as eval --json prints it.
type ContextJSON struct {
	Pack       string              `json:"pack"`
	Summary    eval.ContextSummary `json:"summary"` // over all packs of the repository
	Inside     eval.ContextSummary `json:"inside"`  // when the pack is named
	Train      eval.ContextSummary `json:"train"`
	Validation eval.ContextSummary `json:"validation"`
	Curve      []CurveJSON         `json:"curve"`
	Below      []belowJSON         `json:"below"` // what the suite asks for and the validation half does not reach
	Misses     []lostJSON          `json:"misses,omitempty"`
}

// CurveJSON is one budget of the curve, with what 19 of 20 resamples of the queries are
// between.
type CurveJSON struct {
	eval.CurvePoint
	RecallLow     float64 `json:"recall_low"`
	RecallHigh    float64 `json:"recall_high"`
	PrecisionLow  float64 `json:"precision_low"`
	PrecisionHigh float64 `json:"precision_high"`
	TokensLow     float64 `json:"tokens_low"`
	TokensHigh    float64 `json:"tokens_high"`
}

// belowJSON is a figure that stays below what the suite asks for.
type belowJSON struct {
	Name  string  `json:"name"` // recall, precision, refused
	Value float64 `json:"value"`
	Least float64 `json:"least"`
}

// lostJSON is a section that was not selected for a query.
type lostJSON struct {
	Query   string   `json:"query"`
	Section string   `json:"section"`
	Rule    string   `json:"rule"` // split, budget, words, stop, place, boundary, branch
	Place   int      `json:"place,omitempty"`
	Score   float64  `json:"score"`
	Best    float64  `json:"best"`
	Lacks   []string `json:"lacks"`
	Above   []string `json:"above"`
}

// Total is one figure of one half over all packs.
type Total struct {
	Half  string  `json:"half"` // train, validation
	Name  string  `json:"name"` // recall, precision, tokens, refused
	Value float64 `json:"value"`
	Low   float64 `json:"low"` // 19 of 20 resamples are between low and high
	High  float64 `json:"high"`
	Of    int     `json:"of"` // cases
}

// JSON is the pack's part of eval --json.
func (c *Context) JSON() ContextJSON {
	results := c.Report.Results
	out := ContextJSON{
		Pack: c.Pack, Summary: c.Report.Summary, Inside: c.Report.Inside, Curve: []CurveJSON{}, Below: []belowJSON{},
		Train: eval.Summarize(eval.InHalf(results, eval.Train)), Validation: eval.Summarize(eval.InHalf(results, eval.Validation)),
	}
	for _, f := range c.Below {
		out.Below = append(out.Below, belowJSON{f.Name, f.Value, f.Least})
	}
	for _, p := range c.Report.Curve {
		f := eval.Figures(p.Results)
		out.Curve = append(out.Curve, CurveJSON{p, f[0].Low, f[0].High, f[1].Low, f[1].High, f[2].Low, f[2].High})
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

// Totals are the figures of both halves over all packs; nil where no queries ran.
func (e *Run) Totals() []Total {
	var list []Total
	for _, half := range []eval.Half{eval.Train, eval.Validation} {
		var results []eval.ContextResult
		for _, c := range e.Contexts {
			results = append(results, eval.InHalf(c.Report.Results, half)...)
		}
		if len(e.Contexts) == 0 {
			return nil
		}
		list = append(list, totalsOf(half.String(), results)...)
	}
	return list
}

// totalsOf are the figures of some results.
func totalsOf(half string, results []eval.ContextResult) (list []Total) {
	for _, f := range eval.Figures(results) {
		list = append(list, Total{half, f.Name, f.Value, f.Low, f.High, f.Of})
	}
	return list
}

// atBudget are recall, precision and tokens at one budget of the curve.
func atBudget(p eval.CurvePoint) []Total { return totalsOf("", p.Results)[:3] }
