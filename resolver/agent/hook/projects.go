package hook

import (
	"path/filepath"
	"slices"
	"strings"
)

// projects distinguishes memories of the project that a prompt is about from memories of
// other projects: agents keep them in a directory named after the path of the project.
type projects struct {
	dirs []string // in which those directories are, each with a separator at its end
	cwd  string
	own  []string // names of directories; nil until somebody asks
}

// newProjects looks where the agent keeps memories, and where it did without
// CLAUDE_CONFIG_DIR: an index may still name what is there.
func newProjects(home string, getenv func(string) string, cwd string) *projects {
	p := &projects{cwd: cwd}
	for _, dir := range []string{ClaudeDir(home, getenv), filepath.Join(home, ".claude")} {
		p.dirs = append(p.dirs, filepath.Join(dir, "projects")+string(filepath.Separator))
	}
	return p
}

// isOther reports the path of a memory of another project. Without a directory for the
// prompt no project is another one.
func (p *projects) isOther(path string) bool {
	if p == nil || p.cwd == "" {
		return false
	}
	for _, dir := range p.dirs {
		rest, below := strings.CutPrefix(filepath.Clean(path), dir)
		if !below {
			continue
		}
		name, _, _ := strings.Cut(filepath.ToSlash(rest), "/")
		if p.own == nil {
			p.own = ProjectNames(p.cwd)
		}
		return !slices.Contains(p.own, name)
	}
	return false
}

// ProjectNames are the names that agents give to the project of a directory: that of the
// directory and that of the repository it is in.
func ProjectNames(cwd string) []string {
	dirs := []string{cwd}
	if real, err := filepath.EvalSymlinks(cwd); err == nil && real != cwd {
		dirs = append(dirs, real)
	}
	var names []string
	for _, dir := range dirs {
		names = append(names, projectName(dir))
		if root := gitRoot(dir); root != "" {
			names = append(names, projectName(root))
		}
	}
	return names
}

// projectName is a path with a hyphen for each character but letters and digits of ASCII.
func projectName(dir string) string {
	var b strings.Builder
	for _, r := range dir {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case r > 0xFFFF:
			b.WriteString("--") // two units of UTF-16
		default:
			b.WriteByte('-')
		}
	}
	return b.String()
}

// gitRoot is the root of the repository that a directory is in; of a linked work tree that of
// the main one, with which it shares its memories; "" outside of any. A .git that leads into
// a repository which does not know the directory leads nowhere.
func gitRoot(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if holds(dir, gitName) {
			own, common := GitDir(dir)
			if own != common && filepath.Base(common) == gitName && !isBelow(common, dir) {
				return filepath.Dir(common)
			}
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// isBelow reports a path below a directory. A main work tree that is a part of the linked one
// came with it.
func isBelow(name, dir string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}
