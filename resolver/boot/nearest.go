package boot

import (
	"path"
	"strings"
)

// maxNearestWork bounds, in cells of the distance table, what all hints of one
// boot may cost. Later hints are left out, not the findings.
const maxNearestWork = 8 << 20

// nearestWord returns the known word that a misspelled one was most likely
// meant to be, or "".
func nearestWord(word string, known []string) string {
	work := maxNearestWork
	return nearest(word, known, max(2, min(len(word)/3, 8)), &work)
}

// nearest returns the candidate with the smallest edit distance to text, case
// aside, if that is at most limit; the first of equals. It takes from *work what
// the search costs and gives up when that is spent.
func nearest(text string, candidates []string, limit int, work *int) string {
	if text == "" {
		return ""
	}
	text = strings.ToLower(text)
	best := ""
	for _, c := range candidates {
		if *work <= 0 {
			break
		}
		if d := distance(text, strings.ToLower(c), limit, work); d <= limit {
			best, limit = c, d-1
		}
		if limit < 0 {
			break
		}
	}
	return best
}

// distance returns the edit distance of two texts in bytes, or limit+1 when it
// is larger. Only the cells within limit of the diagonal are computed.
func distance(a, b string, limit int, work *int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	above, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = min(j, limit+1)
	}
	for i := 1; i <= len(a); i++ {
		low, high := max(1, i-limit), min(len(b), i+limit)
		if low > 1 {
			row[low-1] = limit + 1
		} else {
			row[0] = min(i, limit+1)
		}
		smallest := row[low-1]
		for j := low; j <= high; j++ {
			d := above[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			row[j] = min(d, row[j-1]+1, above[j]+1, limit+1)
			smallest = min(smallest, row[j])
		}
		if high < len(b) {
			row[high+1] = limit + 1
		}
		*work -= high - low + 2
		if smallest > limit {
			return limit + 1
		}
		above, row = row, above
	}
	return above[len(b)]
}

// neighbours are the paths of one type of item, for hints about globs that match
// none of them.
type neighbours struct {
	prefix string              // see glob.NewMatcher
	paths  []string            // below the base, sorted by bytes
	dirs   map[string]struct{} // folders above the paths, made for the first hint
}

// hint says why a glob may match nothing: the nearest path for a name, the
// deepest folder that exists for a pattern.
func (n *neighbours) hint(text string, work *int) (near, hint string) {
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
			near = nearest(glob, n.paths, max(2, min(len(glob)/6, 16)), work)
		}
		if near != "" {
			return near, "the nearest path is " + show(near)
		}
	}
	dir := glob
	for dir != "." && dir != "/" && dir != "" {
		if dir = path.Dir(dir); n.isFolder(dir) {
			return dir, "the nearest folder is " + show(dir)
		}
	}
	return "", ""
}

// isFolder reports whether a path names a folder above some iten.
func (n *neighbours) isFolder(name string) bool {
	if n.dirs == nil {
		n.dirs = map[string]struct{}{}
		for _, p := range n.paths {
			for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
				if _, known := n.dirs[dir]; known {
					break
				}
				n.dirs[dir] = struct{}{}
			}
		}
	}
	_, is := n.dirs[name]
	return is
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
