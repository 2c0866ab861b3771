package lint

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/injection"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
)

// The ids of the rules of agent-knowledge section 15 that are not scans.
const (
	idFrontMatter     = "frontmatter-required"
	idRefBroken       = "ref-broken"
	idPageOrphan      = "page-orphan"
	idEntityDuplicate = "entity-duplicate"
	idClaimStale      = "claim-stale"
	idClaimUnsourced  = "claim-unsourced"
	idViewContradicts = "view-contradicts"
	idConceptMissing  = "concept-missing"
	idCrossrefMissing = "crossref-missing"
	idDescriptionWeak = "description-weak"
	idPersonaLimits   = "persona-limits"
)

// Compiled is what a compile of the pack, dry or not, says about it. The zero
// value checks a pack that was not compiled: the records on disk are in.
type Compiled struct {
	Diagnostics []diag.Diagnostic // all that it found
	SourceMap   *schema.SourceMap
	Index       *schema.Index
	Run         *schema.Run
	Policy      policy.Local // changes the severity of all findings; those of the compile are as found
}

// Report is what a check of one pack found.
type Report struct {
	// Diagnostics are those of the compile and those of the rules, sorted as
	// section 6.11 says, without repeats and without what a file suppresses.
	Diagnostics []diag.Diagnostic
	Suppressed  []Suppressed    // in the same order
	Changed     []policy.Change // what the policy changed of Diagnostics
	Health      []Dimension     // in the order of section 16
	// SuggestedStatus is the pack status that the findings call for; the declared
	// one when there is nothing serious (section 16).
	SuggestedStatus schema.Status
}

// Checker gathers what the rules need to know of each file while its parsed form
// is in memory, so that a check parses no file that a compile has parsed. It is
// made for one pack. Add may be called from several goroutines.
type Checker struct {
	pack  *pack.Pack
	mu    sync.Mutex
	pages map[string]*page
}

// NewChecker returns a checker for a pack.
func NewChecker(p *pack.Pack) *Checker {
	return &Checker{pack: p, pages: map[string]*page{}}
}

// Add takes in one parsed file of documents/ or wiki/; it does not keep it. A
// visitor of a compile calls it with the document of each unit.
func (c *Checker) Add(doc *markdown.Document) {
	p := newPage(doc)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages[p.path] = p
}

// Report applies all rules. Files of documents/ and wiki/ that were not added are
// read and parsed here. The error is for a file that cannot be read, and for a
// context that ended.
func (c *Checker) Report(ctx context.Context, in Compiled) (*Report, error) {
	if err := c.addRest(ctx); err != nil {
		return nil, err
	}
	return c.run(in).report(ctx)
}

// addRest reads the files that no compile showed.
func (c *Checker) addRest(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range slices.Concat(c.pack.List("documents"), c.pack.List("wiki")) {
		c.mu.Lock()
		known := c.pages[f.Path] != nil
		c.mu.Unlock()
		if known || !strings.HasSuffix(f.Path, ".md") || f.Size > maxScanned {
			continue
		}
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			text, ok, err := readText(c.pack, f.Path)
			if err == nil && ok {
				c.Add(markdown.Parse(f.Path, text))
			}
			return err
		})
	}
	return g.Wait()
}

// readText reads one file as text; ok is false if it is not one.
func readText(p *pack.Pack, name string) (text []byte, ok bool, err error) {
	data, err := p.ReadFile(name)
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	text, ok = frontmatter.Decode(data)
	return text, ok, nil
}

// run is one application of the rules.
type run struct {
	pack      *pack.Pack
	in        Compiled
	pages     []*page // in path order
	byPath    map[string]*page
	guide     *page
	views     []*page // hand-kept Markdown files of compiled/
	claims    *claimTable
	names     map[string]*page       // wiki pages by the key of their title, aliases and file stem; nil where two share one
	generated map[string]bool        // files of compiled/ that follow the primary source
	recorded  map[string]schema.View // views that the last compile made, as compiled/index.json on disk says
	written   map[string]string      // hashes of the files that the last compile wrote, as that index says
	made      map[string]string      // the same of this compile
	list      []diag.Diagnostic
	by        map[string][]Suppression // of each file that has some

	hints               int // given for wrong paths so far
	scanned, suspicious int // files looked at by the scans, and those with a finding
}

// raise records a finding of a rule with its usual severity.
func (r *run) raise(id, path string, line, column int, message, hint string) {
	r.list = append(r.list, diag.Diagnostic{
		ID: id, Severity: rulebook.SeverityOf(id), Path: path, Line: line, Column: column, Message: message, Hint: hint,
	})
}

