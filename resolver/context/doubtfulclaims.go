package context

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/context/rank"
)

// What has become of a source since the newest run.
const (
	sourceChanged = "changed"
	sourceGone    = "gone"
)

// source says what has become of a cited file since the newest run; "" for nothing, and
// where no run lists it.
func (s *contents) source(name string) string {
	newest := s.runs.newest()
	if newest == nil || newest.inputs[name] == "" {
		return ""
	}
	s.lock.Lock()
	state, known := s.sources[name]
	s.lock.Unlock()
	if known {
		return state
	}
	switch f, ok := s.pack.Stat(name); {
	case !ok && s.from.leftOut(s.pack, name):
	case !ok:
		state = sourceGone
	case s.unread(f, newest.inputs[name]):
	default:
		if sum, err := s.pack.Digest(name); err != nil || sum != newest.inputs[name] && !s.pack.HasSum(name, newest.inputs[name]) {
			state = sourceChanged
		}
	}
	s.lock.Lock()
	s.sources[name] = state
	s.lock.Unlock()
	return state
}

// leftOut reports a source that the pack was handed on without: its pack.json says so, or it
// was pulled from the directory that it is written in, and has none.
func (p *Pack) leftOut(files *pack.Pack, name string) bool {
	return files.LeftOut(name) || p.MaxTrust != "" && strings.HasPrefix(name, "sources/")
}

// freeBytes is how many bytes of cited files are hashed before anybody is asked what is
// remembered of them: reading that takes as long.
const freeBytes = 1 << 20

// unread reports whether a file has a hash by what is remembered of its size and times,
// so that it need not be read.
func (s *contents) unread(f pack.File, want string) bool {
	if s.from.Known == nil {
		return false
	}
	s.lock.Lock()
	s.hashed += f.Size
	free := s.hashed <= freeBytes
	s.lock.Unlock()
	return !free && s.from.Known(f) == want
}

// mark writes "stale" and "disputed" after the claims of what was picked: those that
// the source map calls so, and those whose source has changed or gone since the newest
// run. The contents stay as they are, for the next query.
func (p *picker) mark() {
	for i := range p.picks {
		p.picks[i].unit = p.marked(p.picks[i].unit)
	}
}

// marked returns a unit with its doubtful claims marked: a copy, unless nothing is known
// of it that was not known before.
func (s *contents) marked(u *unit) *unit {
	own := *u
	var doc *markdown.Document
	if own.cites = u.anchors; own.cites == nil {
		// A view, or a file as a whole: no record holds its anchors.
		own.parsed, own.cites = true, []string{}
		if doc = parseText(u.path, u.text); doc != nil {
			own.cites = usableAnchors(doc)
		}
	}
	of := u.document
	if u.kind == view {
		of = "" // its lines come from several files
	}
	changed := func(anchor string) bool { return s.source(sourceOf(anchor)) != "" }
	switch {
	case slices.ContainsFunc(own.cites, changed):
		own.doubt = schema.Stale // also where a heading cites it, or a claim with a marker
	case !s.doubts.Any(of):
		return &own
	}
	if doc == nil {
		decoded, ok := frontmatter.Decode([]byte(u.text))
		if !ok {
			return &own
		}
		doc = markdown.Parse(u.path, decoded)
		own.parsed, own.cites = true, usableAnchors(doc) // nobody need parse it again for these
	}
	own.text = string(doc.Marked(func(c *markdown.Unit) schema.Status {
		status, source := s.doubtOf(of, c)
		if status != "" {
			own.doubt = schema.Worse(own.doubt, status)
			own.claims = append(own.claims, Claim{u.path, secret.Redact(c.Text), status, source})
		}
		return status
	}))
	return &own
}

// doubtOf is "stale" or "disputed" for a claim of a file, with the source that it rests
// on; "" for any other text.
func (s *contents) doubtOf(document string, c *markdown.Unit) (status schema.Status, source string) {
	status, source = schema.Worse(c.Marker.Doubt(), s.doubts.Of(document, c.Text)), anchorOf(c)
	if c.Marker != "" && c.Marker != schema.Confirmed {
		return status, source
	}
	for _, a := range c.Anchors {
		if a.Usable && s.source(a.Path) != "" {
			if status == "" {
				source = a.String()
			}
			status = schema.Worse(status, schema.Stale)
		}
	}
	return status, source
}

