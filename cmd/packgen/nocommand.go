package main

import (
	"context"
	"fmt"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/repo"
)

// runState prints the state of the repository and the next step.
func (a *app) runState(ctx context.Context) error {
	if err := a.Load(); err != nil {
		return err
	}
	s, err := repo.Look(ctx, &a.Repo)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(struct {
			envelope
			repo.State
		}{envelopeOf("packgen", nil), *s})
		return nil
	}
	w := a.stdout
	if s.Packs == 0 {
		fmt.Fprintf(w, "no knowledge packs in %s\n", diag.Printable(s.Dir))
	} else {
		fmt.Fprintf(w, "%s: %s, %s, %s, %s\n", diag.Printable(s.Dir), amount.Counted(s.Packs, "pack"),
			outdatedText(s.Outdated), amount.Counted(s.Errors, "error"), amount.Counted(s.Warnings, "warning"))
		site := "not built yet"
		if s.Site != "" {
			site = diag.Printable(s.Site)
		}
		fmt.Fprintf(w, "site: %s\n", site)
	}
	fmt.Fprintf(w, "next: %s  %s\n", s.Next, s.Why)
	if !a.quiet {
		fmt.Fprintln(a.stderr, "packgen --help lists the commands")
	}
	return nil
}

func outdatedText(n int) string {
	if n == 0 {
		return "all compiled"
	}
	return amount.Grouped(n) + " to compile"
}
