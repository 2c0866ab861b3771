package main

import (
	"fmt"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/repo"
)

type evalPrinter struct {
	*eval.Run
	*app
	gate gate
}

// report writes records and goldens if asked to, prints the outcome and returns the error
// that sets the exit code.
func (e evalPrinter) report() error {
	r, findings := e.Chosen, e.Findings()
	if err := e.Keep(); err != nil {
		return err
	}
	failed := e.Failed()
	bad := e.gate.closedFor(diag.Count(findings, diag.Error) > 0 || failed > 0, diag.Count(findings, diag.Warning) > 0)
	if e.json {
		e.printEvalJSON(r, findings, bad)
	} else {
		e.printFindings(findings, r.Dirs())
		e.WriteText(e.printer())
		for _, name := range e.Written {
			verb := "wrote"
			if e.DryRun {
				verb = "would write"
			}
			fmt.Fprintf(e.stdout, "%s %s\n", verb, name)
		}
		if len(e.Suites)+len(e.Goldens)+len(e.Contexts) == 0 && len(findings) == 0 && !e.quiet {
			fmt.Fprintln(e.stderr, "note: there are no evals: packs keep them as evals/discovery.train.json and evals/routing.yaml")
		}
	}
	if bad {
		return errFindings
	}
	return nil
}

// printEvalJSON prints the envelope. When one suite ran, its keys are at the top level too,
// as in the reference tool (agent-knowledge section 17.4).
func (e evalPrinter) printEvalJSON(r *repo.Packs, findings []diag.Diagnostic, bad bool) {
	out := struct {
		envelope
		*eval.SuiteJSON                    // the only suite; nil when there are none or several
		Suites          []eval.SuiteJSON   `json:"suites"`
		Routing         []eval.GoldenJSON  `json:"routing"`
		Context         []eval.ContextJSON `json:"context,omitempty"`
		Totals          []eval.Total       `json:"totals,omitempty"`
		DryRun          bool               `json:"dry_run"`
		Written         []string           `json:"written"`
	}{
		envelope: envelope{
			OK: diag.Count(findings, diag.Error) == 0, Status: schema.Passed, Command: "eval", Findings: findingsOf(findings),
		},
		Suites: []eval.SuiteJSON{}, Routing: []eval.GoldenJSON{}, DryRun: e.DryRun, Written: append([]string{}, e.Written...),
	}
	switch {
	case !out.OK:
		out.Status = schema.Failed
	case bad:
		out.Status = schema.NeedsReview
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
