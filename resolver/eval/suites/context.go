package suites

import (
	"context"
	"fmt"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/repo"
)

// curveBudgets are the token budgets at which retrieval is measured.
func curveBudgets() []int { return []int{250, 500, 1000, 2000, 4000, resolver.DefaultBudget} }

// ContextSuite reads the queries of a pack; nil when it has none, or none that
// can be read.
func ContextSuite(m *repo.Member) (*eval.ContextSuite, []diag.Diagnostic, error) {
	if !m.Pack.Has(eval.ContextPath) {
		return nil, nil, nil
	}
	data, err := m.Pack.ReadFile(eval.ContextPath)
	if pack.IsRefused(err) {
		return nil, []diag.Diagnostic{unread(m, eval.ContextPath, err)}, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read %s of %s: %w", eval.ContextPath, m.Dir, err)
	}
	suite, faults := eval.ReadContextSuite(eval.ContextPath, data)
	if suite != nil && suite.Pack != "" && suite.Pack != m.Name() {
		faults = append(faults, otherPack(m, eval.ContextPath, suite.Pack))
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
func doubts(m *repo.Member, suite *eval.ContextSuite, report *eval.ContextReport) (list []diag.Diagnostic) {
	for _, u := range report.Unknown {
		list = append(list, doubt(m, eval.ContextPath, u.Line, fmt.Sprintf("the pack has no section %q, which a query requires", u.Name), "use an id from compiled/index.json"))
	}
	for _, f := range suite.Least.Unjudged(report.Results) {
		list = append(list, doubt(m, eval.ContextPath, 0, fmt.Sprintf("no query of the validation half says anything of %s, so least cannot fail", f.Name), "add queries; the hash of a query decides on its half"))
	}
	return list
}

// Open opens a pack of the repository, by its directory, for the context resolver.
type Open func(dir string, as resolver.Activation) (resolver.Pack, error)

// MeasureQueries runs the queries of a pack through the context resolver, as they find
// it compiled.
func MeasureQueries(ctx context.Context, open Open, m *repo.Member, suite *eval.ContextSuite) (*eval.ContextReport, error) {
	p, err := open(m.Dir, resolver.Explicit)
	if err != nil {
		return nil, err
	}
	return measure(ctx, p, m, suite, eval.ContextOptions{Budgets: curveBudgets()})
}

func measure(ctx context.Context, p resolver.Pack, m *repo.Member, suite *eval.ContextSuite, o eval.ContextOptions) (*eval.ContextReport, error) {
	report, err := eval.Context(ctx, p, suite, o)
	if err != nil {
		return nil, fmt.Errorf("resolve the queries of %s: %w", m.Dir, err)
	}
	return report, nil
}

// Context is what the queries of one pack gave.
type Context struct {
	Pack   string
	member *repo.Member
	Report *eval.ContextReport
	Below  []eval.Figure // figures of the validation half that stay below what the suite asks for
}