func (r *run) report(ctx context.Context) (*Report, error) {
	if err := r.readRecords(); err != nil {
		return nil, err
	}
	r.guide = newPage(markdown.Parse(pack.EntryName, r.pack.EntryText))
	r.take(r.guide)
	r.namePages()
	for _, step := range []func(context.Context) error{r.readViews, r.scanRest, r.findCopies, r.findMentions} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	r.checkFrontMatter()
	r.checkGuide()
	r.checkReferences()
	r.checkPages()
	r.checkClaims()
	return r.finish(), nil
}

// take collects what was found in a file while it was read.
func (r *run) take(p *page) {
	r.list = append(r.list, p.found...)
	p.found = nil
	if len(p.suppress) > 0 {
		r.by[p.path] = p.suppress
	}
	r.scanned++
	if p.suspect {
		r.suspicious++
	}
}

// finish joins the findings with those of the compile, applies suppressions and
// measures the health.
func (r *run) finish() *Report {
	r.list = append(r.list, r.in.Diagnostics...)
	for i := range r.list {
		if r.list[i].Pack == "" {
			r.list[i].Pack = r.pack.Meta.Name
		}
	}
	diag.Sort(r.list)
	r.list = slices.Compact(r.list)
	out := &Report{}
	byFile := map[string][]diag.Diagnostic{}
	for _, d := range r.list {
		if r.by[d.Path] == nil {
			out.Diagnostics = append(out.Diagnostics, d)
			continue
		}
		byFile[d.Path] = append(byFile[d.Path], d)
	}
	for path, by := range r.by {
		kept, dropped := suppress(path, byFile[path], by)
		out.Diagnostics = append(out.Diagnostics, kept...)
		out.Suppressed = append(out.Suppressed, dropped...)
	}
	for i := range out.Diagnostics {
		out.Diagnostics[i].Pack = r.pack.Meta.Name
	}
	out.Diagnostics, out.Changed = r.in.Policy.Apply(out.Diagnostics)
	diag.Sort(out.Diagnostics)
	sortSuppressed(out.Suppressed)
	out.Health = r.health(out.Diagnostics)
	out.SuggestedStatus = suggestStatus(r.pack.Meta.Status, out.Diagnostics)
	return out
}

// readRecords reads the records on disk where no compile gave them. A record that
// is absent or broken is not a fault of a check.
func (r *run) readRecords() error {
	read := func(name string, use func([]byte)) error {
		if !r.pack.Has(name) {
			return nil
		}
		data, err := r.pack.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		use(data)
		return nil
	}
	r.claims = newClaimTable()
	if err := read(pack.SourceMapPath, func(data []byte) {
		if m, err := schema.DecodeSourceMap(data); err == nil {
			r.claims.addPublished(m)
			if r.in.SourceMap == nil {
				r.in.SourceMap = m
			}
		}
	}); err != nil {
		return err
	}
	if r.in.SourceMap != nil {
		r.claims.addCurrent(r.in.SourceMap)
	}
	return read(pack.IndexPath, func(data []byte) {
		x, err := schema.DecodeIndex(data)
		if err != nil {
			return
		}
		if r.in.Index == nil {
			r.in.Index = x
		}
		r.recorded, r.written = map[string]schema.View{}, sumsOf(x)
		for _, v := range x.Views {
			if len(v.DerivedFrom) > 0 {
				r.recorded[v.Path] = v
			}
		}
	})
}

// The ids of the findings of the scans (agent-knowledge section 6.10).
const (
	idInjection = "injection-suspect"
	idSecret    = "secret-suspect"
	idRawCopy   = "raw-copy"
)

// maxFindings is how many places of one file a scan reports; the last finding
// says how many more there are.
const maxFindings = 50

// injectionFindings makes diagnostics of the instruction-like text in a file: a
// warning for each, and for weak ones a single remark of severity info for each
// family, at its first place.
func injectionFindings(path string, text []byte, hits []injection.Hit) []diag.Diagnostic {
	p := placer{text: text, line: 1}
	var list []diag.Diagnostic
	weak := map[string]int{}
	hidden := 0 // the line of the finding about invisible characters before
	for i, h := range hits {
		if h.Weak {
			if weak[h.Kind]++; weak[h.Kind] > 1 {
				continue
			}
		}
		d := diag.Diagnostic{
			ID: idInjection, Severity: diag.Warning, Path: path,
			Message: fmt.Sprintf("the text reads like an instruction (%s): %q", h.Kind, h.Shown),
			Hint:    "remove it; where the page is about such text, put it in a code span or quotation marks",
		}
		switch {
		case h.Kind == injection.KindHidden:
			d.Message = fmt.Sprintf("the text holds invisible characters (%s)", h.Shown)
			d.Hint = "remove them"
		case h.Kind == injection.KindComment:
			d.Hint = "remove the comment"
		}
		if h.Weak {
			d.Severity, d.Hint = diag.Info, ""
		}
		d.Line, d.Column = p.place(h.Start)
		if h.Kind == injection.KindHidden {
			if d.Line == hidden {
				continue
			}
			hidden = d.Line
			if n := hiddenOn(text, h.Start, hits[i:]); n > 1 {
				d.Message = fmt.Sprintf("the text holds invisible characters in %d places of this line (%s first)", n, h.Shown)
			}
		}
		list = append(list, d)
	}
	return bounded(list)
}

