package site

import (
	"io"

	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// addHistory plans the list of compile runs, and the newest record as it is.
// Older records stay in the repository: their messages quote text that may have
// been withdrawn since.
func (b *build) addHistory(w *making) {
	if newest := model.NewestRun(w.ps.Result); newest != "" {
		b.addLarge(func() error { return putRun(w, newest) })
	}
	for at := 1; at <= pagesFor(len(w.ps.Result.Runs())); at++ {
		out := w.ps.Dir + numbered("history", at)
		b.addLarge(func() error { // it reads records, which list every input
			v, err := historyPage(w.pages, out, at)
			if err != nil {
				return err
			}
			return w.render(out, v)
		})
	}
}

// historyPage is a page of the list of compile runs.
func historyPage(p *pageMaker, out string, at int) (templates.History, error) {
	paths := p.ps.Result.Runs()
	v := templates.History{
		Frame: p.frame(out, "Compile history · "+p.ps.Name, "Compile runs of "+p.ps.Name),
		Pack:  p.home(out), Total: len(paths), Pager: pager("history", at, len(paths)),
	}
	shown := window(paths, at)
	if next := at * rowsPerPage; next < len(paths) { // what the last one is compared with
		shown = append(shown[:len(shown):len(shown)], paths[next])
	}
	var rows []model.Run
	for i, name := range shown {
		row, ok, err := p.ps.History.Run(name, at == 1 && i <= model.ComparedRuns)
		if err != nil {
			return v, err
		}
		if !ok {
			continue
		}
		if name == paths[0] {
			row.Row.Raw = model.Relative(out, p.ps.Dir+name)
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
		showChanges(p.ps, out, &rows[i], before)
		v.Rows = append(v.Rows, rows[i].Row)
	}
	v.Rows = v.Rows[:min(len(v.Rows), rowsPerPage)]
	return v, nil
}

// putRun publishes a run record and its ledger.
func putRun(w *making, run string) error {
	for _, name := range []string{run, ledgerOf(w.ps.Result, w.files.open)} {
		if name == "" {
			continue
		}
		_, err := w.putFrom(w.ps.Dir+name, func(out io.Writer) error {
			return copyFrom(out, func() (io.ReadCloser, error) { return w.files.open(name) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// copyFrom copies what open opens.
func copyFrom(w io.Writer, open func() (io.ReadCloser, error)) error {
	r, err := open()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(w, r)
	return err
}
