package context

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/rank"
)

// command is what a resolution calls itself (agent-knowledge section 13.9).
const command = "resolve-context"

// Resolve selects the smallest useful part of some packs for a query and fences
// it (agent-knowledge section 13). It reads the front matter of every pack, then
// the content of those that are activated, and writes nothing but what a pack's
// Cache keeps. It may be called from several goroutines, also with the same file
// systems.
//
// What is wrong with a pack, or is in the way of using it, is a warning of
// the resolution. The error is for a file system that cannot be read, a call
// without packs, and an ended context.
func Resolve(ctx context.Context, packs []Pack, req Request) (*Resolution, error) {
	c, err := Open(ctx, packs)
	if err != nil {
		return nil, err
	}
	return c.Resolve(ctx, req)
}

// effectiveBudget applies default and minimum; raised reports the latter.
func effectiveBudget(budget int) (tokens int, raised bool) {
	switch {
	case budget == 0:
		return DefaultBudget, false
	case budget < MinBudget:
		return MinBudget, true
	}
	return min(budget, maxBudget), false
}

// maxBudget keeps sums of tokens within an int on any machine.
const maxBudget = 1 << 28

// choice is an activated pack with what was picked from it; the picker of a
// blocked pack is nil.
type choice struct {
	*candidate
	*picker
	result Activated
	kept   []pick        // of the picker, what fits the budget
	status schema.Status // worst of views and runs

	outdated bool // a text of it is not what its document says now, or its records are not those of a run
}

// assemble puts the packs into wrapper order, deals the budget out and builds
// the resolution. Asked are the names of the packs that were looked at.
func assemble(list []*choice, by asked, req *Request) *Resolution {
	// Persona wrappers come first, whatever the order of activation (section
	// 13.11).
	slices.SortStableFunc(list, func(a, b *choice) int { return modeOrder(a) - modeOrder(b) })
	personas, data := 0, 0
	for _, c := range list {
		switch {
		case c.picker == nil:
		case c.isPersona():
			personas++
		default:
			data++
		}
	}
	deal := newShares(req.Budget, personas, data)
	about := rank.WordSet{}
	for _, c := range list {
		if c.entry != nil {
			for w := range rank.NewWordSet(c.name(), c.entry.Meta.Description) {
				about[w] = true
			}
		}
	}
	for _, c := range list {
		c.describe()
		if c.picker != nil {
			c.fill(deal)
		}
	}
	for _, c := range list {
		if c.picker != nil {
			c.result.judgement = c.judge(list, about)
		}
	}
	return merge(list, by, req)
}

func modeOrder(c *choice) int {
	if c.isPersona() {
		return 0
	}
	return 1
}

// describe copies what the catalog knows.
func (c *choice) describe() {
	c.result = Activated{Name: c.name(), Dir: c.Dir, Activation: c.Activation, Blocked: c.blocked, Warnings: c.catalogWarnings()}
	if c.entry == nil {
		return
	}
	k := &c.entry.Meta
	c.result.Status, c.result.Grounding = k.Status, k.Grounding
	c.result.Trust = c.trust()
	c.result.Profile, c.result.Mode = k.EffectiveProfile(), k.EffectiveMode()
	c.result.builder = k.ProducedBy
}

// catalogWarnings are those about the pack as a whole and about the call.
func (c *candidate) catalogWarnings() []Warning {
	if !c.raised {
		return c.warnings
	}
	return append(slices.Clone(c.warnings), Warning{diag.Info, pack.EntryName, fmt.Sprintf("The token budget was raised to the minimum of %d.", MinBudget)})
}

