package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/boot"
)

// OpenRole opens the role that is named, or the one the command was started in.
// Name is how its paths are printed.
func (w *Repo) OpenRole(given string) (role *boot.Role, name string, err error) {
	if given == "" {
		if !boot.IsRole(regularfile.Dir(w.Paths.Start)) {
			return nil, "", w.noRole(errors.New("boot needs a role"), "")
		}
		given = "."
	}
	dir, name := w.Paths.roleDir(given)
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", w.noRole(diag.Absent("role", given, ""), given)
	case err != nil:
		return nil, "", fmt.Errorf("open role: %w", err)
	case !info.IsDir():
		return nil, "", diag.WithHint(fmt.Errorf("%s is not a directory", given), "name a directory with briefs/, skills/ and optionally a boot.yml")
	}
	o := boot.OpenOptions{Name: name, Root: w.bounds, Layout: boot.LayoutOf(regularfile.Dir(dir)), Render: w.roleTexts(nil).render}
	if _, err := os.Stat(filepath.Join(dir, pack.EntryName)); errors.Is(err, fs.ErrNotExist) && !boot.IsRole(regularfile.Dir(dir)) {
		return nil, "", w.noRole(fmt.Errorf("%s is not a role", given), given)
	}
	cfg, err := w.LoadConfig()
	if err != nil {
		return nil, "", err
	}
	if o.AllowRoots, err = w.roleRoots(&cfg); err != nil {
		return nil, "", err
	}
	role, err = boot.Open(dir, o)
	return role, name, err
}

// roleRoots are the directories that links of roles may lead into, absolute: what the user
// allows, and directories of the repository.
func (w *Repo) roleRoots(cfg *Config) ([]string, error) {
	roots, err := w.allowed()
	if err != nil {
		return nil, err
	}
	for _, name := range cfg.Boot.AllowRoots {
		if roots, err = appendDir(w.Paths, roots, "boot.allow_root", name); err != nil {
			return nil, err
		}
	}
	return roots, nil
}

// noRole adds the existing roles to an error about one that does not exist.
func (w *Repo) noRole(err error, given string) error {
	cfg, cfgErr := w.LoadConfig()
	if cfgErr != nil {
		cfg = DefaultConfig()
	}
	known, findErr := w.FindRoles(cfg.Roles)
	named := findErr == nil && len(known) > 0
	if !named {
		known, _ = w.FindRoles([]string{"*", "*/*"})
	}
	if len(known) == 0 {
		return diag.WithHint(err, "name it with --role DIR: a directory with briefs/, skills/ and optionally a boot.yml")
	}
	at := slices.IndexFunc(known, func(dir string) bool { return path.Base(dir) == path.Base(filepath.ToSlash(given)) })
	near := ""
	if at >= 0 {
		near = known[at]
	} else {
		near = nearest.Name(w.Paths.Given(given), known)
	}
	if near != "" {
		return diag.WithHint(err, "did you mean --role %s?", w.Paths.FromStart(near))
	}
	for i := range known {
		known[i] = w.Paths.FromStart(known[i])
	}
	if !named {
		return diag.WithHint(err, "name it with --role DIR, such as --role %s", known[0])
	}
	return diag.WithHint(err, "name one of the roles of %s: %s", ConfigName, strings.Join(known, ", "))
}

// FindRoles lists the role directories that match the patterns, as slash paths
// relative to the repository root, in path order. A pattern without wildcards
// must name a role. Links are followed: roles are linked into place.
func (w *Repo) FindRoles(patterns []string) ([]string, error) {
	var dirs []string
	root := regularfile.Dir(w.Paths.Dir)
	for _, pattern := range patterns {
		found, err := doublestar.Glob(root, strings.TrimSuffix(pattern, "/"), doublestar.WithFailOnIOErrors())
		if err != nil {
			return nil, fmt.Errorf("find roles: %w", err)
		}
		literal := !strings.ContainsAny(pattern, `*?[{\`)
		if literal && len(found) == 0 {
			return nil, diag.Absent("role", pattern, "correct roles: in %s, which names directories in the repository", ConfigName)
		}
		for _, dir := range found {
			switch role, err := isRole(w.Paths, root, dir); {
			case err != nil:
				return nil, fmt.Errorf("find roles: %w", err)
			case role:
				dirs = append(dirs, dir)
			case literal:
				return nil, diag.WithHint(fmt.Errorf("find roles: %s is not a role", dir), "name a directory with briefs/, skills/ or a boot.yml")
			}
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs), nil
}

// isRole reports a directory of a role, or a link that may not be followed: opening it says so.
func isRole(paths Paths, root fs.FS, dir string) (bool, error) {
	if regularfile.CheckRead(paths.Abs(dir)) != nil {
		return true, nil
	}
	sub, err := fs.Sub(root, dir)
	if err != nil {
		return false, err
	}
	return boot.IsRole(sub), nil
}

// Role is a role of the repository.
type Role struct {
	Name string // its directory's name; its whole path where another has that name
	Dir  string // from the repository root
	Pack string // name of the pack that the role is; "" for a role of its own
	Role *boot.Role
}

// OpenRoles opens the roles of the configuration and checks them. The findings
// name their files from the repository root. The caller closes the roles.
func (w *Repo) OpenRoles(ctx context.Context, cfg *Config, packs *Packs) (roles []Role, found []diag.Diagnostic, err error) {
	dirs, err := w.FindRoles(cfg.Roles)
	if err != nil || len(dirs) == 0 {
		return nil, nil, err
	}
	allowed, err := w.roleRoots(cfg)
	if err != nil {
		return nil, nil, err
	}
	texts := w.roleTexts(packs)
	named := map[string]int{}
	for _, dir := range dirs {
		named[path.Base(dir)]++
	}
	for _, dir := range dirs {
		opened, err := w.openRole(dir, allowed, texts)
		if err != nil {
			CloseRoles(roles)
			return nil, nil, err
		}
		r := Role{Name: path.Base(dir), Dir: dir, Role: opened}
		if named[r.Name] > 1 {
			r.Name = dir
		}
		if m := packs.Find("", dir); m != nil {
			r.Pack = m.Name()
		}
		roles = append(roles, r)
		list, err := boot.Check(ctx, opened)
		if err != nil {
			CloseRoles(roles)
			return nil, nil, fmt.Errorf("check role %s: %w", dir, err)
		}
		found = append(found, list...)
	}
	return roles, found, nil
}

func (w *Repo) openRole(dir string, allowed []string, texts *roleTexts) (*boot.Role, error) {
	return boot.Open(w.Paths.Abs(dir), boot.OpenOptions{Name: dir, Root: w.bounds, Layout: boot.LayoutOf(regularfile.Dir(w.Paths.Abs(dir))), AllowRoots: allowed, Render: texts.render})
}

// CheckRole checks the role in a directory with another text of its boot.yml, as an
// editor has it. The findings name their files as those of OpenRoles do.
func (w *Repo) CheckRole(ctx context.Context, cfg *Config, dir string, text []byte) ([]diag.Diagnostic, error) {
	allowed, err := w.roleRoots(cfg)
	if err != nil {
		return nil, err
	}
	role, err := w.openRole(w.Paths.Rel(dir), allowed, w.roleTexts(nil))
	if err != nil {
		return nil, err
	}
	defer role.Close()
	return boot.Check(ctx, role.With(text))
}

// CloseRoles releases the roles.
func CloseRoles(roles []Role) {
	for _, r := range roles {
		r.Role.Close() // only read: an error of Close loses nothing
	}
}
