package main

import (
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/eval/suites"
	"github.com/packgen/packgen/resolver/workspace"
)

// printEvalJSON prints the envelope. When one suite ran, its keys are at the top level too,
// as in the reference tool (agent-knowledge section 17.4).
func (e evalPrinter) printEvalJSON(r *workspace.Repository, findings []diag.Diagnostic, bad bool) {
	out := struct {
		envelope
		*suites.SuiteJSON                      // the only suite; nil when there are none or several
		Suites            []suites.SuiteJSON   `json:"suites"`
		Routing           []suites.GoldenJSON  `json:"routing"`
		Context           []suites.ContextJSON `json:"context,omitempty"`
		Totals            []suites.Total       `json:"totals,omitempty"`
		DryRun            bool                 `json:"dry_run"`
		Written           []string             `json:"written"`
	}{
		envelope: envelope{
			OK: diag.Count(findings, diag.Error) == 0, Status: "passed", Command: "eval", Findings: findingsOf(findings),
		},
		Suites: []suites.SuiteJSON{}, Routing: []suites.GoldenJSON{}, DryRun: e.DryRun, Written: append([]string{}, e.Written...),
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
		out.Suites = append(out.Suites, s.JSON())
	}
	if len(out.Suites) == 1 {
		out.SuiteJSON = &out.Suites[0]
	}
	for _, g := range e.Goldens {
		out.Routing = append(out.Routing, g.JSON())
	}
	for _, c := range e.Contexts {
		out.Context = append(out.Context, c.JSON())
	}
	out.Totals = e.Totals()
	e.printJSON(out)
}
