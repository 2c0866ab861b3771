package context

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/parallel"
)

// keepIntact drops the compiled files that are gone, are not text, or are
// not what compile wrote, and puts what the documents and pages say in place of
// splits. A view that is kept by hand is its owner's: it may change.
func (s *contents) keepIntact() {
	s.keepSplits()
	for i, u := range s.views {
		generated := len(u.derived) > 0
		if !u.absent && !(u.altered && generated) {
			continue
		}
		s.lost = append(s.lost, u)
		s.views[i] = nil
		if u.path == boundariesPath && generated {
			s.views[i] = s.boundaries(u)
		}
	}
	s.views = slices.DeleteFunc(s.views, func(u *unit) bool { return u == nil })
}

// keepSplits does so with the splits. Where all are gone that were cut from the primary
// document alone, the pack counts as one that was never compiled.
func (s *contents) keepSplits() {
	none := !s.pack.HasDir(strings.TrimSuffix(splitsDir, "/"))
	others := func(u *unit) bool { return u.document != s.meta.PrimaryDocument }
	if none && !slices.ContainsFunc(s.splits, others) {
		s.splits = nil
		return
	}
	cuts := map[string][]compiler.SectionText{} // by document
	for i, u := range s.splits {
		if u.absent || u.altered {
			s.lost = append(s.lost, u)
			s.splits[i] = s.inPlaceOf(u, cuts)
		}
	}
	s.uncut = none && len(s.lost) > 0
	s.splits = slices.DeleteFunc(s.splits, func(u *unit) bool { return u == nil })
}

// inPlaceOf returns the section of a document or page that a split was cut from, as it
// is now; nil when there is no longer one.
func (s *contents) inPlaceOf(u *unit, cuts map[string][]compiler.SectionText) *unit {
	document := cmp.Or(u.document, s.documentOf(strings.TrimPrefix(u.path, splitsDir)))
	list, known := cuts[document]
	if !known {
		if doc := s.parse(document); doc != nil {
			list = compiler.Sections(doc, s.meta)
		}
		cuts[document] = list
	}
	i := slices.IndexFunc(list, func(t compiler.SectionText) bool { return t.Split == u.path })
	if i < 0 {
		i = slices.IndexFunc(list, func(t compiler.SectionText) bool { return slices.Contains(t.IDs, u.section) })
	}
	if i < 0 {
		return nil
	}
	now := cutUnit(document, list[i], u.order)
	now.insteadOf = u.path
	return now
}

// boundaries makes the view of boundaries again, from the guide and the titles of
// what is open: an agent learns what it must not do whatever became of the file.
func (s *contents) boundaries(u *unit) *unit {
	var b strings.Builder
	list := func(heading string, items []string) {
		if len(items) > 0 {
			b.WriteString("\n## " + heading + "\n\n- " + strings.Join(items, "\n- ") + "\n")
		}
	}
	titles := func(dir string) (items []string) {
		for _, page := range s.openPages(dir) {
			items = append(items, fmt.Sprintf("%s (`%s`)", page.title, page.path))
		}
		return items
	}
	list("Limits", markdown.Parse(pack.EntryName, s.pack.EntryText).BoundaryItems())
	list("Disputed", titles(contradictionsDir))
	list("Unknown", titles(questionsDir))
	if b.Len() == 0 {
		return nil
	}
	return &unit{kind: cutSection, path: pack.EntryName, title: u.title, derived: u.derived, order: u.order, text: "# Boundaries\n" + b.String(), insteadOf: u.path}
}

