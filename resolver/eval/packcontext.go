package eval

import (
	"context"
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/secret"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/loadout/render"
	"github.com/packgen/packgen/resolver/repo"
)

// curveBudgets are the token budgets at which retrieval is measured.
func curveBudgets() []int { return []int{250, 500, 1000, 2000, 4000, resolver.DefaultBudget} }

// ContextSuiteOf reads the queries of a pack; nil when it has none, or none that
// can be read.
func ContextSuiteOf(m *repo.Member) (*ContextSuite, []diag.Diagnostic, error) {
	if !m.Pack.Has(ContextPath) {
		return nil, nil, nil
	}
	data, err := m.Pack.ReadFile(ContextPath)
	if pack.IsRefused(err) {
		return nil, []diag.Diagnostic{unread(m, ContextPath, err)}, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read %s of %s: %w", ContextPath, m.Dir, err)
	}
	suite, faults := ReadContextSuite(ContextPath, data)
	if suite != nil && suite.Pack != "" && suite.Pack != m.Name() {
		faults = append(faults, otherPack(m, ContextPath, suite.Pack))
	}
	for i := range faults {
		faults[i].Pack = m.Name()
	}
	return suite, faults, nil
}

// otherPack reports a suite that names another pack.
func otherPack(m *repo.Member, file, named string) diag.Diagnostic {
	return doubt(m, file, 0, fmt.Sprintf("the suite is for a pack named %q", named), "write "+m.Name()+" as pack_name")
}

// unread reports a suite that is not read.
func unread(m *repo.Member, file string, err error) diag.Diagnostic {
	d := doubt(m, file, 0, fmt.Sprintf("the suite is left out: %v", err), "replace the file by one that can be read, or remove it")
	d.Severity = diag.Error
	return d
}

// doubt is a warning about a suite.
func doubt(m *repo.Member, file string, line int, message, hint string) diag.Diagnostic {
	return diag.Diagnostic{ID: "schema-invalid", Severity: diag.Warning, Pack: m.Name(), Path: file, Line: line, Message: message, Hint: hint}
}

// doubts are about what a suite asks for and cannot get.
func doubts(m *repo.Member, suite *ContextSuite, report *ContextReport) (list []diag.Diagnostic) {
	for _, u := range report.Unknown {
		list = append(list, doubt(m, ContextPath, u.Line, fmt.Sprintf("the pack has no section %q, which a query requires", u.Name), "use an id from compiled/index.json"))
	}
	for _, f := range suite.Least.Unjudged(report.Results) {
		list = append(list, doubt(m, ContextPath, 0, fmt.Sprintf("no query of the validation half says anything of %s, so least cannot fail", f.Name), "add queries; the hash of a query decides on its half"))
	}
	return list
}

// Open opens a pack of the repository, by its directory, for the context resolver.
type Open func(dir string, as resolver.Activation) (resolver.Pack, error)

// MeasureQueries runs the queries of a pack through the context resolver, as they find
// it compiled.
func MeasureQueries(ctx context.Context, open Open, m *repo.Member, suite *ContextSuite) (*ContextReport, error) {
	p, err := open(m.Dir, resolver.Explicit)
	if err != nil {
		return nil, err
	}
	return measure(ctx, p, m, suite, contextOptions{Budgets: curveBudgets()})
}

func measure(ctx context.Context, p resolver.Pack, m *repo.Member, suite *ContextSuite, o contextOptions) (*ContextReport, error) {
	report, err := runContext(ctx, p, suite, o)
	if err != nil {
		return nil, fmt.Errorf("resolve the queries of %s: %w", m.Dir, err)
	}
	return report, nil
}

// PackContext is what the queries of one pack gave.
type PackContext struct {
	Pack   string
	member *repo.Member
	Report *ContextReport
	Below  []Figure // figures of the validation half that stay below what the suite asks for
}

