package repo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// State is what packgen alone says about a repository.
type State struct {
	Dir      string `json:"dir"`
	Packs    int    `json:"packs"`
	Outdated int    `json:"outdated"` // packs whose compiled files are not what a compile would write
	Errors   int    `json:"errors"`
	Warnings int    `json:"warnings"`
	Site     string `json:"site,omitempty"` // where the site is; "" when there is none
	Next     string `json:"next"`           // the command to run next
	Why      string `json:"why"`            // what it is for
}

// Look finds out how the repository is. It writes nothing.
func Look(ctx context.Context, w *Repo) (*State, error) {
	s := &State{Dir: w.Paths.Dir}
	dirs, faults, err := pack.Find(w.Paths.Dir, w.Config.Packs)
	if err != nil {
		return nil, fmt.Errorf("find packs: %w", err)
	}
	if len(dirs) == 0 && diag.Count(faults, diag.Error) == 0 {
		s.Next, s.Why = "packgen init", "makes a repository here, with one pack to rewrite"
		if Holds(w.Paths.Dir, ConfigName) {
			s.Next, s.Why = "packgen init --name NAME", "adds a pack to rewrite"
		}
		return s, nil
	}
	if err := countPacks(ctx, w, s); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(w.Paths.Abs(w.Config.Out), schema.SiteManifestName)); err == nil {
		s.Site = w.Paths.Rel(w.Paths.Abs(w.Config.Out))
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
func countPacks(ctx context.Context, w *Repo, s *State) error {
	r, err := w.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	r.DropArchived()
	now, err := RunTime(w.Getenv)
	if err != nil {
		return err
	}
	o := CompileOptions{Each: compiler.Options{DryRun: true, Now: now}, Disk: OpenStore(w.Paths, StoreOptions{DryRun: true})}
	defer o.Disk.Close()
	if w.Config.Overlay != "" {
		o.Overlay = w.Paths.Abs(w.Config.Overlay)
	}
	if err := r.Compile(ctx, o); err != nil {
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