// recut lists the splits that a compile would make of the documents and pages as they
// are, with the hashes they would have.
func (s *contents) recut() {
	var names []string
	for _, dir := range []string{"documents", "wiki"} {
		if dir == "documents" && !s.meta.HasDocuments() || dir == "wiki" && !s.meta.HasWiki() {
			continue
		}
		for _, f := range s.pack.List(dir) {
			if compiler.GetsSplits(f.Path) {
				names = append(names, f.Path)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return s.primaryFirst(a) - s.primaryFirst(b) })
	taken := map[string]bool{}
	for _, name := range names {
		doc := s.parse(name)
		if doc == nil {
			continue
		}
		for _, t := range compiler.Sections(doc, s.meta) {
			if taken[t.Split] {
				continue
			}
			taken[t.Split] = true
			s.splits = append(s.splits, &unit{
				kind: split, path: t.Split, title: t.Title, document: name, section: t.ID, sections: t.IDs, order: len(s.splits) + 1,
				sum: schema.SHA256([]byte(t.Text)), anchors: t.SourceAnchors,
			})
		}
	}
}

func (s *contents) primaryFirst(name string) int {
	if name == s.meta.PrimaryDocument {
		return 0
	}
	return 1
}

// runMade reports whether the newest run lists a file as its output.
func (s *contents) runMade(name string) bool {
	r := s.runs.newest()
	return r != nil && r.made(name)
}

// goneRecords names the records that the newest run wrote and that are gone.
func (s *contents) goneRecords() []Warning {
	if s.pack.Has(sourceMapPath) || !s.runMade(sourceMapPath) {
		return nil
	}
	return []Warning{{diag.Warning, sourceMapPath, "This record is gone since the newest compile run; which claims are stale or disputed is not known."}}
}

// noteRecord notes the hash of a record that is used, whatever ends its lines.
func (s *contents) noteRecord(name string, data []byte) {
	s.sums.Store(name, schema.SHA256(schema.WithLF(data)))
}

// editedRecords names the records that are not those that the newest run wrote.
func (s *contents) editedRecords() (list []Warning) {
	r := s.runs.newest()
	if r == nil || r.records == nil {
		return nil
	}
	for _, name := range []string{indexPath, sourceMapPath} {
		if sum, read := s.sums.Load(name); read && sum != r.records[name] {
			s.edited = true
			list = append(list, Warning{diag.Warning, name, "This record is not what the newest compile run wrote; run packgen compile."})
		}
	}
	return list
}

// compareSplits finds the splits that do not say what their section of a document or page
// says: their hash in the index proves nothing, since who edits one can edit the other, and
// neither does a record that is gone. Of a document that has changed since the newest run, they
// may be what it said before: they are served, with a warning, and never as sure.
func (s *contents) compareSplits() {
	byDocument := map[string][]*unit{}
	var names []string
	for _, u := range s.splits {
		if u.absent || u.altered {
			continue
		}
		if byDocument[u.document] == nil {
			names = append(names, u.document)
		}
		byDocument[u.document] = append(byDocument[u.document], u)
	}
	newest := s.runs.newest()
	parallel.Ranges(len(names), func(from, to int) {
		for _, name := range names[from:to] {
			text := s.load(name)
			isOld := newest != nil && newest.inputs[name] != "" && s.changed(name, newest)
			s.compareWith(name, text, byDocument[name], isOld)
		}
	})
}

// compareWith marks the splits of one document as altered that are not its sections, or as old
// ones of a document that has changed. Of the others, what the index says beside the text is
// taken from the document too.
func (s *contents) compareWith(name string, text []byte, splits []*unit, isOld bool) {
	var doc *markdown.Document
	var cuts []compiler.SectionText
	if text != nil {
		doc = markdown.Parse(name, text)
		cuts = compiler.Sections(doc, s.meta)
	}
	for _, u := range splits {
		same := sameAs(u, cuts)
		if same == nil && doc != nil { // another number of sections is in it, as after a change of the manifest
			same = sameAs(u, compiler.SectionsJoining(doc, s.meta, u.sections))
		}
		if same == nil {
			u.altered, u.old = !isOld, isOld
			continue
		}
		u.title, u.section, u.sections, u.anchors = same.Title, same.ID, same.IDs, same.SourceAnchors
	}
}

// sameAs returns the section that a split is of, if it says the same.
func sameAs(u *unit, cuts []compiler.SectionText) *compiler.SectionText {
	for i := range cuts {
		if cuts[i].Split == u.path && bare(cuts[i].Text) == bare(u.text) {
			return &cuts[i]
		}
	}
	return nil
}

// compileMarks are what compile appends to claims.
var compileMarks = strings.NewReplacer(" [status: source-required]", "", " [status: stale]", "", " [status: disputed]", "")

// bare returns a text without marks of compile, blank lines, and spaces around lines.
func bare(text string) string {
	var b strings.Builder
	for line := range strings.Lines(compileMarks.Replace(text)) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// isLost reports a compiled file that is not served.
func (s *contents) isLost(name string) bool {
	return slices.ContainsFunc(s.lost, func(u *unit) bool { return u.path == name })
}

// outdated names what was selected and is not what its document says now.
func outdated(selected []*unit) []Warning {
	var list []Warning
	for _, u := range selected {
		if u.old {
			list = append(list, Warning{diag.Warning, u.path, fmt.Sprintf("This split is not a section of %s, which has changed or gone since the newest compile run; run packgen compile.", u.document)})
		}
	}
	return list
}

// damaged reports whether compiled files are not what compile left.
func (s *contents) damaged() bool {
	gone := func(name string) bool { return !s.pack.Has(name) && s.runMade(name) }
	return len(s.lost) > 0 || s.edited || s.runs.damaged || gone(sourceMapPath) || gone(indexPath) && s.pack.HasDir("compiled")
}

// maxLost is how many compiled files are named that are not served, beside those in
// whose place something was selected.
const maxLost = 5

// notIntact says which compiled files are not served, and what takes their place.
func (s *contents) notIntact(selected []*unit) []Warning {
	if s.uncut {
		return nil // reported once for all
	}
	instead := map[string]string{}
	for _, u := range selected {
		if u.insteadOf != "" {
			instead[u.insteadOf] = u.path
		}
	}
	var list []Warning
	more := 0
	for _, u := range s.lost {
		what := "This file cannot be read as text"
		switch {
		case !s.pack.Has(u.path):
			what = "This file is gone"
		case u.altered:
			what = "This file is not what compile wrote"
		}
		path, taken := instead[u.path]
		switch {
		case taken:
			list = append(list, Warning{diag.Warning, u.path, fmt.Sprintf("%s; %s takes its place.", what, path)})
		case len(list) >= maxLost+len(instead):
			more++
		default:
			list = append(list, Warning{diag.Warning, u.path, what + "; it is left out."})
		}
	}
	if more > 0 {
		list = append(list, Warning{diag.Warning, compiledDir, fmt.Sprintf("%d more files are gone or not what compile wrote; they are left out.", more)})
	}
	return list
}
