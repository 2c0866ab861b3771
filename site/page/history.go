package page

import (
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
