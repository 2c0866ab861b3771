package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/repo"
)

// writeOutput writes the report to the file of --out. A relative path stays below the
// repository root (agent-knowledge section 18.1); an absolute path is taken as the caller's
// consent. It overwrites only an earlier report, and never writes into packs, .git or
// packgen's own directories.
func (r *checkReport) writeOutput() error {
	name := r.f.out
	target := r.Paths.Abs(name)
	if !filepath.IsAbs(name) && !filepath.IsLocal(name) {
		return diag.WithHint(fmt.Errorf("--out %s leads out of %s", name, r.Paths.Dir), "name a file below it, or give an absolute path")
	}
	for _, dir := range r.Dirs {
		rel, err := filepath.Rel(r.Paths.Abs(dir), target)
		if err == nil && filepath.IsLocal(rel) && !strings.HasPrefix(filepath.ToSlash(rel), "runs/") {
			return diag.WithHint(fmt.Errorf("--out %s lies in a pack", name), "name a file in runs/ of the pack")
		}
	}
	if err := check.MayReport(&r.Repo, name, target); err != nil {
		return err
	}
	text, err := r.inFormat(r.f.format)
	if err != nil {
		return err
	}
	if r.f.dryRun {
		to := r.stdout
		if r.json {
			to = r.stderr // standard output holds the envelope
		}
		fmt.Fprintf(to, "would write %s\n", diag.Printable(name))
		return nil
	}
	dir, base := filepath.Split(target)
	if filepath.IsAbs(name) {
		err = atomicfile.WriteBelow(dir, base, text, false)
	} else {
		err = atomicfile.WriteBelow(r.Paths.Dir, filepath.ToSlash(filepath.Clean(name)), text, false)
	}
	if err != nil {
		return repo.ExplainWrite(fmt.Errorf("write %s: %w", name, err))
	}
	return nil
}
