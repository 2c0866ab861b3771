package hook

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
)

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
