package context

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// maxRuns is how many run records are read to find the one that made a view.
const maxRuns = 64

// runs are the compile runs of a pack, newest first. Records are read when they
// are needed.
type runs struct {
	pack    *pack.Pack
	lock    sync.Mutex // for what follows
	pending []runName
	read    []*run
	notes   []Warning // about records that cannot be used
	damaged bool      // a record of packgen that cannot be used is newer than those that were read
}

type runName struct {
	path string
	name schema.RunName
}

// run is what is kept of a run record.
type run struct {
	path    string
	status  schema.Status
	inputs  map[string]string // sha256 by path
	outputs map[string]bool   // those it did not delete
	found   []schema.RunDiagnostic
	records map[string]string // SHA-256 of index and source map; nil for a run that knows no claims, as of another tool

	allSplits bool // all splits are among its outputs, which lists none
}

// made reports whether a file is among the outputs.
func (r *run) made(name string) bool {
	return r.outputs[name] || r.allSplits && strings.HasPrefix(name, splitsDir)
}

// openRuns lists the run records and reads the newest one that fits the schema.
func openRuns(p *pack.Pack) *runs {
	r := &runs{pack: p}
	for _, f := range p.List("runs") {
		base := strings.TrimPrefix(f.Path, "runs/")
		name, ok := strings.CutSuffix(base, ".json")
		if !ok || strings.Contains(base, "/") {
			continue
		}
		if parsed, err := schema.ParseRunName(name); err == nil && parsed.Kind == "compile" {
			r.pending = append(r.pending, runName{f.Path, parsed})
		}
	}
	slices.SortStableFunc(r.pending, func(a, b runName) int { return schema.CompareRunNames(b.name, a.name) })
	r.pending = r.pending[:min(len(r.pending), maxRuns)]
	for len(r.read) == 0 && r.next() {
	}
	return r
}

// next reads one more record; false when there is none. One that does not fit
// the schema is noted and skipped.
func (r *runs) next() bool {
	if len(r.pending) == 0 {
		return false
	}
	name := r.pending[0].path
	r.pending = r.pending[1:]
	data, err := r.pack.ReadFile(name)
	if err == nil {
		var record *schema.Run
		if record, err = schema.ReadRunSummary(data, r.pack.ReadFile); err == nil {
			r.read = append(r.read, keep(name, record))
			return true
		}
	}
	r.notes = append(r.notes, unusable(name, err)...)
	if len(r.read) == 0 && !ofAnotherTool(data) {
		r.damaged = true
	}
	return true
}

// ofAnotherTool reports a record that is whole, and not one of ours.
func ofAnotherTool(data []byte) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return false
	}
	_, ours := members["run_id"]
	return !ours
}

func keep(name string, record *schema.Run) *run {
	k := &run{
		path: name, status: statusOf(record), found: record.Diagnostics,
		inputs: make(map[string]string, len(record.Inputs)), outputs: make(map[string]bool, len(record.Outputs)),
	}
	for _, in := range record.Inputs {
		k.inputs[in.Path] = in.SHA256
	}
	for _, out := range record.Outputs {
		if out.Operation != "deleted" {
			k.outputs[out.Path] = true
		}
	}
	if record.HasLedger {
		k.records = map[string]string{indexPath: record.IndexSHA256, sourceMapPath: record.SourceMapSHA256}
	}
	return k
}

// statusOf is the status of a run: never better than its own findings make it. Suspicions
// count where the run says so, since not all of them reach a view.
func statusOf(record *schema.Run) schema.Status {
	status := record.Status
	for _, d := range record.Diagnostics {
		if !strings.HasPrefix(d.Message, "[injection-suspect]") {
			status = schema.Worse(status, findingOutcome(d.Severity, d.Message))
		}
	}
	return status
}

// warnings returns those about the records that were read.
func (r *runs) warnings() []Warning {
	r.lock.Lock()
	defer r.lock.Unlock()
	return slices.Clone(r.notes)
}

// newest returns the newest run; nil when the pack has none.
func (r *runs) newest() *run {
	r.lock.Lock()
	defer r.lock.Unlock()
	if len(r.read) == 0 {
		return nil
	}
	return r.read[0]
}

// of returns the newest run that lists a file as its output; nil when none does.
func (r *runs) of(name string) *run {
	r.lock.Lock()
	defer r.lock.Unlock()
	for i := 0; ; i++ {
		for i >= len(r.read) {
			if !r.next() {
				return nil
			}
		}
		if r.read[i].made(name) {
			return r.read[i]
		}
	}
}
