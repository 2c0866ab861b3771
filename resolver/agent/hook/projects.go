package hook

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
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

// claudeVariable names the directory in which Claude Code keeps what is of a user.
const claudeVariable = "CLAUDE_CONFIG_DIR"

// ClaudeDir is the directory in which Claude Code keeps the settings, rules and memories of
// a user: the one that CLAUDE_CONFIG_DIR names, otherwise .claude of the home directory.
// It is "" without either.
func ClaudeDir(home string, getenv func(string) string) string {
	if dir := NamedDir(claudeVariable, getenv); dir != "" {
		return dir
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".claude")
}

// NamedDir is the absolute path of the directory that a variable of the environment names;
// "" when it names none.
func NamedDir(variable string, getenv func(string) string) string {
	name := getenv(variable)
	if name == "" {
		return ""
	}
	dir, _ := filepath.Abs(name) // "" with an error
	return dir
}

// gitName is the directory, or the file that names the directory, in which git keeps what it
// knows of a work tree.
const gitName = ".git"

// GitDir returns the directory that .git of a work tree is or leads to, and the one that
// holds the objects of its repository: another one for a linked work tree. Both are "" where
// .git leads to a directory that does not name this tree in turn: anybody can write a file
// .git that leads to the repository of somebody else.
func GitDir(root string) (dir, common string) {
	name := filepath.Join(root, gitName)
	info, err := os.Lstat(name)
	if err != nil {
		return "", ""
	}
	if info.IsDir() {
		if holds(name, "commondir") { // only linked work trees have one, and their .git is a file
			return "", ""
		}
		return name, name
	}
	if info.Mode().IsRegular() {
		text, _ := atomicfile.Read(name, maxConfig)
		to, found := bytes.CutPrefix(text, []byte("gitdir: "))
		if !found {
			return "", ""
		}
		name = from(root, to)
	}
	if dir, err = filepath.EvalSymlinks(name); err != nil {
		return "", ""
	}
	text, err := atomicfile.Read(filepath.Join(dir, "commondir"), maxConfig)
	if err != nil {
		if isSame(workTreeOf(dir), root) {
			return dir, dir
		}
		return "", ""
	}
	// A linked work tree. Its directory lies in the repository: whoever owns that has made it.
	common, err = filepath.EvalSymlinks(from(dir, text))
	if err != nil || filepath.Dir(dir) != filepath.Join(common, "worktrees") {
		return "", ""
	}
	text, _ = atomicfile.Read(filepath.Join(dir, "gitdir"), maxConfig)
	if back := from(dir, text); filepath.Base(back) != gitName || !isSame(filepath.Dir(back), root) {
		return "", ""
	}
	return dir, common
}

// from is the path that a file of git holds, which may start from a directory.
func from(dir string, text []byte) string {
	name := filepath.FromSlash(strings.TrimRight(string(text), " \t\r\n"))
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// isSame reports two paths of one directory.
func isSame(x, y string) bool {
	if x == "" {
		return false
	}
	one, err1 := os.Stat(x)
	two, err2 := os.Stat(y)
	return err1 == nil && err2 == nil && os.SameFile(one, two)
}

// workTreeOf is the work tree that the configuration in a directory of git names, as that of
// a submodule does; "" when it names none.
func workTreeOf(dir string) string {
	for _, name := range []string{"config.worktree", "config"} {
		text, _ := atomicfile.Read(filepath.Join(dir, name), maxConfig)
		if tree := coreWorktree(string(text)); tree != "" {
			return from(dir, []byte(tree))
		}
	}
	return ""
}

// coreWorktree reads core.worktree of a configuration of git; "" where nothing sets it.
func coreWorktree(text string) (tree string) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, opens := strings.CutPrefix(line, "["); opens {
			section, line, _ = strings.Cut(rest, "]")
		}
		key, value, _ := strings.Cut(line, "=")
		if strings.EqualFold(section, "core") && strings.EqualFold(strings.TrimSpace(key), "worktree") {
			tree = gitValue(value)
		}
	}
	return tree
}

// gitValue is a value of a configuration of git without its quotes, escapes and comment.
func gitValue(text string) string {
	var b strings.Builder
	text = strings.TrimSpace(text)
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case !quoted && (c == '#' || c == ';'):
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
