package rules

import (
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	"github.com/packgen/packgen/resolver/workspace"
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
	// maxLoads is how many files are listed.
	maxLoads = 1_000
)

// AlwaysLoaded lists what an agent loads in every session because of an instruction
// file: the file, what it imports, and for Claude the rules that name no paths.
func AlwaysLoaded(w *workspace.Workspace, file string) ([]Load, error) {
	root, err := regularfile.Root(w.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	l := loads{root: root, seen: map[string]bool{}}
	l.add(file, "the instruction file", 0)
	if readerOf(file) == claude {
		l.rules()
	}
	return l.list, nil
}

type loads struct {
	root *os.Root
	seen map[string]bool
	list []Load
}

// add adds a file and what it imports. A file that cannot be read loads nothing.
func (l *loads) add(name, why string, depth int) {
	if l.seen[name] || len(l.list) >= maxLoads {
		return
	}
	l.seen[name] = true
	text, err := workspace.ReadIn(l.root, name, maxFile)
	if err != nil {
		return
	}
	l.list = append(l.list, Load{name, token.Estimate(text), why})
	if depth == maxImports {
		return
	}
	for _, at := range importsIn(string(text)) {
		l.add(path.Join(path.Dir(name), at), importedFrom+name, depth+1)
	}
}

// rules adds the files below .claude/rules that name no paths.
func (l *loads) rules() {
	_ = fs.WalkDir(regularfile.FS(l.root), DefaultDir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".md" {
			return nil
		}
		text, err := workspace.ReadIn(l.root, name, maxFile)
		if err == nil && !namesPaths(string(text)) {
			l.add(name, "a rule without paths", maxImports)
		}
		return nil
	})
}

// namesPaths reports whether the front matter of a rule has paths.
func namesPaths(text string) bool {
	head, found := strings.CutPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "---\n")
	if !found {
		return false
	}
	for line := range strings.SplitSeq(head, "\n") {
		if line == "---" {
			return false
		}
		if strings.HasPrefix(line, "paths:") {
			return true
		}
	}
	return false
}

// importsIn returns the paths that an instruction file imports: words that begin with
// an @, outside of code. Those of a home directory or elsewhere are left out.
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
				if ok && name != "" && !strings.HasPrefix(name, "~") && !path.IsAbs(name) {
					list = append(list, path.Clean(name))
				}
			}
		}
	}
	return list
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
