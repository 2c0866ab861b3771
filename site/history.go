package site

import (
	"errors"
	"fmt"
	"github.com/packgen/packgen/compiler/pack"
	"io"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/templates"
)

// newestRun is the path in the pack of the newest record: of this run when it was
// recorded, otherwise of the newest one that was there; "" when there is none.
func newestRun(res *compiler.Result) string {
	if list := res.Runs(); len(list) > 0 {
		return list[0]
	}
	return ""
}

// addHistory plans the list of compile runs, and the newest record as it is.
// Older records stay in the repository: their messages quote text that may have
// been withdrawn since.
func (b *build) addHistory(w *making) {
	if newest := newestRun(w.ps.res); newest != "" {
		b.addLarge(func() error { return putRun(w, newest) })
	}
	for at := 1; at <= pagesFor(len(w.ps.res.Runs())); at++ {
		out := w.ps.dir + numbered("history", at)
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
	paths := p.ps.res.Runs()
	v := templates.History{
		Frame: p.frame(out, "Compile history · "+p.ps.name, "Compile runs of "+p.ps.name),
		Pack:  p.home(out), Total: len(paths), Pager: pager("history", at, len(paths)),
	}
	shown := window(paths, at)
	if next := at * rowsPerPage; next < len(paths) { // what the last one is compared with
		shown = append(shown[:len(shown):len(shown)], paths[next])
	}
	var rows []keptRow
	for i, name := range shown {
		row, ok, err := p.ps.history.row(name, at == 1 && i <= comparedRuns)
		if err != nil {
			return v, err
		}
		if !ok {
			continue
		}
		if name == paths[0] {
			row.Raw = relative(out, p.ps.dir+name)
		}
		rows = append(rows, row)
	}
	for i := range rows {
		var before *keptRow
		if i+1 < len(rows) {
			before = &rows[i+1]
		}
		if at > 1 || i >= comparedRuns {
			rows[i].Stale, rows[i].Gone, rows[i].routes = nil, nil, nil // it is not known which of them are new
		}
		showChanges(p.ps, out, &rows[i], before)
		v.Rows = append(v.Rows, rows[i].RunRow)
	}
	v.Rows = v.Rows[:min(len(v.Rows), rowsPerPage)]
	return v, nil
}

// history is what the records of a pack's runs say, each summed up once.
type history struct {
	res    *compiler.Result
	read   func(p *pack.Pack, path string) ([]byte, error)
	store  store.Store
	newest *keptRow // of the run that was just recorded, once that is kept
}

// record returns the bytes of an earlier run record.
func (h *history) record(name string) ([]byte, error) {
	data, err := h.read(h.res.Pack, name)
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", name, h.res.Pack.Meta.Name, err)
	}
	return data, nil
}

// putRun publishes a run record and its ledger.
func putRun(w *making, run string) error {
	for _, name := range []string{run, ledgerOf(w.ps.res, w.files.open)} {
		if name == "" {
			continue
		}
		_, err := w.putFrom(w.ps.dir+name, func(out io.Writer) error {
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

// row sums a run up. A record of another tool's shape gives no row. Records list
// every input, so the result of one is kept, and it is not read again. Claims asks for
// those that were stale too.
func (h *history) row(name string, claims bool) (row keptRow, ok bool, err error) {
	if name == h.res.RunPath {
		if h.newest != nil {
			return *h.newest, true, nil
		}
		return rowOf(&h.res.Run), true, nil
	}
	ledger, s := schema.RunLedgerPath(name), h.store
	sum, beside := h.res.RecordSum(name), h.res.RecordSum(ledger)
	read := schema.ReadRunSummary
	if claims = claims && len(h.res.SourceMap.Claims) <= maxComparedClaims; claims {
		read = schema.ReadRun
	}
	if found, ok := s.Action(rowKey(sum, beside, claims)); ok && sum.Known() && len(found) == 1 {
		if text, ok := s.Blob(found[0]); ok {
			row, ok = readRow(text)
			return row, ok, nil
		}
	}
	data, err := h.record(name)
	if err != nil {
		return row, false, err
	}
	beside = store.Digest{}
	run, err := read(data, func(path string) ([]byte, error) {
		text, err := h.read(h.res.Pack, path)
		if err == nil && path == ledger {
			beside = store.Sum(text)
		}
		return text, err
	})
	if fault := new(schema.LedgerFault); errors.As(err, &fault) {
		return row, false, nil // what is missing may come back: nothing is kept
	}
	text := store.Do(s, rowKey(store.Sum(data), beside, claims), func() []byte {
		if err != nil {
			return nil
		}
		return rowText(run)
	})
	row, ok = readRow(text)
	return row, ok, nil
}

// rowKey is the key of what is kept of a run record and its ledger, with their digests.
func rowKey(sum, ledger store.Digest, claims bool) store.Digest {
	return store.Key("run row", compiler.Program(), strconv.FormatBool(claims), string(sum[:]), string(ledger[:]))
}

// keepNewest keeps the sum of the run that was just recorded, so that the builds to come need
// not read its record, whose list is as large as the pack.
func (h *history) keepNewest() {
	data, err := h.record(h.res.RunPath)
	if err != nil {
		return
	}
	ledger, err := h.record(schema.RunLedgerPath(h.res.RunPath))
	if err != nil {
		return
	}
	sum, beside := store.Sum(data), store.Sum(ledger)
	summary := h.res.Run
	summary.Claims, summary.RemovedClaims, summary.Chapters = nil, nil, nil // as schema.ReadRunSummary has it
	if row, ok := readRow(store.Do(h.store, rowKey(sum, beside, true), func() []byte { return rowText(&h.res.Run) })); ok {
		h.newest = &row
	}
	store.Do(h.store, rowKey(sum, beside, false), func() []byte { return rowText(&summary) })
}

// Claims that have gone stale are looked for in the newest runs, of packs with not too many
// claims.
const (
	comparedRuns      = 8
	maxComparedClaims = 20_000
)

// rowOf sums a run up.
func rowOf(run *schema.Run) keptRow {
	row := keptRow{routes: routesOf(run), RunRow: templates.RunRow{
		ID: run.RunID, Status: string(run.Status), Trigger: run.Trigger, Inputs: len(run.Inputs),
		Tool: strings.TrimSpace(run.Compiler.Tool + " " + run.Compiler.Version),
	}}
	for _, o := range run.Outputs {
		switch o.Operation {
		case "created":
			row.Created++
		case "updated":
			row.Updated++
		case "deleted":
			row.Deleted++
		case "unchanged":
			row.Kept++
		}
	}
	for _, d := range run.Diagnostics {
		switch d.Severity {
		case diag.Error:
			row.Errors++
		case diag.Warning:
			row.Warns++
		}
	}
	noteChanges(&row.RunRow, run)
	return row
}
