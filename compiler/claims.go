package compiler

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/packgen/packgen/compiler/cut"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
)

// statement is a claim unit that is a claim (agent-knowledge section 8.2): its
// text with the places it rests on.
type statement struct {
	text      string
	item      int32         // place of its one-line form for compiled/facts.md among those of the file, from 1; 0 when it may not go there
	units     int32         // of that form, UTF-16
	marker    schema.Status // claim status marker; "" when none or confirmed
	confirmed bool          // marked so
	anchors   []anchor      // different ones, in order
}

// cite collects the usable anchors of a file, those in headings and of blocks
// without text included: gates on anchors look at all of them.
func (f *file) cite(doc *markdown.Document) {
	f.citations = make([]citation, 0, len(doc.Anchors))
	for _, a := range doc.Anchors {
		if a.Usable {
			f.citations = append(f.citations, citation{anchor{shared(a.Path), shared(a.Fragment)}, shared(a.Written), placeOf(doc, a.Offset)})
		}
	}
}

// statements reads the claims of a file into its sections and raises the gates
// that need nothing but the file. It returns, for each piece, the offsets where
// a marker must be appended (section 6.6).
func (k *contract) statements(f *file, doc *markdown.Document, pieces []cut.Piece) (marks [][]int) {
	marks = make([][]int, len(pieces))
	faults := unanchoredLines(doc)
	at := 0
	for i := range doc.Units {
		u := &doc.Units[i]
		for at < len(pieces) && u.Start >= pieces[at].End {
			at++
		}
		if at == len(pieces) {
			break
		}
		if u.Text == "" || f.sections[at].withheld {
			continue
		}
		s := statement{text: u.Text, marker: u.Marker, anchors: usable(u.Anchors)}
		if s.marker == schema.Confirmed {
			s.marker, s.confirmed = "", true
		}
		unsourced := u.Statement || u.Important && f.role.recordsQuestions()
		unsourced = unsourced && len(s.anchors) == 0 && s.marker == ""
		if d := k.claimGates(f, doc, u, s.marker, unsourced); d != nil && unsourced {
			d.Implied = faults.within(doc, u)
			if written, right := misspelt(doc, u); right != "" {
				d.Say("%s is not an anchor or a status, so the claim has no source: %s", written, quote(u.Text))
				d.Hint = "write " + right
			}
		}
		marked, recorded := false, false
		if unsourced {
			marked, recorded = k.recordsUnsourced(f, placeOf(doc, u.Start).line)
		}
		if marked {
			marks[at] = append(marks[at], u.End)
		}
		if item := u.Kind == markdown.ListItem || u.Kind == markdown.Record; item && !u.Boundary && len(s.anchors) > 0 && s.marker == "" {
			f.takeItem(&s, u.Line)
		}
		if len(s.anchors) > 0 || s.marker != "" || recorded {
			f.sections[at].statements = append(f.sections[at].statements, s)
		}
	}
	return marks
}

// takeItem notes the one-line form of a statement.
func (f *file) takeItem(s *statement, line string) {
	if line != "" {
		f.items = append(f.items, line)
		s.item, s.units = int32(len(f.items)), int32(token.Units(line))
	}
}

// recordsUnsourced reports whether a claim without source, on a line, gets a marker in its
// split, and whether it becomes a claim of the source map: under strict grounding both, where
// gaps are recorded the second always. Where packgen.yaml or a comment says, with its reason,
// that the claim needs no source it is neither; the finding is raised all the same, so that
// what a comment switches off is counted.
func (k *contract) recordsUnsourced(f *file, line int) (marked, recorded bool) {
	d := &diag.Diagnostic{ID: gateClaimUnsourced, Line: line}
	marked = f.role.getsSplits() && k.grounding == "required" && k.asksForSources(f.path) &&
		!slices.ContainsFunc(f.suppress, func(s lint.Suppression) bool { return s.Covers(d) })
	return marked, marked || f.role.recordsQuestions()
}

// asksForSources reports whether packgen.yaml lets the claims of a file be asked for a source.
func (k *contract) asksForSources(path string) bool {
	kept, _ := k.policy.Apply([]diag.Diagnostic{{ID: gateClaimUnsourced, Severity: diag.Warning, Path: path}})
	return len(kept) > 0
}

// usable returns the different usable anchors of a unit in order.
func usable(anchors []markdown.Anchor) []anchor {
	var list []anchor
	seen := map[anchor]bool{}
	for _, a := range anchors {
		if key := (anchor{a.Path, a.Fragment}); a.Usable && !seen[key] {
			seen[key] = true
			list = append(list, anchor{shared(a.Path), shared(a.Fragment)})
		}
	}
	return list
}

