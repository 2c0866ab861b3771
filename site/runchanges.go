package site

import (
	"iter"
	"path"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/templates"
)

// maxRunChanges is how many changes of each kind the history names of a run.
const maxRunChanges = 40

// noteChanges notes what a run did to the outputs, and which claims were stale after it.
func noteChanges(row *templates.RunRow, run *schema.Run) {
	for _, o := range run.Outputs {
		if o.Operation != "unchanged" && len(row.Files) < maxRunChanges && (isSplitPath(o.Path) || isViewPath(o.Path)) {
			row.Files = append(row.Files, templates.RunFile{Path: o.Path, Change: o.Operation})
		}
	}
	for _, c := range run.Claims {
		if c.Stale {
			row.Stale = append(row.Stale, templates.RunClaim{ID: c.Claim, Source: c.Source})
		}
	}
	for _, c := range run.RemovedClaims {
		row.Gone = append(row.Gone, templates.RunClaim{ID: c.Claim, Source: c.Source})
	}
}

func isSplitPath(name string) bool { return strings.HasPrefix(name, pack.SplitsDir+"/") }

func isViewPath(name string) bool {
	return path.Dir(name) == string(pack.Compiled) && strings.HasSuffix(name, ".md")
}

// showChanges fills in what the page says of the changes of a run: links to what is there
// still, texts of claims, and of the stale ones those that the run before did not know as
// such. Before is nil when no earlier run is known.
func showChanges(ps *packSite, out string, row, before *keptRow) {
	known, gone := map[templates.RunClaim]bool{}, map[templates.RunClaim]bool{}
	if before != nil {
		for _, c := range before.Stale {
			known[c] = true
		}
		for _, c := range before.Gone { // a record repeats those that were stale
			gone[c] = true
		}
	}
	row.Removed, row.Staled = 0, 0
	for _, c := range row.Gone {
		if !gone[c] {
			row.Removed++
		}
	}
	var stale []templates.RunClaim
	for _, c := range row.Stale {
		if known[c] {
			continue
		}
		if row.Staled++; len(stale) == maxRunChanges {
			continue
		}
		source := compiler.SourceOf(c.Source)
		c.URL = ps.atSource(out, source)
		if i, ok := ps.claimOf(c.ID); ok {
			c.Text = oneLine(ps.res.SourceMap.Claims[i].Text, 240)
		}
		stale = append(stale, c)
	}
	row.Stale = stale
	showRoutes(ps, out, row, before)
	showFiles(ps, out, &row.RunRow)
}

// showFiles leaves of the files that a run changed those that the site shows, with links to
// what is there still.
func showFiles(ps *packSite, out string, row *templates.RunRow) {
	files := row.Files[:0:0]
	pages := map[string]bool{}
	for _, f := range row.Files {
		if ps.withheld[f.Path] {
			continue
		}
		f.Text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(f.Path, "compiled/"), "splits/"), ".md")
		if i, ok := ps.splits[f.Path]; ok {
			s := ps.splitAt(i)
			f.Text = s.Title
			if n := ps.byPath[s.Document]; n != nil {
				f.URL, f.Page = ps.section(out, n, s.SectionID), n.name()
				pages[n.path] = true
			}
		} else if ps.view(f.Path) {
			f.URL = relative(out, ps.dir+htmlPath(f.Path))
		}
		files = append(files, f)
	}
	if len(row.Files) < maxRunChanges { // all are known, and so is how many pages they are of
		row.Pages = len(pages)
	}
	row.Files = files
}

// showRoutes leaves of what a run found declared the splits for which it is not what the
// run before found. A record that has no routing at all may be older than the list: it
// says nothing.
func showRoutes(ps *packSite, out string, row, before *keptRow) {
	if before == nil || before.routes == nil || row.routes == nil {
		return
	}
	was := map[string]store.Digest{}
	for r := range before.routes {
		was[r.id] = r.sum
	}
	if len(was) == 0 || !some(row.routes) {
		return
	}
	show := func(r route, change string) {
		if row.Routed++; len(row.Routes) == maxRunChanges {
			return
		}
		shown := templates.RunRoute{ID: r.id, Path: r.path, Change: change, Text: r.id}
		if i, ok := ps.splits[r.path]; ok {
			s := ps.splitAt(i)
			shown.Text = s.Title
			if n := ps.byPath[s.Document]; n != nil {
				shown.URL = ps.section(out, n, s.SectionID)
			}
		}
		row.Routes = append(row.Routes, shown)
	}
	for r := range row.routes {
		switch sum, known := was[r.id]; {
		case !known:
			show(r, "created")
		case sum != r.sum:
			show(r, "updated")
		}
		delete(was, r.id)
	}
	for r := range before.routes {
		if _, gone := was[r.id]; gone {
			show(r, "deleted")
		}
	}
}

// some reports whether there is any.
func some[T any](all iter.Seq[T]) bool {
	for range all {
		return true
	}
	return false
}

// claimOf returns the place of a claim in the source map, by its id without a number.
func (ps *packSite) claimOf(id string) (int32, bool) {
	i, ok := ps.claimIDs()[id]
	return i, ok
}

func (ps *packSite) claimIDsOf() map[string]int32 {
	ids := make(map[string]int32, len(ps.res.SourceMap.Claims))
	for i, c := range ps.res.SourceMap.Claims {
		id := c.ClaimID[:min(len(c.ClaimID), claimIDLen)]
		if _, known := ids[id]; !known {
			ids[id] = int32(i)
		}
	}
	return ids
}
