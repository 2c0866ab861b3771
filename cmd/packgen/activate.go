package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/repo"
)

func newActivate(a *app) *cobra.Command {
	var c consent
	cmd := &cobra.Command{
		Use:   "activate PACK",
		Short: "Print a pack's guide with the list of what it holds, fenced as data",
		Long: `activate prints the guide of one pack, its root, and its files by kind: runtime
(compiled views), primary (documents or pages) and evidence (sources). The files
are listed, not loaded; packgen resolve loads what a query needs.

A pack is named by its name or its directory.`,
		Example: "  packgen activate handbook",
		Args:    needsArguments(1, "one pack", "try packgen activate handbook"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runActivate(cmd.Context(), c, args[0]) },
	}
	c.add(cmd.Flags())
	return cmd
}

func (a *app) runActivate(ctx context.Context, c consent, name string) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := a.Load(); err != nil {
		return err
	}
	l := repo.NewLibrary(&a.Repo)
	defer l.Close()
	packs, err := l.Packs(ctx, []string{name})
	if err != nil {
		return err
	}
	guide, err := resolver.Guide(ctx, packs[0], "", "", resolver.Request{Allow: statuses(c.allow), Confirm: statuses(c.confirm), AllowUntrusted: c.untrusted})
	var refused *resolver.RefusedError
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	switch {
	case a.json:
		a.printGuideJSON(l.NameOf(packs[0].Dir), guide, refused)
	case refused != nil:
		for _, w := range refused.Warnings {
			fmt.Fprintf(a.stderr, "%s: %s: %s\n", diag.Printable(packs[0].Dir+"/"+w.Path), w.Severity, diag.Printable(w.Message))
		}
	default:
		if err := a.printText(guide); err != nil {
			return err
		}
	}
	if refused != nil {
		return errFindings
	}
	return nil
}

func (a *app) printGuideJSON(name, guide string, refused *resolver.RefusedError) {
	e := struct {
		envelope
		Guide string `json:"guide,omitempty"`
	}{envelope{OK: refused == nil, Status: schema.Passed, Command: "activate", Pack: name, Findings: []finding{}}, guide}
	if refused != nil {
		e.Status = schema.Failed
		for _, w := range refused.Warnings {
			e.Findings = append(e.Findings, finding{Severity: w.Severity, Path: w.Path, Message: w.Message, Pack: name})
		}
	}
	a.printJSON(e)
}
