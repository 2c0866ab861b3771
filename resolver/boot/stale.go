package boot

import (
	"cmp"
	"fmt"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
)

// StaleGlob is a glob that matches nothing.
type StaleGlob struct {
	Section string `json:"section"` // kind of the section
	List    string `json:"list"`    // such as "briefs.say"
	Glob    string `json:"glob"`
	Line    int    `json:"line"`              // 1-based, in boot.yml
	Column  int    `json:"column"`            // 1-based, in bytes
	Nearest string `json:"nearest,omitempty"` // the path or folder that may have been meant, below the base of the glob
	Hint    string `json:"hint,omitempty"`
}

// maxStaleReported is how many stale globs become diagnostics of their own.
const maxStaleReported = 100

// staleGlobs finds the globs of the whole file that match nothing and warns of
// each (boot.yml section 11). A boot.yml outlives the files it names, and a
// stale line is silent otherwise.
func (s *session) staleGlobs(res *Result) {
	work := nearest.Budget(maxNearestWork)
	for g := range s.planner.cfg.globs() {
		s.staleGlob(g, &work)
	}
	for i, stale := range s.stale {
		if i == maxStaleReported {
			s.add(res, idGlobStale, diag.Warning, fmt.Sprintf("%d more globs match nothing", len(s.stale)-i), "correct or remove them")
			break
		}
		d := s.role.fault(idGlobStale, diag.Warning, configName, fmt.Sprintf("glob %s in %s of %s matches nothing", quote(stale.Glob), stale.List, show(stale.Section)), cmp.Or(stale.Hint, "correct the glob, or remove it"))
		d.Line, d.Column = stale.Line, stale.Column
		res.Diagnostics = append(res.Diagnostics, d)
	}
}

// staleGlob records one glob if it matches nothing.
func (s *session) staleGlob(g placedGlob, work *nearest.Budget) {
	match, near, k := &s.planner.match, &s.planner.near, g.kind
	if len(match[k].Match(g.glob.pattern)) > 0 {
		return
	}
	stale := StaleGlob{Section: g.section.Kind, List: k.String() + "s." + g.list, Glob: g.glob.Text, Line: g.glob.Line, Column: g.glob.Column}
	if len(s.stale) < maxStaleReported {
		if found := match[1-k].Match(g.glob.pattern); len(found) > 0 {
			stale.Nearest = near[1-k].paths[found[0]]
			stale.Hint = fmt.Sprintf("list it under %ss: it matches a %s", 1-k, 1-k)
		} else {
			stale.Nearest, stale.Hint = near[k].hint(g.glob.Text, work)
		}
	}
	s.stale = append(s.stale, stale)
}
