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
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/boot"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/context/escape"
)

// OpenRole opens the role that is named, or the one the command was started in.
// Name is how its paths are printed.
func OpenRole(w *Repo, given string) (role *boot.Role, name string, err error) {
	if given == "" {
		if !boot.IsRole(regularfile.Dir(w.Paths.Start)) {
			return nil, "", noRole(w, errors.New("boot needs a role"), "")
		}
		given = "."
	}
	dir, name := w.Paths.roleDir(given)
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", noRole(w, diag.Absent("role", given, ""), given)
	case err != nil:
		return nil, "", fmt.Errorf("open role: %w", err)
	case !info.IsDir():
		return nil, "", diag.WithHint(fmt.Errorf("%s is not a directory", given), "name a directory with briefs/, skills/ and optionally a boot.yml")
	}
	o := boot.OpenOptions{Name: name, Root: w.bounds, Layout: boot.LayoutOf(regularfile.Dir(dir)), Render: newRoleTexts(w.Paths, nil).render}
	if _, err := os.Stat(filepath.Join(dir, pack.EntryName)); errors.Is(err, fs.ErrNotExist) && !boot.IsRole(regularfile.Dir(dir)) {
		return nil, "", noRole(w, fmt.Errorf("%s is not a role", given), given)
	}
	if o.AllowRoots, err = roleRoots(w); err != nil {
		return nil, "", err
	}
	role, err = boot.Open(dir, o)
	return role, name, err
}

// roleRoots are the directories that links of roles may lead into, absolute: what the user
// allows, and directories of the repository.
func roleRoots(w *Repo) ([]string, error) {
	roots, err := allowedBy(w)
	if err != nil {
		return nil, err
	}
	for _, name := range w.Config.Boot.AllowRoots {
		if roots, err = appendDir(w.Paths, roots, "boot.allow_root", name); err != nil {
			return nil, err
		}
	}
	return roots, nil
}

