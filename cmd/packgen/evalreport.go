package main

import (
	"fmt"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/eval/suites"
)

type evalPrinter struct {
	*suites.Run
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
