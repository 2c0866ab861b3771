package context

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"

	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
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