// claimGates raises the gates on one claim, and returns the finding that it has no
// source. They look at files that get splits.
func (k *contract) claimGates(f *file, doc *markdown.Document, u *markdown.Unit, marker schema.Status, unsourced bool) *diag.Diagnostic {
	if !f.role.getsSplits() {
		return nil
	}
	grounded := k.grounding == "recommended" || k.grounding == "required"
	switch {
	case unsourced || marker == schema.SourceRequired:
		if !grounded {
			return nil
		}
		d := f.reportAt(placeOf(doc, u.Start), gateClaimUnsourced,
			fmt.Sprintf("Claim has no source anchor while grounding is %s: %s", k.grounding, quote(u.Text)))
		if k.grounding == "recommended" {
			d.Severity = diag.Info
		}
		return d
	case marker == schema.Missing && grounded:
		f.reportAt(placeOf(doc, u.Start), gateClaimMissing, quote(u.Text)).Say("the claim is marked as having no source yet: %s", quote(u.Text))
	case marker == schema.Inferred && grounded:
		f.reportAt(placeOf(doc, u.Start), gateClaimInferred, quote(u.Text)).Say("the claim is marked inferred, so no source says it: %s", quote(u.Text))
	case marker == schema.Disputed:
		f.reportAt(placeOf(doc, u.Start), gateClaimDisputed, quote(u.Text)).Say("the claim is marked disputed: %s", quote(u.Text))
	case marker == schema.Stale:
		f.reportAt(placeOf(doc, u.Start), gateSourceStale, quote(u.Text)).Say("the claim is marked stale: %s", quote(u.Text))
	}
	return nil
}

// claimIDs gives claim ids (section 8.2 rule 3).
type claimIDs map[string]int

// next returns the id of a claim text: a hash, with a number from the second
// use on.
func (ids claimIDs) next(text string) string {
	id := claimHash(text)
	ids[id]++
	if n := ids[id]; n > 1 {
		return id + "-" + strconv.Itoa(n)
	}
	return id
}

// claimPrefix starts every claim id.
const claimPrefix = "clm-"

// claimHash is the id of a claim text without a number.
func claimHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return claimPrefix + hex.EncodeToString(sum[:6])
}

// claimsOf turns a statement into its claims: one for each anchor, or one
// without source. Confirmed says that all of them are.
func (j *joined) claimsOf(f *file, s *section, st *statement) (list []schema.Claim, confirmed bool) {
	confirmed = true
	add := func(source schema.ClaimSource, status schema.Status) {
		confirmed = confirmed && status == schema.Confirmed
		list = append(list, schema.Claim{
			ClaimID: j.ids.next(st.text), Text: st.text, Status: status, Source: source,
			Document: f.path, SectionID: s.id,
		})
	}
	if len(st.anchors) == 0 {
		status := cmp.Or(st.marker, schema.SourceRequired)
		if j.conflicts(st) {
			status = schema.Disputed
		}
		add(schema.ClaimSource{}, status)
	}
	for _, a := range st.anchors {
		status := j.ownStatus(f, st, a)
		if st.marker == "" && !citesNothing(status) && j.ledger.IsLost(st.key(a)) {
			f.reportOnce(a, gateBaselineLost, "nothing records any more what "+a.path+" said when the claims on it were made")
		}
		if status == schema.Stale && st.marker == "" && f.info.Status != schema.Stale && j.ledger.Stale(st.key(a)) {
			f.reportOnce(a, gateSourceChanged, a.path+" changed after the claims on it were made")
		}
		if j.conflicts(st) {
			status = schema.Disputed
		}
		add(schema.ClaimSource{Path: a.path, Anchor: a.fragment}, status)
	}
	return list, confirmed
}

// conflicts reports a statement with a text that is in conflict.
func (j *joined) conflicts(st *statement) bool {
	return j.inConflict != nil && j.inConflict(st.text)
}

// ownStatus is the status that a claim on one anchor has by itself: the first that
// applies of section 8.2 rule 4.
func (m *material) ownStatus(f *file, st *statement, a anchor) schema.Status {
	if st.marker != "" {
		return st.marker
	}
	switch m.resolve(a) {
	case noFile:
		return schema.Missing
	case noPlace:
		return schema.SourceRequired
	case leftOut:
		// What was disputed there is worked out here again: its texts came along.
		if status := m.publishedStatus(f, st, a); status != schema.Disputed {
			return status
		}
	}
	switch {
	case f.role == contradiction && f.isOpen():
		return schema.Disputed
	case f.info.Status == schema.Disputed, f.info.Status == schema.Stale:
		return f.info.Status
	case m.ledger.Stale(st.key(a)):
		return schema.Stale
	}
	return schema.Confirmed
}

// citesNothing reports the status of a claim whose anchor leads to no text: another finding
// says so, and no record can say what it rested on.
func citesNothing(status schema.Status) bool {
	return status == schema.Missing || status == schema.SourceRequired
}

