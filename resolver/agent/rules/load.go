package rules

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	"github.com/packgen/packgen/resolver/repo"
)

// Load is a file that an agent loads in every session.
type Load struct {
	Path   string `json:"path"` // from the repository root
	Tokens int    `json:"tokens_est"`
	Why    string `json:"why"`
}

// importedFrom begins the reason of an imported file.
const importedFrom = "imported by "

// imported reports whether the file loads for an import.
func (l *Load) imported() bool { return strings.HasPrefix(l.Why, importedFrom) }

const (
	// maxImports is how deep imports are followed, as the agent does.
	maxImports = 5
	// maxAbove is how many directories above a project are looked at, and maxRemembered
	// how many lines of a memory an agent loads.
	maxAbove      = 30
	maxRemembered = 200
	// maxLoads is how many files are listed.
	maxLoads = 1_000
)

// AlwaysLoaded lists what an agent loads in every session beside and because of an
// instruction file: the file, what it imports, the files that load with it in a project
// and of a user, rules that no path calls, and the descriptions of skills. Home is the
// home directory, "" for none.
func AlwaysLoaded(w *repo.Repo, file, home string) ([]Load, error) {
	root, err := regularfile.Root(w.Paths.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	l := loads{root: root, dir: w.Paths.Dir, home: home, seen: map[string]bool{}}
	user := l.claudeDir(w.Getenv)
	l.add(file, "the instruction file", 0)
	if readerOf(file) == agents {
		l.skills(skillDirs[1], "~/"+skillDirs[1])
		return l.list, nil
	}
	for _, name := range [...]string{"CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"} {
		l.add(name, "of the project", 0)
	}
	l.above()
	l.add(path.Join(user, "CLAUDE.md"), "of the user", 0)
	l.memory(user)
	for _, dir := range [...]string{DefaultDir, path.Join(user, "rules")} {
		l.rules(dir)
	}
	l.skills(skillDirs[0], path.Join(user, "skills"))
	return l.list, nil
}

type loads struct {
	root      *os.Root
	dir, home string // of the project and of the user
	seen      map[string]bool
	list      []Load
}

// claudeDir is the directory in which Claude Code keeps what is of the user: below ~, or by
// the whole path where CLAUDE_CONFIG_DIR names another one.
func (l *loads) claudeDir(getenv func(string) string) string {
	if dir := hook.ClaudeDir("", getenv); dir != "" && dir != filepath.Join(l.home, ".claude") {
		return filepath.ToSlash(dir)
	}
	return "~/.claude"
}

// read reads a file by its path from the root, from the home directory or by the whole of it.
func (l *loads) read(name string) ([]byte, error) {
	below, isHome := strings.CutPrefix(name, "~/")
	switch {
	case isHome && l.home == "":
		return nil, fs.ErrNotExist
	case isHome:
		return atomicfile.Read(filepath.Join(l.home, filepath.FromSlash(below)), maxFile)
	case filepath.IsAbs(name), strings.HasPrefix(name, "../"):
		if !filepath.IsAbs(name) {
			name = filepath.Join(l.dir, filepath.FromSlash(name))
		}
		return atomicfile.Read(name, maxFile)
	}
	return repo.ReadIn(l.root, name, maxFile)
}

// add adds a file and what it imports. A file that cannot be read loads nothing.
func (l *loads) add(name, why string, depth int) {
	if l.seen[name] || len(l.list) >= maxLoads {
		return
	}
	l.seen[name] = true
	text, err := l.read(name)
	if err != nil {
		return
	}
	l.list = append(l.list, Load{name, token.Estimate(text), why})
	if depth == maxImports {
		return
	}
	for _, at := range importsIn(string(text)) {
		if !path.IsAbs(at) && !strings.HasPrefix(at, "~/") {
			at = path.Join(path.Dir(name), at)
		}
		l.add(at, importedFrom+name, depth+1)
	}
}

// above adds the files of the directories that a project is in.
func (l *loads) above() {
	dir, err := filepath.Abs(l.dir)
	if err != nil {
		return
	}
	for up, at := "../", filepath.Dir(dir); at != dir && len(up) < 3*maxAbove; up, dir, at = up+"../", at, filepath.Dir(at) {
		l.add(up+"CLAUDE.md", "of a directory above", 0)
		l.add(up+"CLAUDE.local.md", "of a directory above", 0)
	}
}

// memory adds the beginning of what the agent remembers of the project in a directory.
func (l *loads) memory(user string) {
	dir, err := filepath.Abs(l.dir)
	if err != nil {
		return
	}
	for _, project := range hook.ProjectNames(dir) {
		name := path.Join(user, "projects", project, "memory/MEMORY.md")
		text, err := l.read(name)
		if err != nil || l.seen[name] {
			continue
		}
		l.seen[name] = true
		lines := strings.SplitAfterN(string(text), "\n", maxRemembered+1)
		l.list = append(l.list, Load{name, token.Estimate(strings.Join(lines[:min(len(lines), maxRemembered)], "")), "the agent's memory of the project"})
	}
}

// below is a directory as a file system; nil when there is none.
func (l *loads) below(dir string) fs.FS {
	if name, isHome := strings.CutPrefix(dir, "~/"); isHome {
		if l.home == "" || filepath.Clean(l.home) == filepath.Clean(l.dir) {
			return nil
		}
		return regularfile.Dir(filepath.Join(l.home, filepath.FromSlash(name)))
	}
	if filepath.IsAbs(dir) {
		return regularfile.Dir(dir)
	}
	sub, err := fs.Sub(regularfile.FS(l.root), dir)
	if err != nil {
		return nil
	}
	return sub
}

// rules adds the rules of a directory that load in every session.
func (l *loads) rules(dir string) {
	files := l.below(dir)
	if files == nil {
		return
	}
	_ = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".md" || len(l.list) >= maxLoads {
			return nil
		}
		name = path.Join(dir, name)
		if text, err := l.read(name); err == nil && headValue(string(text), "paths") == "" {
			l.add(name, "a rule without paths", maxImports)
		}
		return nil
	})
}