// ContextJSON is what the queries of one pack gave, as eval --json prints it.
type ContextJSON struct {
	Pack       string         `json:"pack"`
	Summary    ContextSummary `json:"summary"` // over all packs of the repository
	Inside     ContextSummary `json:"inside"`  // when the pack is named
	Train      ContextSummary `json:"train"`
	Validation ContextSummary `json:"validation"`
	Curve      []CurveJSON    `json:"curve"`
	Below      []belowJSON    `json:"below"` // what the suite asks for and the validation half does not reach
	Misses     []lostJSON     `json:"misses,omitempty"`
}

// CurveJSON is one budget of the curve, with what 19 of 20 resamples of the queries are
// between.
type CurveJSON struct {
	CurvePoint
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
func (c *PackContext) JSON() ContextJSON {
	results := c.Report.Results
	out := ContextJSON{
		Pack: c.Pack, Summary: c.Report.Summary, Inside: c.Report.Inside, Curve: []CurveJSON{}, Below: []belowJSON{},
		Train: summaryOf(inHalf(results, Train)), Validation: summaryOf(inHalf(results, Validation)),
	}
	for _, f := range c.Below {
		out.Below = append(out.Below, belowJSON{f.Name, f.Value, f.Least})
	}
	for _, p := range c.Report.Curve {
		f := figuresOf(p.Results)
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

// totalsOf are the figures of some results.
func totalsOf(half string, results []ContextResult) (list []Total) {
	for _, f := range figuresOf(results) {
		list = append(list, Total{half, f.Name, f.Value, f.Low, f.High, f.Of})
	}
	return list
}

// atBudget are recall, precision and tokens at one budget of the curve.
func atBudget(p CurvePoint) []Total { return totalsOf("", p.Results)[:3] }

// String is a figure with its interval; "-" for one of no cases.
func (t Total) String() string {
	switch {
	case t.Of == 0:
		return "-"
	case t.Name == "tokens":
		return fmt.Sprintf("%.0f (%.0f to %.0f)", t.Value, t.Low, t.High)
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", t.Value, t.Low, t.High)
}

// writeMisses writes which figures stay below what the suite asks for, and what kept
// each lost section out.
func (c *PackContext) writeMisses(p *render.Printer) {
	for _, f := range c.Below {
		p.Printf("\n%s %s: %s of the validation half is %.2f, and the suite asks for %.2f\n", p.Red("below"), diag.Printable(c.Pack), f.Name, f.Value, f.Least)
	}
	for i := range c.Report.Results {
		r := &c.Report.Results[i]
		if len(r.Misses) == 0 {
			continue
		}
		p.Printf("\n%s %s: %q\n", p.Red("lost"), diag.Printable(c.Pack), diag.Printable(secret.Redact(r.Case.Query)))
		for _, m := range r.Misses {
			p.Printf("  %s: %s\n", diag.Printable(m.Section), ruleText(&m))
			if len(m.Lacks) > 0 {
				p.Printf("      lacks [%s]\n", diag.Printable(strings.Join(m.Lacks, ", ")))
			}
			for i, above := range m.Above {
				p.Printf("      %d. %.2f %s\n", i+1, above.Score, diag.Printable(above.Path))
			}
		}
	}
}

// ruleText says which rule dropped a section.
func ruleText(m *resolver.Miss) string {
	at := fmt.Sprintf("place %d, score %.2f, best %.2f", m.Place, m.Score, m.Best)
	switch m.Rule {
	case resolver.BySplit:
		return "the pack has no such section"
	case resolver.ByWords:
		return "no word in common"
	case resolver.ByBoundary:
		return "a boundary; boundaries take at most an eighth of the budget"
	case resolver.ByBudget:
		return at + "; it does not fit the budget"
	case resolver.ByStop:
		return at + "; below the stop"
	case resolver.ByPlace:
		return at + "; enough better sections"
	}
	return at + "; the profile or the context map looks elsewhere"
}