// reportOnce raises a finding, once per file and source, at the first place where the file
// cites it.
func (f *file) reportOnce(a anchor, id, message string) {
	if f.reported[message] {
		return
	}
	if f.reported == nil {
		f.reported = map[string]bool{}
	}
	f.reported[message] = true
	var at place
	if i := slices.IndexFunc(f.citations, func(c citation) bool { return c.anchor == a }); i >= 0 {
		at = f.citations[i].at
	}
	f.reportAt(at, id, message)
}

// publishedClaims are the statuses that the claims of a pack from an archive had
// where it was published, its sources at hand.
type publishedClaims struct {
	once sync.Once
	list map[publishedClaim]schema.Status
}

// publishedClaim names a claim by what it says and what it rests on.
type publishedClaim struct {
	document, text string
	source         anchor
}

// publishedStatus is the status of a claim whose source an archive has left out:
// the one of the source map that came with it, so that what was stale there stays
// so. A text that was not known then is taken at its word.
func (m *material) publishedStatus(f *file, st *statement, a anchor) schema.Status {
	m.known.once.Do(func() {
		data, err := m.pack.ReadFile(sourceMapPath)
		if err != nil {
			return
		}
		published, err := schema.DecodeSourceMap(data)
		if err != nil {
			return // checks of the record report it
		}
		m.known.list = make(map[publishedClaim]schema.Status, len(published.Claims))
		for _, claim := range published.Claims {
			m.known.list[publishedClaim{claim.Document, claim.Text, anchor{claim.Source.Path, claim.Source.Anchor}}] = claim.Status
		}
	})
	if status, ok := m.known.list[publishedClaim{f.path, st.text, a}]; ok {
		return status
	}
	return schema.Confirmed
}

// findConflicts compares the claims of all files with each other, each with the status
// that it has by itself (agent-knowledge section 6.10, claim-conflict). From then on
// all claims with a text in conflict are disputed, wherever they are.
func (j *joined) findConflicts() {
	if !j.mayConflict() {
		return
	}
	var claims []schema.Claim
	for _, f := range j.files {
		for i := range f.sections {
			s := &f.sections[i]
			if !f.walked || s.withheld {
				continue
			}
			for k := range s.statements {
				claims = append(claims, j.ownClaims(f, s, &s.statements[k])...)
			}
		}
	}
	open := func(page string) bool {
		f := j.byPath[page]
		return f != nil && f.isOpen()
	}
	found, disputed := lint.Conflicts(claims, open, (&claimFinder{j.material, map[string][]foundClaim{}}).find)
	j.found, j.inConflict = append(j.found, found...), disputed
}

// mayConflict reports whether something is disputed. Most packs dispute nothing; then
// there is nothing to compare with.
func (m *material) mayConflict() bool {
	for _, f := range m.files {
		switch {
		case !f.walked:
		case f.role == contradiction, f.info.Status == schema.Disputed:
			return true
		}
		for i := range f.sections {
			for j := range f.sections[i].statements {
				if f.sections[i].statements[j].marker == schema.Disputed {
					return true
				}
			}
		}
	}
	return false
}

// ownClaims are the claims of a statement, each with the status that it has by itself.
func (m *material) ownClaims(f *file, s *section, st *statement) []schema.Claim {
	claim := schema.Claim{Text: st.text, Document: f.path}
	if s.split.Path != "" {
		claim.CompiledInto = []string{s.split.Path}
	}
	var list []schema.Claim
	if len(st.anchors) == 0 {
		claim.Status = st.marker
		list = append(list, claim)
	}
	for _, a := range st.anchors {
		claim.Status = m.ownStatus(f, st, a)
		list = append(list, claim)
	}
	return list
}

// claimFinder finds where claims are. A source map names no lines and conflicts
// are rare, so it reads the few files concerned again.
type claimFinder struct {
	*material
	files map[string][]foundClaim // units that have text, by file
}

// foundClaim is a claim unit at its place.
type foundClaim struct {
	text     string
	disputed bool // marked so
	place    place
}

// find returns the place of a claim in its document: that of the first unit with
// its text, and where some are marked disputed, of the first that is like it in
// that; 0 when the file has none or cannot be read any more.
func (x *claimFinder) find(claim *schema.Claim) (line, column int) {
	list, ok := x.files[claim.Document]
	if !ok {
		list = x.read(claim.Document)
		x.files[claim.Document] = list
	}
	var at place
	for _, s := range list {
		switch {
		case s.text != claim.Text:
		case s.disputed == (claim.Status == schema.Disputed):
			return s.place.line, s.place.column
		case at == place{}:
			at = s.place
		}
	}
	return at.line, at.column
}

func (x *claimFinder) read(name string) []foundClaim {
	data, err := x.pack.ReadFile(name)
	if err != nil {
		return nil
	}
	doc, ok := parse(name, data)
	if !ok {
		return nil
	}
	var list []foundClaim
	for i := range doc.Units {
		if u := &doc.Units[i]; u.Text != "" {
			list = append(list, foundClaim{u.Text, u.Marker == schema.Disputed, placeOf(doc, u.Start)})
		}
	}
	return list
}
