package repo

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/regularfile"
)

// attributesName is the file that says what git may change in files.
const attributesName = ".gitattributes"

// attributesLimit is the largest such file in bytes that is read.
const attributesLimit = 1 << 20

// UnsafeLineEnds returns the first of some directories of packs in whose compiled files git
// may change line ends, because no .gitattributes keeps them; "" when there is none, and
// outside of a repository of git.
func (w *Repo) UnsafeLineEnds(dirs []string) string {
	top := regularfile.RealPath(w.Paths.Dir)
	for !Holds(top, ".git") {
		if top == filepath.Dir(top) {
			return ""
		}
		top = filepath.Dir(top)
	}
	read := map[string][]string{}
	for _, dir := range dirs {
		file := filepath.Join(regularfile.RealPath(w.Paths.Abs(dir)), "compiled", "splits", "page", "section.md")
		below, err := filepath.Rel(top, file)
		if err == nil && filepath.IsLocal(below) && !keepsLineEnds(top, filepath.ToSlash(below), read) {
			return dir
		}
	}
	return ""
}

// LineEndsRule is the line of a .gitattributes that keeps the line ends of a pack, and of
// those beside it.
func LineEndsRule(dir string) string {
	if path.Dir(dir) != "." {
		dir = path.Dir(dir)
	}
	return "/" + dir + "/** text=auto eol=lf"
}

// keepsLineEnds reports whether some .gitattributes, in the top directory or in one on the
// way to a file, keeps the line ends of the file. Read holds the lines of those that were
// read, by directory.
func keepsLineEnds(top, file string, read map[string][]string) bool {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		lines, known := read[dir]
		if !known {
			text, _ := atomicfile.Read(filepath.Join(top, filepath.FromSlash(dir), attributesName), attributesLimit)
			lines = strings.Split(string(text), "\n")
			read[dir] = lines
		}
		below := strings.TrimPrefix(file, dir+"/")
		if slices.ContainsFunc(lines, func(line string) bool { return attributesKeep(line, below) }) {
			return true
		}
		if dir == "." {
			return false
		}
	}
}

// attributesKeep reports a line of a .gitattributes that keeps the line ends of a file below
// its directory.
func attributesKeep(line, file string) bool {
	words := strings.Fields(line)
	if len(words) < 2 || strings.HasPrefix(words[0], "#") || !slices.ContainsFunc(words[1:], func(word string) bool {
		return word == "eol=lf" || word == "-text" || word == "binary"
	}) {
		return false
	}
	pattern, name := words[0], file
	if !strings.Contains(pattern, "/") {
		name = path.Base(file)
	}
	ok, err := doublestar.Match(strings.TrimPrefix(pattern, "/"), name)
	return ok && err == nil
}