// hiddenOn counts the invisible characters in the line of an offset, from the hit there on.
func hiddenOn(text []byte, start int, hits []injection.Hit) (n int) {
	end := len(text)
	if i := bytes.IndexByte(text[start:], '\n'); i >= 0 {
		end = start + i
	}
	for _, h := range hits {
		if h.Start >= end {
			break
		}
		if h.Kind == injection.KindHidden {
			n++
		}
	}
	return n
}

// SecretFindings makes an error of every known secret in a file, and a warning of
// every guess. They name the kind and show at most four characters. Errors come
// first, so that no number of guesses hides one.
func SecretFindings(path string, text []byte, hits []secret.Hit) []diag.Diagnostic {
	p := placer{text: text, line: 1}
	var known, guessed []diag.Diagnostic
	for _, h := range hits {
		d := diag.Diagnostic{ID: idSecret, Path: path}
		d.Line, d.Column = p.place(h.Start)
		if h.Known {
			d.Severity = diag.Error
			d.Message = fmt.Sprintf("the text holds a likely %s, beginning with %q", h.Kind, h.Shown)
			d.Hint = "revoke it, then remove it from the file and its history; in examples write a placeholder"
			if h.Named() {
				d.Hint = "change it, then remove it from the file and its history; in examples write a placeholder"
				if !commentless(path) {
					d.Hint += "; if it is not a secret, " + acceptance(path)
				}
			}
			known = append(known, d)
			continue
		}
		d.Severity = diag.Warning
		d.Message = fmt.Sprintf("the text holds a possible %s, beginning with %q", h.Kind, h.Shown)
		d.Hint = "revoke and remove it; if it is not a secret, " + acceptance(path)
		guessed = append(guessed, d)
	}
	return append(bounded(known), bounded(guessed)...)
}

// acceptance says how a file lets a line through that a scan is wrong about.
func acceptance(name string) string {
	directive := directiveLine + " " + idSecret + ": why it is not one"
	switch {
	case strings.ToLower(path.Ext(name)) == ".md":
		return "write <!-- " + directive + " --> on the line above"
	case commentless(name):
		return "name the file under rules: in packgen.yaml"
	}
	return "write " + directive + " in a comment on the line above"
}

// commentless reports a file that can hold no comment.
func commentless(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".json" || ext == ".csv" || ext == ".tsv"
}

// CopyFindings makes a warning of every passage that Find found in a file.
func CopyFindings(path string, text []byte, copies []Copy) []diag.Diagnostic {
	p := placer{text: text, line: 1}
	var list []diag.Diagnostic
	for _, c := range copies {
		line, column := p.place(c.Start)
		list = append(list, diag.Diagnostic{
			ID: idRawCopy, Severity: diag.Warning, Path: path, Line: line, Column: column,
			Message: fmt.Sprintf("%d words in a row are copied from %s", c.Words, c.Source),
			Hint:    "say it in your own words with an anchor to the source, or quote less",
		})
	}
	return bounded(list)
}

// bounded cuts a list of findings of one file to maxFindings.
func bounded(list []diag.Diagnostic) []diag.Diagnostic {
	if len(list) <= maxFindings {
		return list
	}
	more := len(list) - maxFindings
	list = slices.Clip(list[:maxFindings])
	last := &list[maxFindings-1]
	last.Message += fmt.Sprintf(" So are %d more places of this file", more)
	return list
}

// placer turns offsets into places. It is quick where offsets ascend.
type placer struct {
	text  []byte
	at    int // offset whose line is known
	line  int // 1-based line of at
	start int // offset where that line starts
}

