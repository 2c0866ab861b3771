package main

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/resolver/boot"
)

// findRoles lists the role directories that match the patterns, as slash paths
// relative to the repository root, in path order. A pattern without wildcards
// must name a role. Links are followed: roles are linked into place.
func (a *app) findRoles(patterns []string) ([]string, error) {
	var dirs []string
	root := os.DirFS(a.dir)
	for _, pattern := range patterns {
		found, err := doublestar.Glob(root, strings.TrimSuffix(pattern, "/"), doublestar.WithFailOnIOErrors())
		if err != nil {
			return nil, fmt.Errorf("find roles: %w", err)
		}
		literal := !strings.ContainsAny(pattern, `*?[{\`)
		if literal && len(found) == 0 {
			return nil, withHint(fmt.Errorf("find roles: %s does not exist", pattern), "roles: in %s names directories below the repository root.", configName)
		}
		for _, dir := range found {
			switch role, err := isRole(root, dir); {
			case err != nil:
				return nil, fmt.Errorf("find roles: %w", err)
			case role:
				dirs = append(dirs, dir)
			case literal:
				return nil, withHint(fmt.Errorf("find roles: %s is not a role", dir), "A role has briefs/, skills/ or a boot.yml.")
			}
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs), nil
}

func isRole(root fs.FS, dir string) (bool, error) {
	sub, err := fs.Sub(root, dir)
	if err != nil {
		return false, err
	}
	return boot.IsRole(sub), nil
}