// noRole adds the existing roles to an error about one that does not exist.
func noRole(w *Repo, err error, given string) error {
	known, findErr := FindRoles(w.Paths, w.Config.Roles)
	named := findErr == nil && len(known) > 0
	if !named {
		known, _ = FindRoles(w.Paths, []string{"*", "*/*"})
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
func FindRoles(paths Paths, patterns []string) ([]string, error) {
	var dirs []string
	root := regularfile.Dir(paths.Dir)
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
			switch role, err := isRole(paths, root, dir); {
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
func OpenRoles(ctx context.Context, w *Repo, packs *Packs) (roles []Role, found []diag.Diagnostic, err error) {
	dirs, err := FindRoles(w.Paths, w.Config.Roles)
	if err != nil || len(dirs) == 0 {
		return nil, nil, err
	}
	allowed, err := roleRoots(w)
	if err != nil {
		return nil, nil, err
	}
	texts := newRoleTexts(w.Paths, packs)
	named := map[string]int{}
	for _, dir := range dirs {
		named[path.Base(dir)]++
	}
	for _, dir := range dirs {
		opened, err := openRole(w, dir, allowed, texts)
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

func openRole(w *Repo, dir string, allowed []string, texts *roleTexts) (*boot.Role, error) {
	return boot.Open(w.Paths.Abs(dir), boot.OpenOptions{Name: dir, Root: w.bounds, Layout: boot.LayoutOf(regularfile.Dir(w.Paths.Abs(dir))), AllowRoots: allowed, Render: texts.render})
}

// CheckRole checks the role in a directory with another text of its boot.yml, as an
// editor has it. The findings name their files as those of OpenRoles do.
func CheckRole(ctx context.Context, w *Repo, dir string, text []byte) ([]diag.Diagnostic, error) {
	allowed, err := roleRoots(w)
	if err != nil {
		return nil, err
	}
	role, err := openRole(w, w.Paths.Rel(dir), allowed, newRoleTexts(w.Paths, nil))
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

// roleTexts makes the texts of packs fit for an agent that boots a role: one that is a pack,
// or links into one.
type roleTexts struct {
	paths Paths
	packs *Packs // with the results of this run; nil: packs are read as they are on disk

	lock  sync.Mutex
	known map[string]*resolver.Renderer // by the directory of the pack; nil for one that cannot be read
	dirs  map[string]bool               // directories that were looked at, and whether they are of packs
}

func newRoleTexts(paths Paths, packs *Packs) *roleTexts {
	return &roleTexts{paths: paths, packs: packs, known: map[string]*resolver.Renderer{}, dirs: map[string]bool{}}
}

// render returns the text of a file as an agent is to read it. What is in no pack is the
// words of whoever made the role, and stays as it is, except for what no reader of a brief sees.
func (t *roleTexts) render(file string, text []byte) []byte {
	t.lock.Lock()
	defer t.lock.Unlock()
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		r, known := t.known[dir]
		if !known {
			r = t.open(dir)
			if r != nil || t.packs == nil {
				t.known[dir] = r
			}
		}
		if r != nil {
			return renderWith(r, dir, file, text)
		}
		is, asked := t.dirs[dir]
		if !asked {
			is = isPack(dir)
			t.dirs[dir] = is
		}
		if is { // one that cannot be opened says nothing of its claims
			return []byte(escape.Text(string(text)))
		}
		if dir == filepath.Dir(dir) {
			if name := strings.TrimSuffix(file, ".min"); filepath.Ext(name) == ".md" {
				return markdown.Visible(filepath.Base(name), text)
			}
			return text
		}
	}
}

// renderWith renders a file of a pack.
func renderWith(r *resolver.Renderer, dir, file string, text []byte) []byte {
	rel, err := filepath.Rel(dir, file)
	if err != nil {
		return []byte(escape.Text(string(text)))
	}
	name := filepath.ToSlash(rel)
	switch top, _, _ := strings.Cut(name, "/"); top {
	case "documents", "wiki", "compiled", pack.EntryName:
		return r.Text(strings.TrimSuffix(name, ".min"), text)
	}
	return []byte(escape.Text(string(text))) // a skill is what its author says to an agent, but hides nothing either
}

// isPack reports a directory with the entry of a pack.
func isPack(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, pack.EntryName))
	return err == nil
}

// open returns the renderer of the pack in a directory; nil where there is no pack.
func (t *roleTexts) open(dir string) *resolver.Renderer {
	if t.packs != nil {
		for _, m := range t.packs.Members {
			if m.Pack != nil && m.Last() != nil && t.paths.Abs(m.Dir) == dir {
				return resolver.NewRenderer(m.Pack, m.Doubts())
			}
		}
		return nil
	}
	if !isPack(dir) {
		return nil
	}
	r, err := resolver.OpenRenderer(regularfile.Dir(dir), dir)
	if err != nil {
		return nil
	}
	return r
}

// bootFile makes a pack a role.
const bootFile = "boot.yml"

// AddAlways gives each pack that carries a boot.yml the documents and pages that it
// says whatever the task, and returns what is wrong with those files, sorted.
func AddAlways(ctx context.Context, packs []resolver.Pack) ([]diag.Diagnostic, error) {
	var found []diag.Diagnostic
	for i := range packs {
		p := &packs[i]
		if p.Unapproved {
			continue // nothing of it is used
		}
		if _, err := fs.Stat(p.FS, bootFile); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		role, err := boot.OpenFS(p.FS, boot.OpenOptions{Name: p.Dir, Layout: boot.PackLayout()})
		if err != nil {
			return nil, fmt.Errorf("boot %s: %w", p.Dir, err)
		}
		loaded, result, err := role.Always(ctx, nil)
		if err != nil {
			return nil, fmt.Errorf("boot %s: %w", p.Dir, err)
		}
		found = append(found, result.Diagnostics...)
		for _, name := range loaded {
			if strings.HasPrefix(name, "documents/") || strings.HasPrefix(name, "wiki/") {
				p.Always = append(p.Always, name)
			}
		}
	}
	diag.Sort(found)
	return found, nil
}