// anchorOf is the first usable anchor of a claim, "" when it has none.
func anchorOf(c *markdown.Unit) string {
	for _, a := range c.Anchors {
		if a.Usable {
			return a.String()
		}
	}
	return ""
}

// sourceOf is the file of an anchor string.
func sourceOf(anchor string) string {
	name, _, _ := strings.Cut(anchor, "#")
	return name
}

// changedSources names the sources of what was selected that have changed or gone.
func (s *contents) changedSources(units []*unit) []Warning {
	var list []Warning
	reported := map[string]bool{}
	for _, u := range units {
		for _, anchor := range u.cites {
			name := sourceOf(anchor)
			if reported[name] {
				continue
			}
			reported[name] = true
			switch s.source(name) {
			case sourceChanged:
				list = append(list, Warning{diag.Warning, name, "This source has changed since the newest compile run; the claims on it are stale."})
			case sourceGone:
				list = append(list, Warning{diag.Warning, name, "This source is gone since the newest compile run; the claims on it are stale."})
			}
		}
	}
	return list
}

// recommendation is the fixed advice when something is missing (agent-knowledge
// section 13.9).
const recommendation = "ask_user_or_mark_unknown"

// openPoints lists the claims without a source that the query asks about
// and no title of the selection covers, then the open questions of that kind
// (section 13.9).
func (p *picker) openPoints(files []File) []string {
	titles := rank.NewWordSet()
	for _, f := range files {
		for _, w := range rank.Words(f.Title) {
			titles[w] = true
		}
	}
	asked := func(text string) bool {
		return slices.ContainsFunc(rank.Words(text), func(w string) bool { return p.words[w] && !titles[w] })
	}
	var list []string
	add := func(text string) {
		if asked(text) && !slices.Contains(list, text) {
			list = append(list, secret.RedactKnown(text))
		}
	}
	for _, c := range p.sourceMap.Claims {
		if (c.Status == schema.Missing || c.Status == schema.SourceRequired) && p.isPrimary(c.Document) {
			add(c.Text)
		}
	}
	for _, title := range p.openQuestions() {
		add(title)
	}
	return list
}

// isPrimary reports whether a file lies on a side that the profile declares as a
// fact source.
func (s *contents) isPrimary(name string) bool {
	switch {
	case strings.HasPrefix(name, "documents/"):
		return s.meta.HasDocuments()
	case strings.HasPrefix(name, "wiki/"):
		return s.meta.HasWiki()
	}
	return true
}

// openQuestions returns the titles of the open pages under wiki/open-questions/,
// by path, without known secrets: the caches keep them. An open page is one whose status
// is not ready (section 6.4).
func (s *contents) openQuestions() []string {
	if s.snap != nil {
		return s.snap.facts.Open
	}
	var list []string
	for _, u := range s.openPages(questionsDir) {
		list = append(list, secret.RedactKnown(u.title))
	}
	return list
}

// openPages reads the open pages of a folder of the wiki, by path.
func (s *contents) openPages(dir string) []*unit {
	if !s.meta.HasWiki() {
		return nil
	}
	var list []*unit
	for _, f := range s.pack.List(strings.TrimSuffix(dir, "/")) {
		if !strings.HasSuffix(f.Path, ".md") || s.document(f.Path).status() == schema.Ready {
			continue
		}
		if u := s.page(f.Path); u != nil {
			list = append(list, u)
		}
	}
	return list
}

// unmet returns the required phrases that no single file holds all words of.
func unmet(phrases []string, packs []Activated) []string {
	if len(phrases) == 0 {
		return nil
	}
	var texts []rank.WordSet
	for _, a := range packs {
		for _, f := range a.Files {
			texts = append(texts, rank.NewWordSet(f.Title, rank.Prose(f.Text)))
		}
	}
	var list []string
	for _, phrase := range phrases {
		words := rank.Words(phrase)
		met := slices.ContainsFunc(texts, func(text rank.WordSet) bool {
			return !slices.ContainsFunc(words, func(w string) bool { return !text[w] })
		})
		if !met {
			list = append(list, phrase)
		}
	}
	return list
}

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