// place returns the 1-based line and column, in bytes, of an offset.
func (p *placer) place(offset int) (line, column int) {
	if offset < p.at {
		p.at, p.line, p.start = 0, 1, 0
	}
	passed := p.text[p.at:offset]
	if n := bytes.Count(passed, []byte("\n")); n > 0 {
		p.line += n
		p.start = p.at + bytes.LastIndexByte(passed, '\n') + 1
	}
	p.at = offset
	return p.line, offset - p.start + 1
}

// Dimension is one side of a pack's health (agent-knowledge section 16).
type Dimension struct {
	Name    string  `json:"name"`
	Score   float64 `json:"score"`   // share of what was checked that is sound, 0 to 1, four digits; 1 when there was nothing
	Checked int     `json:"checked"` // things looked at
	Failed  int     `json:"failed"`  // of them, those with a fault
}

func newDimension(name string, checked, failed int) Dimension {
	failed = min(failed, checked)
	d := Dimension{Name: name, Score: 1, Checked: checked, Failed: failed}
	if checked > 0 {
		d.Score = math.Round(float64(checked-failed)/float64(checked)*10_000) / 10_000
	}
	return d
}

// health measures the dimensions, in the order of section 16. Each counts other
// things:
//
//   - consistency: files, and those whose content conflicts with another's;
//   - completeness: documents and pages, and those that do not open with a
//     paragraph that says what they are about, or have neither source nor example;
//   - coverage: sections and entries of the context map, and those without split
//     or file, or without content;
//   - islands: documents and pages, and those without any link to or from another
//     one and without source;
//   - freshness: claims and files, and those that are stale;
//   - traceability: claims, and those without a path back to a source;
//   - security: files scanned, and those with a secret or an instruction.
func (r *run) health(list []diag.Diagnostic) []Dimension {
	pages := r.contentPages()
	bare, islands, staleFiles := 0, 0, 0
	for _, p := range pages {
		if !p.lead || !p.sourced && !p.outside && !p.example {
			bare++
		}
		if p.inbound+p.outbound == 0 && !p.sourced {
			islands++
		}
		if p.status == schema.Stale {
			staleFiles++
		}
	}
	claims, stale, lost := 0, 0, 0
	if m := r.in.SourceMap; m != nil {
		claims = len(m.Claims)
		for _, c := range m.Claims {
			if c.Status == schema.Stale {
				stale++
			}
			if c.Source.Path == "" || c.Status == schema.Missing || c.Status == schema.SourceRequired {
				lost++
			}
		}
	}
	sections, uncovered := r.coverage()
	return []Dimension{
		newDimension("consistency", len(pages)+len(r.views), conflicting(list)),
		newDimension("completeness", len(pages), bare),
		newDimension("coverage", sections, uncovered),
		newDimension("islands", len(pages), islands),
		newDimension("freshness", claims+len(pages), stale+staleFiles),
		newDimension("traceability", claims, lost),
		newDimension("security", r.scanned, r.suspicious),
	}
}

// contentPages are the documents and pages that hold facts.
func (r *run) contentPages() []*page {
	var list []*page
	for _, p := range r.pages {
		withdrawn := p.status == schema.Draft || p.status == schema.Archived
		open := p.path == "documents/open-questions.md" || strings.HasPrefix(p.path, "wiki/") && !p.isEntry()
		if !withdrawn && !open {
			list = append(list, p)
		}
	}
	return list
}

// coverage counts what a task can be answered from: sections that became splits
// and have content, entries of the context map that exist.
func (r *run) coverage() (checked, failed int) {
	if r.in.SourceMap != nil {
		for _, s := range r.in.SourceMap.DocumentSections {
			if p := r.byPath[s.Document]; p == nil || strings.HasPrefix(s.Document, "wiki/") && !p.isEntry() || s.Document == "documents/open-questions.md" {
				continue
			}
			checked++
			if len(s.CompiledInto) == 0 {
				failed++
			}
		}
	}
	if r.in.Run != nil {
		for _, c := range r.in.Run.Chapters {
			if c.Coverage == "missing" {
				failed++
			}
		}
	}
	for _, l := range r.guide.links {
		if l.kind != mapEntry {
			continue
		}
		checked++
		if !r.exists(l.target) {
			failed++
		}
	}
	return checked, failed
}

// conflicting counts the files with a finding that says two texts disagree.
func conflicting(list []diag.Diagnostic) int {
	files := map[string]bool{}
	for _, d := range list {
		switch d.ID {
		case "claim-conflict", "claim-disputed", idEntityDuplicate, idViewContradicts:
			if d.Severity == diag.Info {
				continue // two sections of one page that are headed alike
			}
			files[d.Path] = true
		}
	}
	return len(files)
}

