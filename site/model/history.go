package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/templates"
)

// NewestRun is the path in the pack of the newest record: of this run when it was
// recorded, otherwise of the newest one that was there; "" when there is none.
func NewestRun(res *compiler.Result) string {
	if list := res.Runs(); len(list) > 0 {
		return list[0]
	}
	return ""
}

// History is what the records of a pack's runs say, each summed up once.
type History struct {
	res    *compiler.Result
	read   func(p *pack.Pack, path string) ([]byte, error)
	store  store.Store
	Newest *Run // of the run that was just recorded, once that is kept
}

// record returns the bytes of an earlier run record.
func (h *History) record(name string) ([]byte, error) {
	data, err := h.read(h.res.Pack, name)
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", name, h.res.Pack.Meta.Name, err)
	}
	return data, nil
}

// Run sums a run up. A record of another tool's shape gives no row. Records list
// every input, so the result of one is kept, and it is not read again. Claims asks for
// those that were stale too.
func (h *History) Run(name string, claims bool) (row Run, ok bool, err error) {
	if name == h.res.RunPath {
		if h.Newest != nil {
			return *h.Newest, true, nil
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

// KeepNewest keeps the sum of the run that was just recorded, so that the builds to come need
// not read its record, whose list is as large as the pack.
func (h *History) KeepNewest() {
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
		h.Newest = &row
	}
	store.Do(h.store, rowKey(sum, beside, false), func() []byte { return rowText(&summary) })
}

// Claims that have gone stale are looked for in the newest runs, of packs with not too many
// claims.
const (
	ComparedRuns      = 8
	maxComparedClaims = 20_000
)

// rowOf sums a run up.
func rowOf(run *schema.Run) Run {
	row := Run{Declared: routesOf(run), Row: templates.RunRow{
		ID: run.RunID, Status: string(run.Status), Trigger: run.Trigger, Inputs: len(run.Inputs),
		Tool: strings.TrimSpace(run.Compiler.Tool + " " + run.Compiler.Version),
	}}
	for _, o := range run.Outputs {
		switch o.Operation {
		case "created":
			row.Row.Created++
		case "updated":
			row.Row.Updated++
		case "deleted":
			row.Row.Deleted++
		case "unchanged":
			row.Row.Kept++
		}
	}
	for _, d := range run.Diagnostics {
		switch d.Severity {
		case diag.Error:
			row.Row.Errors++
		case diag.Warning:
			row.Row.Warns++
		}
	}
	noteChanges(&row.Row, run)
	return row
}

// Run is what the history says of a run. A large pack has some hundred thousand routes:
// they are only read where two runs are compared.
type Run struct {
	Row      templates.RunRow
	Declared iter.Seq[Route]
}

// Route is what an author declares for a split.
type Route struct {
	ID, Path string
	Sum      store.Digest // of what is declared
}

// routesOf yields what a run found declared.
func routesOf(run *schema.Run) iter.Seq[Route] {
	return func(yield func(Route) bool) {
		for i := range run.Chapters {
			c := &run.Chapters[i]
			if c.Routing == "" {
				continue
			}
			sum := store.ParseDigest(c.Routing)
			if !sum.Known() {
				sum = store.Sum([]byte(c.Routing))
			}
			if !yield(Route{c.ID, c.Path, sum}) {
				return
			}
		}
	}
}

// rowText is a run as it is kept: what the history says of it as JSON, and after that its
// routes. It is nil when it cannot be kept.
func rowText(run *schema.Run) []byte {
	text, err := json.Marshal(rowOf(run).Row)
	if err != nil {
		return nil
	}
	n := 0
	for range routesOf(run) {
		n++
	}
	w := store.NewWriter(len(text) + 80*n)
	w.Str(string(text))
	w.Uint(n)
	last := ""
	for r := range routesOf(run) {
		shared := 0
		for shared < min(len(last), len(r.ID)) && last[shared] == r.ID[shared] {
			shared++
		}
		w.Uint(shared)
		w.Str(r.ID[shared:])
		usual := r.Path == splitPath(r.ID)
		if w.Bool(usual); !usual {
			w.Str(r.Path)
		}
		w.Digest(r.Sum)
		last = r.ID
	}
	return w.Bytes()
}

// splitPath is where the split of an id usually is.
func splitPath(id string) string { return pack.SplitsDir + "/" + id + ".md" }

// readRow reads what rowText wrote; false when that is damaged.
func readRow(text []byte) (row Run, ok bool) {
	x := store.ReadBytes(text)
	if json.Unmarshal([]byte(x.Str()), &row.Row) != nil {
		return row, false
	}
	rest := *x
	row.Declared = func(yield func(Route) bool) {
		x := rest
		last := ""
		for range x.CountOf(leastRoute) {
			r := Route{ID: last[:min(x.Uint(), len(last))] + x.Str()}
			if r.Path = splitPath(r.ID); !x.Bool() {
				r.Path = x.Str()
			}
			if r.Sum = x.Digest(); !yield(r) {
				return
			}
			last = r.ID
		}
	}
	return row, true
}

// leastRoute is the least size of a route in what rowText writes, in bytes.
const leastRoute = 3 + len(store.Digest{})

// MaxRunChanges is how many changes of each kind the history names of a run.
const MaxRunChanges = 40

// noteChanges notes what a run did to the outputs, and which claims were stale after it.
func noteChanges(row *templates.RunRow, run *schema.Run) {
	for _, o := range run.Outputs {
		if o.Operation != "unchanged" && len(row.Files) < MaxRunChanges && (isSplitPath(o.Path) || isViewPath(o.Path)) {
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
