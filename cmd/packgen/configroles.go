package main

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regular"
	"github.com/packgen/packgen/resolver/boot"
)

// findRoles lists the role directories that match the patterns, as slash paths
// relative to the repository root, in path order. A pattern without wildcards
// must name a role. Links are followed: roles are linked into place.
func (w *workspace) findRoles(patterns []string) ([]string, error) {
	var dirs []string
	root := regular.Dir(w.dir)
	for _, pattern := range patterns {
		found, err := doublestar.Glob(root, strings.TrimSuffix(pattern, "/"), doublestar.WithFailOnIOErrors())
		if err != nil {
			return nil, fmt.Errorf("find roles: %w", err)
		}
		literal := !strings.ContainsAny(pattern, `*?[{\`)
		if literal && len(found) == 0 {
			return nil, diag.WithHint(fmt.Errorf("find roles: %s does not exist", pattern), "roles: in %s names directories below the repository root.", configName)
		}
		for _, dir := range found {
			switch role, err := isRole(root, dir); {
			case err != nil:
				return nil, fmt.Errorf("find roles: %w", err)
			case role:
				dirs = append(dirs, dir)
			case literal:
				return nil, diag.WithHint(fmt.Errorf("find roles: %s is not a role", dir), "A role has briefs/, skills/ or a boot.yml.")
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

// role is a role of the repository.
type role struct {
	Name string // its directory's name; its whole path where another has that name
	Dir  string // from the repository root
	Pack string // name of the pack that the role is; "" for a role of its own
	Role *boot.Role
}

// openRoles opens the roles of the configuration and checks them. The findings
// name their files from the repository root. The caller closes the roles.
func (w *workspace) openRoles(ctx context.Context, cfg *Config, packs *repository) (roles []role, found []diag.Diagnostic, err error) {
	dirs, err := w.findRoles(cfg.Roles)
	if err != nil || len(dirs) == 0 {
		return nil, nil, err
	}
	allowed, err := w.allowedRoots("boot.allow_root", cfg.Boot.AllowRoots)
	if err != nil {
		return nil, nil, err
	}
	named := map[string]int{}
	for _, dir := range dirs {
		named[path.Base(dir)]++
	}
	for _, dir := range dirs {
		opened, err := boot.Open(w.path(dir), boot.OpenOptions{Name: dir, Root: w.bounds, Layout: boot.LayoutOf(regular.Dir(w.path(dir))), AllowRoots: allowed})
		if err != nil {
			closeRoles(roles)
			return nil, nil, err
		}
		r := role{Name: path.Base(dir), Dir: dir, Role: opened}
		if named[r.Name] > 1 {
			r.Name = dir
		}
		if m := packs.find("", dir); m != nil {
			r.Pack = m.name()
		}
		roles = append(roles, r)
		list, err := boot.Check(ctx, opened)
		if err != nil {
			closeRoles(roles)
			return nil, nil, fmt.Errorf("check role %s: %w", dir, err)
		}
		found = append(found, list...)
	}
	return roles, found, nil
}

// closeRoles releases the roles.
func closeRoles(roles []role) {
	for _, r := range roles {
		r.Role.Close() // reading is over: there is nothing to lose
	}
}
