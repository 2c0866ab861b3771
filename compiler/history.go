package compiler

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
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

// maxRestored is how many run records are read for claims that the newest one does not know.
const maxRestored = 64

// findLost looks for claims that an earlier compile knew and the newest run record does
// not, as after run records were deleted, damaged, or merged with those of another branch.
// They are taken over from older records; where none has them, what they rested on is lost.
// Without that, whoever deletes a record would make claims on changed sources good.
func (m *material) findLost(now map[baseline.Key]baseline.Found) error {
	h := m.history
	lost := h.ledger.TakeLost(now)
	unknown := h.ledger.Unknown(now)
	if len(unknown) == 0 || h.foreign {
		return nil
	}
	earlier, err := m.claimsMapped()
	if err != nil {
		return err
	}
	words, wanted := map[string]bool{}, unknown[:0]
	for _, k := range unknown {
		status, known := earlier.status(now[k].Words)
		if _, ok := lost[k]; ok || known {
			lost[k] = lost[k] || status == schema.Stale
			wanted = append(wanted, k)
			words[now[k].Words] = true
		} else if earlier.older {
			words[now[k].Words] = true
		}
	}
	h.restore(words)
	for _, k := range wanted {
		if words[now[k].Words] {
			h.ledger.Add([]schema.RunClaim{{Claim: k.Claim, Words: now[k].Words, Source: k.Source, Stale: lost[k]}})
		}
	}
	return nil
}

// mapped are the claims with a source that an earlier compile knew.
type mapped struct {
	any     bool                     // any may be one
	older   bool                     // an older record may know one
	byWords map[string]schema.Status // status of each, the worst
}

// status returns the status of a claim with some words; false when it was not known.
func (c *mapped) status(words string) (schema.Status, bool) {
	status, known := c.byWords[words]
	return status, known || c.any
}

// largeSourceMap is the size in bytes from which a source map that the newest run has written
// is not decoded to see whether its record still knows all claims.
const largeSourceMap = 8 << 20

func (m *material) sizeOf(name string) int64 {
	at, _ := m.pack.Stat(name)
	return at.Size
}

// claimsMapped reads the claims of the earlier source map, unless that is large and the one
// of the newest run, which then knows all of them. A pack without outputs is compiled for the first time.
// Where no record says what there was, or index and source map are not as a run left
// them, any claim may be an earlier one. After a merge they may be as an older run left them.
func (m *material) claimsMapped() (*mapped, error) {
	h := m.history
	if m.out.left[sourceMapPath].There {
		return &mapped{}, nil // it is that of a run that was interrupted, and nobody has changed it since
	}
	mapAsLeft, hasMap, err := m.isAsLeft(sourceMapPath, h.mapped)
	if err != nil {
		return nil, err
	}
	indexAsLeft, hasIndex, err := m.isAsLeft(indexPath, h.index)
	if err != nil {
		return nil, err
	}
	asLeft := mapAsLeft && indexAsLeft && h.newest != ""
	switch {
	case !hasMap && !hasIndex && !m.hasSplits():
		return &mapped{}, nil
	case asLeft && m.sizeOf(sourceMapPath) > largeSourceMap:
		return &mapped{}, nil
	case asLeft:
		return &mapped{byWords: h.mappedStatuses()}, nil
	}
	byOlder, err := h.leftByOlder()
	return &mapped{any: !byOlder, older: true, byWords: h.mappedStatuses()}, err
}

// leftByOlder reports whether index and source map are as some run left them.
func (h *history) leftByOlder() (bool, error) {
	index, err := h.sumOf(indexPath)
	if err != nil {
		return false, err
	}
	sourceMap, err := h.sumOf(sourceMapPath)
	if err != nil || index == "" || sourceMap == "" {
		return false, err
	}
	for _, r := range h.names[:min(len(h.names), maxRestored)] {
		run, err := h.old.Run(r.Path)
		if err == nil && run.IndexSHA256 == index && run.SourceMapSHA256 == sourceMap {
			return true, nil
		}
	}
	return false, nil
}

// hasSplits reports whether an earlier compile left splits or a generated view.
func (m *material) hasSplits() bool {
	for _, f := range m.pack.List(strings.TrimSuffix(splitsDir, "/")) {
		if !m.history.old.Hides(f.Path) {
			return true
		}
	}
	return slices.ContainsFunc([]string{briefingPath, factsPath, boundariesPath}, func(name string) bool {
		return m.pack.Has(name) && !m.history.old.Hides(name)
	})
}

// isAsLeft reports whether an earlier output exists, and has the SHA-256 that the newest run
// recorded, whatever ends its lines.
func (m *material) isAsLeft(name, sum string) (asLeft, exists bool, err error) {
	old := m.history.old
	if m.out.left[name].There {
		return true, true, nil // by a run that was interrupted
	}
	if at, ok := m.pack.Stat(name); ok && !old.Layered && sum != "" && m.cache.known(at).String() == sum {
		return true, true, nil
	}
	data, err := old.Read(name)
	switch {
	case lastrun.Failed(err):
		return false, true, fmt.Errorf("read %s: %w", name, err)
	case errors.Is(err, fs.ErrNotExist):
		return false, false, nil
	}
	return schema.HasSum(data, sum), true, nil
}

// mappedStatuses returns the statuses of the claims of the earlier source map that cited
// something that existed, by words; nil when it cannot be used. No record has the others.
func (h *history) mappedStatuses() map[string]schema.Status {
	data, err := h.old.Read(sourceMapPath)
	if err != nil {
		return nil
	}
	sourceMap, err := schema.DecodeSourceMap(data)
	if err != nil {
		return nil
	}
	statuses := map[string]schema.Status{}
	for i := range sourceMap.Claims {
		if c := &sourceMap.Claims[i]; c.Source.Path != "" && !citesNothing(c.Status) {
			words := wordsHash(c.Text)
			statuses[words] = cmp.Or(schema.Worse(statuses[words].Doubt(), c.Status.Doubt()), c.Status)
		}
	}
	return statuses
}

// sumOf returns the SHA-256 of an earlier output, whatever ends its lines; "" when there is
// none.
func (h *history) sumOf(name string) (string, error) {
	data, err := h.old.Read(name)
	switch {
	case lastrun.Failed(err):
		return "", fmt.Errorf("read %s: %w", name, err)
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	}
	return schema.SHA256(schema.WithLF(data)), nil
}

// restore takes claims with some words over from older records, the newest that has one
// first. One record is in memory at a time.
func (h *history) restore(words map[string]bool) {
	for i, r := range h.names {
		if len(words) == 0 || i == maxRestored {
			return
		}
		run, err := h.old.Run(r.Path)
		if err != nil {
			continue // read has reported it, where it counts
		}
		ledger := baseline.Read(run)
		if ledger == nil {
			continue
		}
		for _, c := range ledger.With(words) {
			h.ledger.Add([]schema.RunClaim{c})
		}
		for _, c := range ledger.With(words) {
			delete(words, c.Words)
		}
	}
}
