package boot

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/nearest"
)

// maxNearestWork bounds, in cells of the distance table, what all hints of one
// boot may cost. Later hints are left out, not the findings.
const maxNearestWork = 8 << 20

// nearestWord returns the known word that a misspelled one was most likely
// meant to be, or "".
func nearestWord(word string, known []string) string {
	work := nearest.Budget(maxNearestWork)
	return nearestFold(word, known, max(2, min(len(word)/3, 8)), &work)
}

// nearestFold returns the candidate nearest to a text, ignoring case, within a limit
// of edits; "" when none is.
func nearestFold(text string, candidates []string, limit int, work *nearest.Budget) string {
	folded := make([]string, len(candidates))
	for i, c := range candidates {
		folded[i] = strings.ToLower(c)
	}
	near := work.Within(strings.ToLower(text), folded, limit)
	if i := slices.Index(folded, near); near != "" && i >= 0 {
		return candidates[i]
	}
	return ""
}

// neighbours are the paths of one type of item, for hints about globs that match
// none of them.
type neighbours struct {
	prefix string          // see glob.NewMatcher
	paths  []string        // below the base, sorted by bytes
	dirs   map[string]bool // folders above the paths, made for the first hint
}

// hint says why a glob may match nothing: the nearest path for a name, the
// deepest folder that exists for a pattern.
func (n *neighbours) hint(text string, work *nearest.Budget) (near, hint string) {
	if len(n.paths) == 0 {
		return "", "this role has no files of that type"
	}
	glob := strings.TrimPrefix(text, "./")
	if n.prefix != "" {
		glob = strings.TrimPrefix(glob, n.prefix)
	}
	if folder := strings.TrimRight(glob, "/"); n.isFolder(folder) {
		return folder, "it names a folder; write " + show(folder) + "/** for the files below it"
	}
	if !strings.ContainsAny(glob, "*?{") {
		if near = n.sameName(path.Base(glob)); near == "" {
			near = nearestFold(glob, n.paths, max(2, min(len(glob)/6, 16)), work)
		}
		if near != "" {
			return near, "did you mean " + show(near) + "?"
		}
	}
	if near = n.nearFolder(glob, work); near != "" {
		return near, "did you mean the folder " + show(near) + "?"
	}
	dir := glob
	for dir != "." && dir != "/" && dir != "" {
		if dir = path.Dir(dir); n.isFolder(dir) {
			return dir, "look in " + show(dir) + ", the nearest folder"
		}
	}
	return "", ""
}

// nearFolder returns the folder most like the one that a glob names before its first
// wildcard; "" when that exists, or none is like it.
func (n *neighbours) nearFolder(glob string, work *nearest.Budget) string {
	if i := strings.IndexAny(glob, "*?{"); i >= 0 {
		glob = glob[:i]
	}
	folder := path.Dir(glob + "x")
	if folder == "." || n.isFolder(folder) {
		return ""
	}
	dirs := slices.Sorted(maps.Keys(n.dirs))
	return nearestFold(folder, dirs, max(2, min(len(folder)/6, 16)), work)
}

// isFolder reports whether a path names a folder above some iten.
func (n *neighbours) isFolder(name string) bool {
	if n.dirs == nil {
		n.dirs = map[string]bool{}
		for _, p := range n.paths {
			for dir := path.Dir(p); dir != "." && !n.dirs[dir]; dir = path.Dir(dir) {
				n.dirs[dir] = true
			}
		}
	}
	return n.dirs[name]
}

// sameName returns the path with that file name, if there is just one.
func (n *neighbours) sameName(name string) string {
	found := ""
	for _, p := range n.paths {
		if p[strings.LastIndexByte(p, '/')+1:] == name {
			if found != "" {
				return ""
			}
			found = p
		}
	}
	return found
}
