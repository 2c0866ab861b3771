package main

import (
	"context"

	"github.com/packgen/packgen/compiler/diag"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/workspace/library"
)

// sayAlways adds to each pack that has a boot.yml the documents and pages that it loads for
// every task. An error in a boot.yml ends the command with its findings.
func (a *app) sayAlways(ctx context.Context, packs []resolver.Pack) error {
	found, err := library.AddAlways(ctx, packs)
	switch {
	case err != nil:
		return err
	case diag.Count(found, diag.Error) == 0:
		if !a.json {
			a.printFindings(found, nil)
		}
		return nil
	case a.json:
		a.printJSON(envelope{Status: "failed", Command: "resolve", Findings: findingsOf(found)})
	default:
		a.printFindings(found, nil)
	}
	return errFindings
}
