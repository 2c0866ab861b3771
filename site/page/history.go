package page

import (
	"fmt"
	"iter"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// History is a page of the list of compile runs.
func History(p *Pages, out string, at int) (templates.History, error) {
	paths := p.Model.Result.Runs()
	v := templates.History{
		Frame: p.frame(out, "Compile history · "+p.Model.Name, "Compile runs of "+p.Model.Name),
		Pack:  p.home(out), Total: len(paths), Pager: Pager("history", at, len(paths)),
	}
	shown := Window(paths, at)
	if next := at * RowsPerPage; next < len(paths) { // what the last one is compared with
		shown = append(shown[:len(shown):len(shown)], paths[next])
	}
	var rows []model.Run
	for i, name := range shown {
		row, ok, err := p.Model.History.Run(name, at == 1 && i <= model.ComparedRuns)
		if err != nil {
			return v, err
		}
		if !ok {
			continue
		}
		if name == paths[0] {
			row.Row.Raw = model.Relative(out, p.Model.Dir+name)
		}
		rows = append(rows, row)
	}
	for i := range rows {
		var before *model.Run
		if i+1 < len(rows) {
			before = &rows[i+1]
		}
		if at > 1 || i >= model.ComparedRuns {
			rows[i].Row.Stale, rows[i].Row.Gone, rows[i].Declared = nil, nil, nil // it is not known which of them are new
		}
		showChanges(p.Model, out, &rows[i], before)
		v.Rows = append(v.Rows, rows[i].Row)
	}
	v.Rows = v.Rows[:min(len(v.Rows), RowsPerPage)]
	return v, nil
}

// showChanges fills in what the page says of the changes of a run: links to what is there
// still, texts of claims, and of the stale ones those that the run before did not know as
// such. Before is nil when no earlier run is known.
func showChanges(ps *model.Pack, out string, row, before *model.Run) {
	known, gone := map[templates.RunClaim]bool{}, map[templates.RunClaim]bool{}
	if before != nil {
		for _, c := range before.Row.Stale {
			known[c] = true
		}
		for _, c := range before.Row.Gone { // a record repeats those that were stale
			gone[c] = true
		}
	}
	row.Row.Removed, row.Row.Staled = 0, 0
	for _, c := range row.Row.Gone {
		if !gone[c] {
			row.Row.Removed++
		}
	}
	var stale []templates.RunClaim
	for _, c := range row.Row.Stale {
		if known[c] {
			continue
		}
		if row.Row.Staled++; len(stale) == model.MaxRunChanges {
			continue
		}
		source := compiler.SourceOf(c.Source)
		c.URL = ps.SourceLine(out, source)
		if i, ok := model.ClaimOf(ps, c.ID); ok {
			c.Text = diag.OneLine(ps.Result.SourceMap.Claims[i].Text, 240)
		}
		stale = append(stale, c)
	}
	row.Row.Stale = stale
	showRoutes(ps, out, row, before)
	showFiles(ps, out, &row.Row)
}

// showFiles leaves of the files that a run changed those that the site shows, with links to
// what is there still.
func showFiles(ps *model.Pack, out string, row *templates.RunRow) {
	files := row.Files[:0:0]
	pages := map[string]bool{}
	for _, f := range row.Files {
		if ps.Outputs.Withheld[f.Path] {
			continue
		}
		f.Text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(f.Path, "compiled/"), "splits/"), ".md")
		if i, ok := ps.Outputs.Splits[f.Path]; ok {
			s := ps.Split(i)
			f.Text = s.Title
			if n := ps.ByPath[s.Document]; n != nil {
				f.URL, f.Page = ps.SectionURL(out, n, s.SectionID), n.Name()
				pages[n.Path] = true
			}
		} else if ps.HasView(f.Path) {
			f.URL = model.Relative(out, ps.Dir+model.HTMLPath(f.Path))
		}
		files = append(files, f)
	}
	if len(row.Files) < model.MaxRunChanges { // all are known, and so is how many pages they are of
		row.Pages = len(pages)
	}
	row.Files = files
}

// showRoutes leaves of what a run found declared the splits for which it is not what the
// run before found. A record that has no routing at all may be older than the list: it
// says nothing.
func showRoutes(ps *model.Pack, out string, row, before *model.Run) {
	if before == nil || before.Declared == nil || row.Declared == nil {
		return
	}
	was := map[string]store.Digest{}
	for r := range before.Declared {
		was[r.ID] = r.Sum
	}
	if len(was) == 0 || !some(row.Declared) {
		return
	}
	show := func(r model.Route, change string) {
		if row.Row.Routed++; len(row.Row.Routes) == model.MaxRunChanges {
			return
		}
		shown := templates.RunRoute{ID: r.ID, Path: r.Path, Change: change, Text: r.ID}
		if i, ok := ps.Outputs.Splits[r.Path]; ok {
			s := ps.Split(i)
			shown.Text = s.Title
			if n := ps.ByPath[s.Document]; n != nil {
				shown.URL = ps.SectionURL(out, n, s.SectionID)
			}
		}
		row.Row.Routes = append(row.Row.Routes, shown)
	}
	for r := range row.Declared {
		switch sum, known := was[r.ID]; {
		case !known:
			show(r, "created")
		case sum != r.Sum:
			show(r, "updated")
		}
		delete(was, r.ID)
	}
	for r := range before.Declared {
		if _, gone := was[r.ID]; gone {
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

// Retrieval is what the context resolver finds in a pack for the queries that
// its authors wrote, evals/context.yaml, at several budgets.
type Retrieval struct {
	Queries int
	Curve   []RecallAt // budgets ascending
}

// RecallAt is one budget of a curve.
type RecallAt struct {
	Budget    int     // tokens
	Recall    float64 // mean share of the required sections that are selected, 0 to 1
	Precision float64 // share of the sections selected for a query that it requires, 0 to 1
}

// The drawing of a curve, in units of its view box. Budgets are side by side
// at equal distances: each is about twice the one before.
const (
	curveStep   = 100 // from one budget to the next
	curveHeight = 120 // of a recall of 1
	curveTop    = 24  // room above it for a figure
	curveFoot   = 28  // room below for the budgets
)

// curve draws recall against budget.
func curve(r Retrieval) templates.Curve {
	c := templates.Curve{
		Queries: r.Queries, Width: curveStep * len(r.Curve), Height: curveTop + curveHeight + curveFoot,
		Base: curveTop + curveHeight, Foot: curveTop + curveHeight + curveFoot - 8,
	}
	for i, at := range r.Curve {
		recall, precision := clamp(at.Recall), clamp(at.Precision)
		x, y := curveStep*i+curveStep/2, curveTop+curveHeight-int(recall*curveHeight+0.5)
		if i > 0 {
			c.Line += " "
		}
		c.Line += fmt.Sprintf("%d,%d", x, y)
		c.Points = append(c.Points, templates.CurvePoint{
			X: x, Y: y, Above: y - 9, Budget: at.Budget,
			Recall: fmt.Sprintf("%.2f", recall), Precision: fmt.Sprintf("%.2f", precision),
		})
	}
	return c
}

// clamp keeps a share within the drawing; NaN counts as nothing.
func clamp(share float64) float64 {
	if !(share > 0) {
		return 0
	}
	return min(share, 1)
}