// suggestStatus returns the status that findings call for: never better than the
// declared one (agent-knowledge sections 14.2 and 16).
func suggestStatus(declared schema.Status, list []diag.Diagnostic) schema.Status {
	if declared == schema.Archived {
		return declared
	}
	worst := declared
	for _, d := range list {
		next := schema.Status("")
		switch d.ID {
		case "claim-conflict", "claim-disputed", idViewContradicts:
			next = schema.Disputed
		case idClaimStale, "source-changed", "source-stale":
			next = schema.Stale
		case idSecret, idInjection, idRawCopy, idFrontMatter:
			next = schema.NeedsReview
		}
		if d.Severity > diag.Info {
			worst = schema.Worse(worst, next)
		}
	}
	return worst
}

// sortSuppressed orders suppressed findings by file and place.
func sortSuppressed(list []Suppressed) {
	slices.SortFunc(list, func(a, b Suppressed) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), strings.Compare(a.ID, b.ID), strings.Compare(a.Message, b.Message))
	})
}

// Scanned is what Scan found in a file.
type Scanned struct {
	// Diagnostics are those of injectionFindings and SecretFindings, without
	// what the file suppresses.
	Diagnostics []diag.Diagnostic
	// Secrets are the known ones that the file does not suppress: what must not be
	// published. A guess is reported and published.
	Secrets    []secret.Hit
	Suppressed []Suppressed // what the file suppresses
}

// Scan looks for instruction-like text and for secrets in one file of a pack,
// given its decoded text: for instructions in the guide, in documents, pages,
// views and sources, for secrets in every file. The suppressions of the file
// apply.
func Scan(path string, text []byte) Scanned {
	injections := injectionsIn(path, text)
	hits := secret.Find(text)
	if len(injections)+len(hits) == 0 {
		return Scanned{}
	}
	var out Scanned
	if by, _ := Suppressions(path, text); len(by) > 0 {
		if isSource(path) {
			by = slices.DeleteFunc(by, func(s Suppression) bool { return s.Rule == idInjection })
		}
		all := append(injectionFindings(path, text, injections), SecretFindings(path, text, hits)...)
		_, out.Suppressed = suppress(path, all, by)
		covers := coverage(idInjection, text, by)
		injections = slices.DeleteFunc(injections, func(h injection.Hit) bool { return covers(h.Start) })
		covers = coverage(idSecret, text, by)
		hits = slices.DeleteFunc(hits, func(h secret.Hit) bool { return covers(h.Start) })
	}
	out.Diagnostics = append(injectionFindings(path, text, injections), SecretFindings(path, text, hits)...)
	for _, h := range hits {
		if h.Known {
			out.Secrets = append(out.Secrets, h)
		}
	}
	return out
}

// ScanForeign is Scan for a file of a pack from elsewhere. Its text is evidence from
// anywhere: instructions are looked for in every file, and no comment in it can vouch
// for its text. Its author may say that a value is not a secret.
func ScanForeign(path string, text []byte) Scanned {
	out := Scan(path, text)
	out.Diagnostics = slices.DeleteFunc(out.Diagnostics, func(d diag.Diagnostic) bool { return d.ID == idInjection })
	out.Diagnostics = append(Instructions(path, text), out.Diagnostics...)
	return out
}

// Instructions looks for instruction-like text in a file of a pack from elsewhere,
// whatever the file is and whatever the comments in it say.
func Instructions(path string, text []byte) []diag.Diagnostic {
	return injectionFindings(path, text, injection.Find(text, injection.Options{Raw: !isProse(path)}))
}

// injectionsIn looks for instructions in a file whose text may reach a model. A
// source is evidence from anywhere: no comment in it can vouch for its text.
func injectionsIn(path string, text []byte) []injection.Hit {
	switch {
	case isSource(path):
		return injection.Find(text, injection.Options{Raw: !isProse(path)})
	case path == "boot.yml": // a boot says its texts to an agent
		return injection.Find(text, injection.Options{Raw: true})
	case strings.HasSuffix(path, ".md"):
		return injection.Find(text, injection.Options{LeaveOut: suppressesInjection})
	}
	return nil
}

// isSource reports a file of the raw layer.
func isSource(path string) bool { return strings.HasPrefix(path, "sources/") }

// coverage returns a test whether a suppression of a rule covers an offset. It is
// quick where offsets ascend.
func coverage(rule string, text []byte, by []Suppression) func(offset int) bool {
	p := placer{text: text, line: 1}
	return func(offset int) bool {
		d := diag.Diagnostic{ID: rule}
		d.Line, _ = p.place(offset)
		return slices.ContainsFunc(by, func(s Suppression) bool { return s.Covers(&d) })
	}
}