// fill takes the picks that fit and collects what goes with them.
func (c *choice) fill(deal *shares) {
	a := &c.result
	files, kept, notes := fit(c.picks, deal.next(), c.bestPart)
	notes = append(notes, c.look(files)...)
	a.Files = files
	c.kept = kept
	units := make([]*unit, len(kept))
	c.outdated = c.edited || c.runs.damaged
	for i, p := range kept {
		units[i] = p.unit
		files[i].Status = c.pageStatus(p.unit)
		c.outdated = c.outdated || p.unit.old
		a.TokenEstimate += files[i].Tokens
		a.Selection = append(a.Selection, Selected{p.path, p.reason, p.insteadOf})
		a.Claims = append(a.Claims, p.claims...)
		if strings.HasPrefix(p.document, "documents/") && !slices.Contains(a.SelectedDocuments, p.document) {
			a.SelectedDocuments = append(a.SelectedDocuments, p.document)
		}
		if p.kind == split {
			a.SelectedSplits = append(a.SelectedSplits, p.path)
		}
	}
	deal.spend(a.TokenEstimate)
	a.SourceAnchors = anchorsIn(files, units)
	a.CompileWarnings, c.status = c.compileWarnings(units)
	if c.damaged() {
		c.status = schema.Worse(c.status, schema.NeedsReview)
	}
	a.Warnings = slices.Concat(a.Warnings, c.picker.warnings, c.contents.notes, c.notIntact(units), outdated(units), c.changedSources(units), c.uncompiled(units), c.runs.warnings(), notes, c.evidence(a.SourceAnchors))
}

// anchorsIn lists the usable anchors of the selected texts, each once.
func anchorsIn(files []File, units []*unit) []string {
	var list []string
	seen := map[string]bool{}
	for i, f := range files {
		anchors := units[i].cites
		if !units[i].parsed || f.Text != units[i].text {
			anchors = nil
			if doc := parseText(f.Path, f.Text); doc != nil {
				anchors = usableAnchors(doc)
			}
		}
		for _, name := range anchors {
			if !seen[name] {
				seen[name] = true
				list = append(list, name)
			}
		}
	}
	return list
}

// parseText parses a text that may hold an anchor; nil for any other.
func parseText(path, text string) *markdown.Document {
	if !strings.Contains(text, "[") && !strings.Contains(text, "claim:") {
		return nil
	}
	decoded, ok := frontmatter.Decode([]byte(text))
	if !ok {
		return nil
	}
	return markdown.Parse(path, decoded)
}

// usableAnchors lists the usable anchors of a text, not nil.
func usableAnchors(doc *markdown.Document) []string {
	list := []string{}
	for _, a := range doc.Anchors {
		if a.Usable {
			list = append(list, a.String())
		}
	}
	return list
}

// merge builds the resolution of all packs.
func merge(list []*choice, by asked, req *Request) *Resolution {
	r := &Resolution{
		OK: true, Status: schema.Passed, Command: command, DryRun: true, Query: req.Query,
		SelectedDocuments: []string{}, SelectedFiles: []string{}, SourceAnchors: []string{},
		Warnings: []Warning{}, CompileWarnings: []Warning{}, Selection: []Selected{},
	}
	if len(list) == 0 {
		r.Warnings = append(r.Warnings, Warning{diag.Error, pack.EntryName, by.noMatch()})
	}
	r.Confidence = confidenceOf(list)
	var missing, wrappers []string
	for _, c := range list {
		r.add(&c.result, len(list) > 1)
		r.Status = schema.Worse(r.Status, c.worst())
		r.Refused = r.Refused || c.blocked
		if w := wrap(&c.result, req.FullWrapper, r.Confidence); w != "" {
			wrappers = append(wrappers, w)
		}
		if c.picker != nil {
			missing = append(missing, c.openPoints(c.result.Files)...)
		}
	}
	missing = slices.Concat(unmet(req.Require, r.Activated), missing, lacking(list))
	if len(r.Selection) == 0 {
		r.Refused, r.OK, r.Status = true, false, schema.Failed
	}
	if req.Strict && r.Confidence == Uncertain {
		r.Withheld = !r.Refused
		r.Refused = true
	}
	r.OK = r.OK && !r.Refused && !hasErrors(r.Warnings) && !hasErrors(r.CompileWarnings)
	for _, m := range missing {
		if !slices.Contains(r.Missing, m) {
			r.Missing = append(r.Missing, m)
		}
	}
	if len(r.Missing) > 0 {
		r.Recommendation = recommendation
	}
	if !req.NoContext && !(req.Strict && r.Confidence == Uncertain) {
		r.Context = strings.Join(wrappers, "\n\n")
	}
	r.show()
	return r
}

