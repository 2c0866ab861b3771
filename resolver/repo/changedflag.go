package repo

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
)

// CheckChanged refuses a path of --changed that lies in none of the packs: each is
// relative to the repository or, where a single pack is compiled, to that pack
// (agent-knowledge section 6.9).
func (w *Repo) CheckChanged(r *Packs, names []string) error {
	for _, name := range names {
		if m, _ := inPack(w.Paths, r, name); m == nil {
			return diag.WithHint(fmt.Errorf("--changed %s: the path is in none of the packs that are compiled", name),
				"name a file such as packs/handbook/documents/guide.md")
		}
	}
	return nil
}

// inPack finds the pack that a path lies in, and the path in it. A file may be gone
// already, so the disk is not asked.
func inPack(paths Paths, r *Packs, name string) (*Member, string) {
	full := paths.Abs(name)
	for _, m := range r.Members {
		rel, err := filepath.Rel(paths.Abs(m.Dir), full)
		if err != nil {
			continue
		}
		if path := filepath.ToSlash(rel); packpath.Check(path) == nil && path != "." {
			return m, path
		}
	}
	path := strings.TrimSuffix(filepath.ToSlash(name), "/")
	if top, _, _ := strings.Cut(path, "/"); len(r.Members) == 1 && packpath.Check(path) == nil {
		switch top {
		case pack.EntryName, "documents", "wiki", "sources", "ontology", "answers":
			return r.Members[0], path
		}
	}
	return nil, ""
}
