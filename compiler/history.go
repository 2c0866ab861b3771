package compiler

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/packgen/packgen/compiler/baseline"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lastrun"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// history is what the run records of a pack hold (agent-knowledge section 6.9).
type history struct {
	old     *lastrun.Outputs
	names   []lastrun.RunFile // compile runs, newest first
	stems   map[string]bool   // every file stem in runs/, to find a free run id
	newest  string            // fingerprint of the newest one that fits the schema; "" when there is none
	index   string            // SHA-256 of the index that it left, hex digits; "" when it does not say
	mapped  string            // of the source map that it left
	foreign bool              // the newest one knows no claims, as those of another tool
	ledger  *baseline.Ledger  // of the claims, as the newest one left it; nil before it is read
	base    map[pair]string   // hash of a source for a document, from runs that knew no claims
	diags   []diag.Diagnostic
}

// pair is a document and a source that it cites.
type pair struct{ document, source string }

// openHistory lists the run records.
func openHistory(old *lastrun.Outputs) (*history, error) {
	h := &history{old: old, base: map[pair]string{}}
	var err error
	h.names, h.stems, err = old.Runs()
	if err != nil {
		return nil, err
	}
	return h, nil
}

// paths are those of the compile runs, newest first.
func (h *history) paths() []string {
	list := make([]string, len(h.names))
	for i, run := range h.names {
		list[i] = run.Path
	}
	return list
}

// freeID returns the id of a run at a time: a number is added when runs of that
// second exist (section 9). Runs are ordered by their names, and a run named before
// the newest one would never be looked at, so it follows that one by its number
// when the clock was set back, and where pruning left numbers free.
func (h *history) freeID(at time.Time) string {
	n := 1
	if last := h.last(); last != nil && at.Unix() <= last.Name.Time.Unix() {
		if n = last.Name.N + 1; n <= schema.MaxRunNumber {
			at = last.Name.Time
		} else if next := last.Name.Time.Add(time.Second); next.Year() <= schema.MaxRunYear {
			at, n = next, 1 // no count gets that far: the name was made up
		} else {
			n = 1
		}
	}
	for ; ; n++ {
		if id := schema.RunID(at, n); !h.stems[id] {
			return id
		}
	}
}

// last returns the newest run that can be used; nil when there is none.
func (h *history) last() *lastrun.RunFile {
	for i := range h.names {
		if !slices.ContainsFunc(h.diags, func(d diag.Diagnostic) bool { return d.Path == h.names[i].Path }) {
			return &h.names[i]
		}
	}
	return nil
}

// watched is a document with the sources it cites, while runs are walked.
type watched struct {
	path    string
	sources []string
}

// read takes the ledger of claims from the newest run that can be used. Runs of
// other tools have none: these are walked from the newest back, as long as they list
// some document with the hash it has now, and the hash that the oldest of them lists
// for each of its sources is noted. One record is in memory at a time.
func (h *history) read(files []*file, p *pack.Pack) {
	alive := citing(files)
	for _, r := range h.names {
		if h.newest != "" && len(alive) == 0 {
			break
		}
		run := h.decode(r.Path)
		if run == nil {
			continue
		}
		if h.newest == "" {
			h.newest, h.index, h.mapped = fingerprint(run), run.IndexSHA256, run.SourceMapSHA256
		}
		if h.ledger = baseline.Read(run); h.ledger != nil {
			break // it holds all that the runs before it know
		}
		h.foreign = true
		listed := make(map[string]string, len(run.Inputs))
		for _, in := range run.Inputs {
			listed[in.Path] = in.SHA256
		}
		alive = slices.DeleteFunc(alive, func(w watched) bool { return !h.note(w, listed, p) })
	}
	h.foreign = h.foreign && h.ledger == nil
	if h.ledger == nil {
		h.ledger = &baseline.Ledger{}
	}
}

// citing returns the files that cite sources.
func citing(files []*file) []watched {
	var list []watched
	for _, f := range files {
		w := watched{path: f.path}
		seen := map[string]bool{}
		for _, a := range f.citations {
			if !seen[a.path] {
				seen[a.path] = true
				w.sources = append(w.sources, a.path)
			}
		}
		if len(w.sources) > 0 {
			list = append(list, w)
		}
	}
	return list
}

// note takes the hashes of a document's sources from one run; false when the run
// has seen another text of the document.
func (h *history) note(w watched, listed map[string]string, p *pack.Pack) bool {
	if !p.HasSum(w.path, listed[w.path]) {
		return false
	}
	for _, source := range w.sources {
		if sum := listed[source]; sum != "" {
			h.base[pair{w.path, source}] = sum
		}
	}
	return true
}

// decode reads one run record; nil when it is gone or does not fit the schema,
// which is reported and not fatal.
func (h *history) decode(path string) *schema.Run {
	run, err := h.old.Run(path)
	switch {
	case err == nil:
		return run
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	hint := "delete it, or keep it for the tool that wrote it; packgen skips it"
	if fault := new(schema.LedgerFault); errors.As(err, &fault) {
		hint = "restore the ledger from version control, or delete the record; packgen skips it"
	}
	h.diags = append(h.diags, diag.Diagnostic{
		ID: gateSchemaInvalid, Severity: diag.Warning, Path: path,
		Message: "the run record cannot be used: " + err.Error(), Hint: hint,
	})
	return nil
}

// repeats reports whether a run says the same as the newest one; then it need
// not be recorded (section 6.9 rule 5). Inputs in which only line ends differ are the same.
func (h *history) repeats(run *schema.Run, p *pack.Pack) bool {
	if h.newest == fingerprint(run) {
		return true
	}
	last := h.last()
	if last == nil {
		return false
	}
	newest, err := h.old.Run(last.Path)
	if err != nil || len(newest.Inputs) != len(run.Inputs) {
		return false
	}
	now := *run
	now.Inputs = slices.Clone(run.Inputs)
	for i, in := range newest.Inputs {
		if now.Inputs[i].Path != in.Path || now.Inputs[i].SHA256 != in.SHA256 && !p.HasSum(in.Path, in.SHA256) {
			return false
		}
		now.Inputs[i] = in
	}
	return fingerprint(newest) == fingerprint(&now)
}

// fingerprint is equal for runs with the same status, inputs, records and
// diagnostics. What a run says of claims follows from these and from the run before.
// Records can be large; this is all that is kept of the newest one.
func fingerprint(run *schema.Run) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%t %q %s %s", run.HasLedger, run.Status, run.IndexSHA256, run.SourceMapSHA256)
	for _, in := range run.Inputs {
		fmt.Fprintf(sum, " %q %q", in.Path, in.SHA256)
	}
	for _, d := range run.Diagnostics {
		fmt.Fprintf(sum, "\n%q %q %q", d.Severity, d.Path, d.Message)
	}
	return string(sum.Sum(nil))
}