// maxAsked is how many packs are named where none has a match.
const maxAsked = 5

// asked are the packs that nobody activated, as messages name them.
type asked struct {
	packs []string // whose sections were ranked
	kept  []string // that status, trust or type keeps out, each with the reason
}

// noMatch says that no section of the packs fits, and which packs were not asked.
func (a asked) noMatch() string {
	said := "No pack may be used."
	if len(a.packs) > 0 {
		said = "No match in " + someOf(a.packs) + "."
	}
	if len(a.kept) > 0 {
		said += " Not asked: " + someOf(a.kept) + "."
	}
	return said
}

// someOf joins a few names and counts the others.
func someOf(names []string) string {
	if more := len(names) - maxAsked; more > 0 {
		return fmt.Sprintf("%s and %d more packs", strings.Join(names[:maxAsked], ", "), more)
	}
	return strings.Join(names, ", ")
}

// worst is what a pack makes of the status of a resolution (section 10).
func (c *choice) worst() schema.Status {
	if c.entry == nil || c.fault != "" {
		return schema.Failed
	}
	status := ofPack(c.entry.Meta.Status)
	if c.picker != nil {
		status = schema.Worse(status, c.status)
	}
	return status
}

// add takes over what one pack gave; with several packs, paths say whose they
// are.
func (r *Resolution) add(a *Activated, several bool) {
	prefix := ""
	if several {
		prefix = a.Name + ":"
		r.Packs = append(r.Packs, a.Name)
	} else {
		r.Pack = a.Name
	}
	r.Activated = append(r.Activated, *a)
	r.TokenEstimate += a.TokenEstimate
	for _, d := range a.SelectedDocuments {
		r.SelectedDocuments = append(r.SelectedDocuments, prefix+d)
	}
	for _, s := range a.Selection {
		r.SelectedFiles = append(r.SelectedFiles, prefix+s.Path)
		if s.InsteadOf != "" {
			s.InsteadOf = prefix + s.InsteadOf
		}
		s.Path = prefix + s.Path
		r.Selection = append(r.Selection, s)
	}
	for _, c := range a.Claims {
		c.Path = prefix + c.Path
		r.Claims = append(r.Claims, c)
	}
	for _, s := range a.SourceAnchors {
		r.SourceAnchors = append(r.SourceAnchors, prefix+s)
	}
	for _, w := range a.Warnings {
		r.Warnings = append(r.Warnings, Warning{w.Severity, prefix + w.Path, w.Message})
	}
	for _, w := range a.CompileWarnings {
		r.CompileWarnings = append(r.CompileWarnings, Warning{w.Severity, prefix + w.Path, w.Message})
	}
}

func hasErrors(list []Warning) bool {
	return slices.ContainsFunc(list, func(w Warning) bool { return w.Severity == diag.Error })
}

// Activation says how a pack came into use (agent-knowledge section 12.5).
type Activation string

// The ways of activation. A pack without one may be activated by the resolver,
// when its catalog entry fits the query.
const (
	Explicit       Activation = "explicit"        // the user or client named it
	Implicit       Activation = "implicit"        // the request clearly matches it
	ResolverDriven Activation = "resolver-driven" // ranked by the resolver
)

// Scope says where a pack was found; earlier ones take precedence (section
// 12.2). The zero value is the workspace.
type Scope uint8

// The scopes of section 12.1.
const (
	Workspace Scope = iota
	User
	Organisation
	BuiltIn
)

