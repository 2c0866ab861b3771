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
// other projects: agents keep them below the home directory, in a directory named after
// the path of the project.
type projects struct {
	dir string // with a separator at its end
	cwd string
	own []string // names of directories; nil until somebody asks
}

// isOther reports the path of a memory of another project. Without a directory for the
// prompt no project is another one.
func (p *projects) isOther(path string) bool {
	if p == nil || p.cwd == "" {
		return false
	}
	rest, below := strings.CutPrefix(path, p.dir)
	if !below {
		return false
	}
	name, _, _ := strings.Cut(filepath.ToSlash(rest), "/")
	if p.own == nil {
		p.own = ProjectNames(p.cwd)
	}
	return !slices.Contains(p.own, name)
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

// gitRoot is the root of the repository that a directory is in; of a work tree that of the
// main one, with which it shares its memories; "" outside of any.
func gitRoot(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, ".git")
		switch info, err := os.Lstat(name); {
		case err != nil:
		case info.Mode().IsRegular():
			text, _ := atomicfile.Read(name, maxConfig)
			to, _ := bytes.CutPrefix(bytes.TrimSpace(text), []byte("gitdir: "))
			if root, _, ok := strings.Cut(filepath.ToSlash(string(to)), "/.git/worktrees/"); ok {
				return filepath.FromSlash(root)
			}
			return dir
		default:
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
