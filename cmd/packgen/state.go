package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/workspace"
)

// repositoryState is what packgen alone says about a repository.
type repositoryState struct {
	Dir      string `json:"dir"`
	Packs    int    `json:"packs"`
	Outdated int    `json:"outdated"` // packs whose compiled files are not what a compile would write
	Errors   int    `json:"errors"`
	Warnings int    `json:"warnings"`
	Site     string `json:"site,omitempty"` // where the site is; "" when there is none
	Next     string `json:"next"`           // the command to run next
	Why      string `json:"why"`            // what it is for
}

// runState says how the repository is, and what to do next.
func (a *app) runState(ctx context.Context) error {
	s, err := lookAround(ctx, &a.Workspace)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(struct {
			envelope
			repositoryState
		}{envelope{OK: true, Status: "passed", Command: "packgen", Findings: []finding{}}, *s})
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

// lookAround finds out how the repository is. It writes nothing.
func lookAround(ctx context.Context, w *workspace.Workspace) (*repositoryState, error) {
	cfg, err := w.LoadConfig()
	if err != nil {
		return nil, err
	}
	s := &repositoryState{Dir: w.Dir}
	dirs, faults, err := pack.Find(w.Dir, cfg.Packs)
	if err != nil {
		return nil, fmt.Errorf("find packs: %w", err)
	}
	if len(dirs) == 0 && diag.Count(faults, diag.Error) == 0 {
		s.Next, s.Why = "packgen init", "makes a repository here, with one pack to rewrite"
		if workspace.Holds(w.Dir, workspace.ConfigName) {
			s.Next, s.Why = "packgen init --name NAME", "adds a pack to rewrite"
		}
		return s, nil
	}
	if err := countPacks(ctx, w, cfg, s); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(w.Path(cfg.Out), schema.SiteManifestName)); err == nil {
		s.Site = w.Rel(w.Path(cfg.Out))
	}
	switch {
	case s.Errors > 0:
		s.Next, s.Why = "packgen check", "shows what is wrong"
	case s.Outdated > 0 || s.Site == "":
		s.Next, s.Why = "packgen build", "compiles the packs and writes the site"
	case s.Warnings > 0:
		s.Next, s.Why = "packgen check", "shows what could be better"
	default:
		s.Next, s.Why = "packgen serve", "shows the site while you write"
	}
	return s, nil
}

// countPacks compiles the packs in memory and counts what is wrong and outdated.
func countPacks(ctx context.Context, w *workspace.Workspace, cfg workspace.Config, s *repositoryState) error {
	r, err := w.Open(cfg.Packs)
	if err != nil {
		return err
	}
	defer r.Close()
	r.DropArchived()
	now, err := workspace.RunTime(w.Getenv)
	if err != nil {
		return err
	}
	o := workspace.CompileOptions{DryRun: true, Trigger: "manual", Now: now, Disk: w.OpenStore(workspace.StoreOptions{DryRun: true})}
	defer o.Disk.Close()
	if cfg.Overlay != "" {
		o.Overlay = w.Path(cfg.Overlay)
	}
	if err := w.Compile(ctx, r, o); err != nil {
		return err
	}
	found := r.Findings()
	s.Packs, s.Errors, s.Warnings = len(r.Members), diag.Count(found, diag.Error), diag.Count(found, diag.Warning)
	for _, m := range r.Members {
		if m.Result == nil || m.Result.RunPath != "" {
			s.Outdated++ // a compile would leave a record: something is to be written
		}
	}
	return nil
}
