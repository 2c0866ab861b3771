package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/packpath"
)

// changedPaths sorts the paths of --changed by pack: each is relative to the
// repository or, where a single pack is compiled, to that pack. A path outside of
// the packs is wrong use (agent-knowledge section 6.9). Without the flag there is
// nothing to sort.
func (a *app) changedPaths(r *repository, names []string) (map[string][]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	sorted := map[string][]string{}
	for _, name := range names {
		m, path := a.inPack(r, name)
		if m == nil {
			return nil, withHint(fmt.Errorf("--changed %s: the path is in none of the packs that are compiled", name),
				"Name a file such as packs/handbook/documents/guide.md.")
		}
		sorted[m.dir] = append(sorted[m.dir], path)
	}
	return sorted, nil
}

// inPack finds the pack that a path lies in, and the path in it. A file may be gone
// already, so the disk is not asked.
func (a *app) inPack(r *repository, name string) (*member, string) {
	full := a.path(name)
	for _, m := range r.members {
		rel, err := filepath.Rel(a.path(m.dir), full)
		if err != nil {
			continue
		}
		if path := filepath.ToSlash(rel); packpath.Check(path) == nil && path != "." {
			return m, path
		}
	}
	path := strings.TrimSuffix(filepath.ToSlash(name), "/")
	if top, _, _ := strings.Cut(path, "/"); len(r.members) == 1 && packpath.Check(path) == nil {
		switch top {
		case "KNOWLEDGE.md", "documents", "wiki", "sources", "ontology", "answers":
			return r.members[0], path
		}
	}
	return nil, ""
}