// Pack is a pack that a request may draw on.
type Pack struct {
	FS         fs.FS      // required: the pack root. Symbolic links are followed inside it only
	Dir        string     // the directory as the caller names it, for messages
	Activation Activation // "" leaves it to the resolver
	Scope      Scope      // where it was found
	MaxTrust   string     // caps the declared trust, such as "external" for a pack from elsewhere; "" does not
	Unapproved bool       // from elsewhere and not yet approved: naming it is not enough
	Own        bool       // of the repository that the caller works in: trusted as the repository is
	// Mappings are the folders that lie elsewhere and are read as documents of the pack.
	Mappings []pack.Mapping
	// Views are statuses of views by path, as they were worked out where the pack's
	// sources are available; the worse of them and what is seen here counts.
	Views map[string]schema.Status
	// Known returns the SHA-256 of a file, as hex digits, when its size and times say that
	// nobody touched it since it was hashed; "" otherwise. It may be nil.
	Known func(f pack.File) string
	// Cache keeps what is counted in its sections; nil keeps nothing.
	Cache  Cache
	Always []string // documents and pages, by path, that are selected whole before any ranking: what its boot.yml says
}

// Limits of a request.
const (
	DefaultBudget = 6000 // tokens (section 13.8)
	MinBudget     = 250  // tokens; smaller budgets are raised to it
	maxActivated  = 3    // packs that the resolver activates by itself
)

// Request is a query with what the caller allows. Only Query is usual; the zero
// value of everything else is the default.
type Request struct {
	Query          string
	Also           []string        // other wordings and parts of the query; each is ranked alone
	Budget         int             // tokens; 0 is DefaultBudget, others below MinBudget are raised to it
	Scorer         rank.Scorer     // nil is rank.BM25F
	Require        []string        // phrases that the selection must hold, otherwise they are missing (section 13.9)
	Allow          []schema.Status // pack statuses "draft" and "archived" that may be used without being ready (section 14.1)
	Confirm        []schema.Status // "disputed": disputed packs are used; "personas": several persona packs are
	AllowUntrusted bool            // uses untrusted packs (section 12.6)
	FullWrapper    bool            // adds attributes and warnings to the wrappers (section 13.10)
	NoContext      bool            // leaves the fenced text out
	Strict         bool            // refuses an uncertain selection: no text is given
}