// skills adds the names and descriptions of the skills of directories, which an agent
// shows a model in every session.
func (l *loads) skills(dirs ...string) {
	for _, dir := range dirs {
		files := l.below(dir)
		if files == nil {
			continue
		}
		names, _ := fs.Glob(files, "*/"+skillFile)
		sum, n := 0, 0
		for _, name := range names[:min(len(names), maxLoads)] {
			text, err := l.read(path.Join(dir, name))
			if err != nil || headValue(string(text), "disable-model-invocation") == "true" {
				continue
			}
			block, faults := frontmatter.Read(text, frontmatter.Options{Path: name, Required: true})
			if len(faults) > 0 {
				continue
			}
			description, _ := frontmatter.NewMap(name, block.Node, nil).String("description")
			sum += token.Estimate(path.Dir(name) + ": " + description)
			n++
		}
		if n > 0 {
			l.list = append(l.list, Load{dir, sum, "the descriptions of " + amount.Counted(n, "skill")})
		}
	}
}

// headValue is the value of a key of the front matter on its line; "" without the
// key, and "-" for what is on the lines below it.
func headValue(text, key string) string {
	head, found := strings.CutPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "---\n")
	if !found {
		return ""
	}
	for line := range strings.SplitSeq(head, "\n") {
		if line == "---" {
			return ""
		}
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			return cmp.Or(strings.TrimSpace(value), "-")
		}
	}
	return ""
}

// importsIn returns the paths that an instruction file imports: words that begin with
// an @, outside of code.
func importsIn(text string) []string {
	var list []string
	outline := javascript.NewOutline(text)
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if outline.Next(line) == javascript.Inert {
			continue
		}
		for i, span := range strings.Split(line, "`") {
			if i%2 == 1 {
				continue
			}
			for word := range strings.FieldsSeq(span) {
				name, ok := strings.CutPrefix(word, "@")
				name = strings.TrimRight(name, ".,;:)")
				if ok && name != "" && (name[0] != '~' || strings.HasPrefix(name, "~/")) {
					list = append(list, path.Clean(name))
				}
			}
		}
	}
	return list
}

// imports reports whether a section of a file imports a file.
func imports(file, content string, exists func(name string) (dir, ok bool)) bool {
	return slices.ContainsFunc(importsIn(content), func(name string) bool {
		if strings.HasPrefix(name, "~/") {
			return true
		}
		if exists == nil {
			return false
		}
		if !path.IsAbs(name) {
			name = path.Join(path.Dir(file), name)
		}
		dir, ok := exists(name)
		return ok && !dir
	})
}

// onlyImports returns the first Markdown file that a file imports which says nothing
// itself; "" for any other.
func onlyImports(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "@") && !strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "<!--") {
			return ""
		}
	}
	for _, name := range importsIn(text) {
		if path.Ext(name) == ".md" && fs.ValidPath(name) {
			return name
		}
	}
	return ""
}