// wordings are the query and those of its other wordings that have a word to look for,
// each once.
func (r *Request) wordings() []string {
	list := []string{r.Query}
	for _, text := range r.Also {
		if len(rank.Words(text)) > 0 && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// Warning is a remark on a selection.
type Warning struct {
	Severity diag.Severity `json:"severity"`
	Path     string        `json:"path"`
	Message  string        `json:"message"`
}

// String names a warning for people.
func (w Warning) String() string { return fmt.Sprintf("%s: %s: %s", w.Severity, w.Path, w.Message) }

// Selected is a file with the reason why it was taken.
type Selected struct {
	Path   string `json:"path"`   // a file, or documents/x.md#section
	Reason string `json:"reason"` // match:<score>, boundary, view, context-map, persona:<class>, boot, default, escalate
	// InsteadOf is the compiled file whose place it takes, because that is gone or not
	// what compile wrote; "" otherwise.
	InsteadOf string `json:"instead_of,omitempty"`
}

// Claim is a claim of the selection that is stale or disputed. Its text bears the
// status as a marker.
type Claim struct {
	Path   string        `json:"path"` // of the selected file
	Text   string        `json:"text"`
	Status schema.Status `json:"status"`           // stale, disputed
	Source string        `json:"source,omitempty"` // anchor string of what it rests on
}

// Resolution is what a request gave. Its JSON is that of agent-knowledge
// section 13.9, keys in this order. With several packs, paths are prefixed
// "<pack>:".
type Resolution struct {
	OK                bool          `json:"ok"`     // nothing blocked, something selected, no entry of severity error
	Status            schema.Status `json:"status"` // passed, needs-review, stale, disputed, failed
	Command           string        `json:"command"`
	Pack              string        `json:"pack,omitempty"`
	Packs             []string      `json:"packs,omitempty"` // takes the place of Pack when there are several, in wrapper order
	DryRun            bool          `json:"dry_run"`
	Query             string        `json:"query"`
	SelectedDocuments []string      `json:"selected_documents"`
	SelectedFiles     []string      `json:"selected_files"`
	SourceAnchors     []string      `json:"source_anchors"`
	Warnings          []Warning     `json:"warnings"`
	CompileWarnings   []Warning     `json:"compile_warnings"`
	TokenEstimate     int           `json:"token_estimate"` // sum over the files
	Selection         []Selected    `json:"selection"`
	Claims            []Claim       `json:"claims,omitempty"` // those that are stale or disputed, in the order of the text
	Confidence        Confidence    `json:"confidence"`       // whether the selection answers the query as a whole
	Missing           []string      `json:"missing,omitempty"`
	Recommendation    string        `json:"recommendation,omitempty"`
	Context           string        `json:"context,omitempty"` // the wrappers, without a final line end

	// Refused is true when a pack was blocked by status or trust, or nothing
	// could be selected: exit code 1 (section 17.3).
	Refused  bool `json:"-"`
	Withheld bool `json:"-"` // refused by Strict alone
	// Activated are the packs in wrapper order, with paths of their own.
	Activated []Activated `json:"-"`
}

// Activated is what was selected from one pack. Its paths have no prefix.
type Activated struct {
	Name, Dir         string
	Activation        Activation
	Status            schema.Status // as declared
	Trust             string        // as declared
	Grounding         string        // as declared
	Profile, Mode     string        // effective
	Blocked           bool          // by status or trust; nothing was read
	SelectedDocuments []string
	SelectedSplits    []string
	Selection         []Selected
	Claims            []Claim
	SourceAnchors     []string
	Warnings          []Warning
	CompileWarnings   []Warning
	TokenEstimate     int
	Files             []File // what the wrapper holds

	builder   *pack.Producer // metadata.producedBy
	judgement rank.Judgement // of the files
}

// File is one selected text.
type File struct {
	Path     string   // as in the selection
	Document string   // the document or page it comes from; "" for a view
	Sections []string // ids of the sections in it; none of a view
	Title    string
	Text     string // as on disk with markers after doubtful claims, or cut to the budget; not yet escaped
	Tokens   int

	InsteadOf string // see Selected

	Status schema.Status // of the document or page, which the wrapper says when it is not ready
}

// Record is runs/context-<timestamp>.json: what was chosen for a query
// (agent-knowledge section 10). It is a closed object.
type Record struct {
	RunID          string                 `json:"run_id"`
	Query          string                 `json:"query"`
	Status         schema.Status          `json:"status"`
	Resolver       schema.ContextResolver `json:"resolver"`
	ActivatedPacks []RecordPack           `json:"activated_packs"`
	Missing        []string               `json:"missing,omitempty"`
	TokenEstimate  int                    `json:"token_estimate"`
	WrapperOrder   []string               `json:"wrapper_order"` // pack names
}

// RecordPack is one activated pack.
type RecordPack struct {
	Name              string                 `json:"name"`
	Activation        string                 `json:"activation"` // explicit, implicit, resolver-driven
	SelectedFiles     []string               `json:"selected_files"`
	Status            schema.Status          `json:"status,omitempty"`
	Trust             string                 `json:"trust,omitempty"`
	Grounding         string                 `json:"grounding,omitempty"`
	SourceAnchors     []string               `json:"source_anchors"`
	Warnings          []Warning              `json:"warnings"` // then the compile warnings, and the claims that are stale or disputed
	Profile           string                 `json:"profile,omitempty"`
	RuntimeMode       string                 `json:"runtime_mode,omitempty"`
	SelectedDocuments []string               `json:"selected_documents"`
	SelectedSplits    []string               `json:"selected_splits"`
	WrapperOrder      int                    `json:"wrapper_order"` // from 1
	BuilderSkill      *schema.ContextBuilder `json:"builder_skill,omitempty"`
}

// strategy is what the selection of section 13.5 calls itself in records.
const strategy = "profile-aware"

// RecordID returns the id of a context record, which is also the stem of its
// file in runs/: its time in UTC and, from the second record of one second on, a
// number.
func RecordID(at time.Time, n int) string {
	return schema.RunName{Kind: "context", Time: at, N: n}.String()
}

// ErrNotRecorded marks a resolution that no record can hold: the schema wants a
// query and at least one activated pack.
var ErrNotRecorded = errors.New("nothing to record: the query is empty, or no pack was activated")

// Record returns the record of a resolution. Blocked packs were not activated
// and are not in it.
func (r *Resolution) Record(id string) (*Record, error) {
	record := &Record{
		RunID: id, Query: r.Query, Status: r.Status,
		Resolver:      schema.ContextResolver{Tool: "packgen", Version: compiler.Version, Strategy: strategy},
		Missing:       r.Missing,
		TokenEstimate: r.TokenEstimate,
	}
	for i := range r.Activated {
		if a := &r.Activated[i]; !a.Blocked {
			record.WrapperOrder = append(record.WrapperOrder, a.Name)
			record.ActivatedPacks = append(record.ActivatedPacks, a.record(len(record.WrapperOrder)))
		}
	}
	if r.Query == "" || len(record.ActivatedPacks) == 0 {
		return nil, ErrNotRecorded
	}
	return record, nil
}

func (a *Activated) record(order int) RecordPack {
	p := RecordPack{
		Name: a.Name, Activation: string(a.Activation), Status: a.Status,
		Trust: oneOf(a.Trust, pack.Trusts()), Grounding: oneOf(a.Grounding, pack.Groundings()),
		SourceAnchors: a.SourceAnchors, Warnings: slices.Concat(a.Warnings, a.CompileWarnings),
		Profile: a.Profile, RuntimeMode: a.Mode,
		SelectedDocuments: a.SelectedDocuments, SelectedSplits: a.SelectedSplits, WrapperOrder: order,
	}
	for _, c := range a.Claims { // the format has no other place for them
		message := fmt.Sprintf("The claim %q is %s.", c.Text, c.Status)
		if c.Source != "" {
			message = fmt.Sprintf("The claim %q, which rests on %s, is %s.", c.Text, c.Source, c.Status)
		}
		p.Warnings = append(p.Warnings, Warning{diag.Warning, c.Path, message})
	}
	for _, s := range a.Selection {
		p.SelectedFiles = append(p.SelectedFiles, s.Path)
	}
	if made := a.builder; made != nil && made.Kind == "agent-skill" && made.Name != "" {
		p.BuilderSkill = &schema.ContextBuilder{Name: made.Name, Version: made.Version, Digest: made.Digest}
	}
	return p
}

// oneOf drops a value that the schema does not know.
func oneOf(value string, known []string) string {
	if slices.Contains(known, value) {
		return value
	}
	return ""
}

// severityOf is the severity with which a status is reported.
func severityOf(status schema.Status) diag.Severity {
	if status.Rank() >= schema.Disputed.Rank() {
		return diag.Error
	}
	return diag.Warning
}

// ofPack is what a pack's status makes of a resolution (section 10).
func ofPack(status schema.Status) schema.Status {
	switch status {
	case schema.Ready:
		return schema.Passed
	case schema.Stale, schema.Disputed:
		return status
	case schema.Archived:
		return schema.Failed
	}
	return schema.NeedsReview
}

// changed reports whether a file differs from what a run has seen.
func (s *contents) changed(name string, r *run) bool {
	if s.snap != nil {
		return false // then nothing is
	}
	return !s.isAsRecorded(name, r.inputs[name])
}

// isAsRecorded reports whether a file has the SHA-256 that a run recorded, whatever ends its
// lines.
func (s *contents) isAsRecorded(name, sum string) bool {
	now := s.document(name).sha256
	return now != "" && (now == sum || s.pack.HasSum(name, sum))
}

// claimOutcome is what a claim's status makes of a view that holds it.
func claimOutcome(status schema.Status) schema.Status {
	switch status {
	case schema.Missing, schema.Inferred, schema.SourceRequired:
		return schema.NeedsReview
	case schema.Stale, schema.Disputed:
		return status
	}
	return schema.Passed
}

// findingOutcome is what a finding of a run makes of the view it is about: the
// outcomes of section 6.10.
func findingOutcome(severity diag.Severity, message string) schema.Status {
	id, _, _ := strings.Cut(strings.TrimPrefix(message, "["), "]")
	switch {
	case severity == diag.Error:
		return schema.Failed
	case severity != diag.Warning:
		return schema.Passed
	case id == "source-changed" || id == "source-stale":
		return schema.Stale
	case id == "claim-conflict" || id == "claim-disputed":
		return schema.Disputed
	}
	return schema.NeedsReview
}

// viewStatuses works out the view status of each unit (section 13.7); noRun
// marks compiled files that no run lists.
func (s *contents) viewStatuses(units []*unit) (statuses []schema.Status, noRun []bool) {
	statuses, noRun = make([]schema.Status, len(units)), make([]bool, len(units))
	byName := map[string]int{}
	for i, u := range units {
		statuses[i] = schema.Passed
		byName[u.path] = i
	}
	for _, c := range s.sourceMap.Claims {
		outcome := claimOutcome(c.Status)
		if outcome == schema.Passed {
			continue
		}
		for _, name := range c.CompiledInto {
			i, ok := byName[name]
			if !ok {
				// A page is named with its one section.
				page, _, _ := strings.Cut(name, "#")
				if i, ok = byName[page]; ok && units[i].kind != wikiPage {
					ok = false
				}
			}
			if ok {
				statuses[i] = schema.Worse(statuses[i], outcome)
			}
		}
	}
	for i, u := range units {
		statuses[i] = schema.Worse(statuses[i], cmp.Or(u.doubt, schema.Passed))
		switch status := s.statusOf(u.document); status {
		case schema.NeedsReview, schema.Stale, schema.Disputed:
			statuses[i] = schema.Worse(statuses[i], status)
		}
		if u.kind != split && u.kind != view {
			continue
		}
		statuses[i] = schema.Worse(statuses[i], s.from.Views[u.path])
		r := s.runs.of(u.path)
		if r == nil {
			noRun[i] = true
			statuses[i] = schema.Worse(statuses[i], schema.NeedsReview)
			continue
		}
		statuses[i] = schema.Worse(statuses[i], s.sinceRun(u, r))
		if u.altered { // a view that is kept by hand
			statuses[i] = schema.Worse(statuses[i], schema.Stale)
		}
	}
	return statuses, noRun
}

// pageStatus is the status of the document or page that a unit comes from; of a list of
// facts, which has the lines of several, that of the worst.
func (s *contents) pageStatus(u *unit) schema.Status {
	if u.kind != view || u.path != factsPath {
		return s.statusOf(u.document)
	}
	status := schema.Status("")
	for _, name := range u.derived {
		if s.statusOf(name) == schema.NeedsReview {
			status = schema.NeedsReview
		}
	}
	return status
}

// sinceRun is what a run found in a view, and what has changed since.
func (s *contents) sinceRun(u *unit, r *run) schema.Status {
	status := schema.Passed
	for _, d := range r.found {
		if d.Path == u.path {
			status = schema.Worse(status, findingOutcome(d.Severity, d.Message))
		}
	}
	for _, name := range u.madeFrom() {
		if s.changed(name, r) {
			status = schema.Worse(status, schema.Stale)
		}
	}
	return status
}

// madeFrom lists the files that a unit was made of.
func (u *unit) madeFrom() []string {
	if u.kind == view {
		return u.derived
	}
	if u.document == "" {
		return nil
	}
	return []string{u.document}
}

// compileWarnings are the warnings of section 13.7 on what was selected, and the
// worst status among views and the newest run.
func (s *contents) compileWarnings(units []*unit) (list []Warning, worst schema.Status) {
	statuses, noRun := s.viewStatuses(units)
	worst = schema.Passed
	for i, u := range units {
		worst = schema.Worse(worst, statuses[i])
		switch {
		case noRun[i]:
			list = append(list, Warning{severityOf(statuses[i]), u.path, "This runtime view has no compile run."})
		case statuses[i] != schema.Passed:
			list = append(list, Warning{severityOf(statuses[i]), u.path,
				fmt.Sprintf("This runtime view depends on a %s compile run.", statuses[i])})
		}
	}
	if r := s.runs.newest(); r != nil && schema.Worse(worst, r.status) != worst {
		worst = r.status
		list = append(list, Warning{severityOf(r.status), r.path, fmt.Sprintf("Newest compile run is %s.", r.status)})
	}
	return list, worst
}
