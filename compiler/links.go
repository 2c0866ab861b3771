package compiler

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/reference"
)

// link is a link as it is in a file.
type link struct {
	dest     string
	fragment string // of a wiki link
	label    string // of a wiki link, which may be the page, "" when it has none; of another one its text
	image    bool
	wiki     bool
	list     string // that a tool writes and the link is in; "" when it is in none
	include  string // what puts the file into the page, as written; "" for what is a link
	at       place
}

// linksOf returns the links of a file that may lead to another file or heading, and
// those that a page leaves out.
func linksOf(doc *markdown.Document) []link {
	var list []link
	made := generatedLists(doc.Text)
	for _, l := range doc.Links {
		if !l.Wiki && (l.Dest == "" || l.Dest == "#" || keptScheme(l.Dest) || isTemplate(l.Dest)) {
			continue
		}
		in := listAt(made, l.Offset)
		if strings.HasPrefix(strings.ToUpper(in), contributors) && strings.HasPrefix(l.Dest, "#") {
			continue
		}
		label := l.Label
		if !l.Wiki && len(l.Text) <= maxCompared {
			label = l.Text
		}
		list = append(list, link{l.Dest, l.Fragment, label, l.Image, l.Wiki, in, includeAt(doc, &l), placeOf(doc, l.Offset)})
	}
	return list
}

// contributors begins the names of the lists that a tool makes of the people of a
// project. Its links to what they did lead nowhere by intent.
const contributors = "ALL-CONTRIBUTORS"

// includeAt returns what puts a file into the page, such as {{#include a.md}}; "" for what
// is written as a link.
func includeAt(doc *markdown.Document, l *markdown.Link) string {
	if !l.Wiki || !l.Image {
		return ""
	}
	line, _, _ := strings.Cut(string(doc.Text[l.Offset:min(len(doc.Text), l.Offset+maxShownInclude)]), "\n")
	if strings.HasPrefix(line, "[[") || strings.HasPrefix(line, "![[") {
		return ""
	}
	return strings.TrimSpace(line)
}

// maxShownInclude is how much of a line that includes a file is shown, in bytes.
const maxShownInclude = 100

// keptScheme reports a destination outside of any pack that a page links to.
func keptScheme(dest string) bool {
	scheme, _, ok := strings.Cut(dest, ":")
	if !ok {
		return strings.HasPrefix(dest, "//")
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "mailto", "tel":
		return true
	}
	return strings.HasPrefix(dest, "//")
}

// isTemplate reports a destination that another system fills in: {{ base }}/x.
func isTemplate(dest string) bool {
	return strings.Contains(dest, "{{") || strings.Contains(dest, "{%") || strings.Contains(dest, "${") || strings.Contains(dest, "<%")
}

// linkJudge judges the links of all files, once everything else is known (finding
// ref-broken; run records hold no such findings).
type linkJudge struct {
	*joined
	table   *reference.Table
	files   func() []string            // in path order, without outputs: what may be meant
	byName  func() map[string][]string // paths by lower-case file name
	names   func() reference.Names     // what wiki links may call the pages
	titles  func() []string            // those of titled in order
	titled  func() map[string]*file    // pages by their folded titles; nil where two have one
	budget  nearest.Budget             // of what comparing names may cost
	dirs    func() map[string]bool     // of outputs after the run
	schemes map[string]bool            // of links that are not kept, once reported
}

func newLinkJudge(j *joined) *linkJudge {
	x := &linkJudge{joined: j, schemes: map[string]bool{}, budget: maxNameCost}
	x.files = sync.OnceValue(func() []string {
		// Outputs are never proposed: the first compile would know fewer of
		// them than the second.
		files := make([]string, 0, len(j.pack.Files))
		for _, f := range j.pack.Files {
			if !pack.LayerOf(f.Path).IsOutput() {
				files = append(files, f.Path)
			}
		}
		return files
	})
	x.byName = sync.OnceValue(func() map[string][]string {
		byName := map[string][]string{}
		for _, f := range x.files() {
			key := strings.ToLower(path.Base(f))
			byName[key] = append(byName[key], f)
		}
		return byName
	})
	x.names = sync.OnceValue(func() reference.Names {
		pages := make([]reference.Page, len(j.material.files))
		for i, f := range j.material.files {
			pages[i] = reference.Page{Path: f.path, Title: f.info.Title, Aliases: f.info.Aliases}
		}
		return reference.NewNames(pages)
	})
	x.titled = sync.OnceValue(func() map[string]*file {
		titled := map[string]*file{}
		for _, f := range j.material.files {
			key := lint.FoldText(f.info.Title)
			if _, twice := titled[key]; twice {
				titled[key] = nil
				continue
			}
			titled[key] = f
		}
		return titled
	})
	x.titles = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(x.titled())) })
	x.dirs = sync.OnceValue(func() map[string]bool { return j.out.dirs(j.pack.Files) })
	has := func(name string) bool { return !pack.LayerOf(name).IsOutput() && j.pack.Has(name) }
	hasDir := func(name string) bool { return !pack.LayerOf(name).IsOutput() && (name == "." || j.pack.HasDir(name)) }
	x.table = reference.NewTable(has, hasDir, x.files)
	x.table.Listed(j.pack.ListedAs)
	x.table.At(func() map[string]string {
		places := map[string]string{}
		for _, f := range j.material.files {
			f.info.addTo(places)
		}
		return places
	})
	return x
}

// judge reports the links of a file that lead nowhere, or not everywhere.
func (x *linkJudge) judge(f *file) error {
	a, err := x.asideOf(f)
	for _, l := range a.links {
		r := lostLink{link: l, target: f.path, fragment: l.fragment}
		switch {
		case l.wiki && l.dest != "":
			var found reference.Found
			found, r.fragment, _ = x.table.Labelled(x.names(), f.path, l.dest, l.fragment, l.label)
			if found.Way == reference.None && x.pack.HasDraft(l.dest) {
				f.lose(r, pack.DraftLeftOut, "", "")
				continue
			}
			if found.Way == reference.None && l.include != "" {
				r.target = l.dest
				f.lose(r, pack.NoFile, "put the file where the line names it, or leave the line out", "")
				continue
			}
			if found.Way == reference.None {
				f.lose(r, noSuchPage, cmp.Or(f.hint(x.nearestName, l.dest), "use the title or the file name of a page, without .md"), "")
				continue
			}
			r.target = found.Path
		case l.wiki:
		case hasScheme(l.dest):
			x.dropped(f, l)
			continue
		default:
			var ok bool
			if r.target, r.fragment, ok = x.follow(f, l); !ok {
				continue
			}
		}
		x.judgePlace(f, r)
	}
	f.links = nil
	return err
}

// follow finds the file that a relative link leads to; false when that is reported, or
// there is nothing more to judge.
func (x *linkJudge) follow(f *file, l link) (target, fragment string, ok bool) {
	target, fragment, ok = localTarget(l.dest)
	if !ok || target == "" {
		return f.path, fragment, ok && fragment != ""
	}
	r := lostLink{link: l, target: reference.Join(f.path, target), fragment: fragment}
	if pack.LayerOf(r.target).IsOutput() {
		if path.Ext(r.target) != "" && !x.willHave(r.target) { // directories are not looked at
			f.lose(r, pack.NoFile, f.hint(x.nearest, r.target), "")
			return "", "", false
		}
		return r.target, fragment, path.Ext(r.target) != ""
	}
	found := x.table.Resolve(f.path, r.target)
	switch {
	case found.Way != reference.None:
		f.remark(l, found)
		return found.Path, fragment, fragment != "" && isMarkdown(found.Path)
	case x.leftOut(f, &r):
	case strings.HasPrefix(target, "/"):
		f.lose(r, notAtRoot, f.hint(x.nearestFor(f, l), target), "")
	case r.target == ".." || strings.HasPrefix(r.target, "../"):
		f.lose(r, leavesPack, "link to a file of the pack or to a full URL", "")
	case x.leaves(f, r.target):
		f.lose(r, leavesFolder, "link to a page of the folder or to a full URL", "")
	case !x.pack.LeftOut(r.target):
		f.lose(r, pack.NoFile, f.hint(x.nearestFor(f, l), r.target), x.noFolder(r.target))
	}
	return "", "", false
}

// maxLeftOutLinks is how many links of a file that lead nowhere are compared with what is
// left out of mapped folders.
const maxLeftOutLinks = 1000

// leftOut reports a link to what is left out of a mapped folder, and says so.
func (x *linkJudge) leftOut(f *file, r *lostLink) bool {
	if len(f.lost) >= maxLeftOutLinks {
		return false
	}
	target := r.target
	if strings.HasPrefix(target, "/") {
		target = "documents" + target
	}
	for _, ending := range [...]string{"", ".html", ".htm"} {
		page, ok := strings.CutSuffix(target, ending)
		if why := x.pack.WhyLeftOut(page); ok && why != "" {
			f.lose(*r, why, "", "")
			return true
		}
	}
	return false
}

// leaves reports a link of a mapped file that leads out of the mapped folder: what its
// author means is where the folder is, and not in the pack.
func (x *linkJudge) leaves(f *file, target string) bool {
	dir, _ := x.pack.Locate(f.path)
	return dir != x.pack.Dir && !strings.HasPrefix(target, "documents/")
}

// judgePlace reports a link to a place that its file does not have.
func (x *linkJudge) judgePlace(f *file, r lostLink) {
	other := x.byPath[r.target]
	if r.target == entryFile {
		other = x.guide
	}
	if r.fragment != "" && other != nil && !other.hasPlace(r.fragment) {
		if strings.HasSuffix(r.target, ".mdx.md") && r.target != f.path {
			f.lose(r, noSuchInMDX, "", "")
			return
		}
		if len(other.info.Headings) == 0 && r.target != f.path {
			f.lose(r, noHeadings, "", "")
			return
		}
		f.lose(r, pack.NoHeading, f.hint(nearestHeading(other.info.Headings), r.fragment), "")
	}
}

// remark reports a link that works here and not everywhere: it is written in another
// case, or for a published page.
func (f *file) remark(r link, found reference.Found) {
	why := ""
	switch found.Way {
	case reference.Case:
		why = "is written in another case"
	case reference.Ending:
		why = "has the ending of a published page"
	default:
		return
	}
	f.diags = append(f.diags, diag.Diagnostic{
		ID: linkLoose, Severity: diag.Info, Path: f.path, Line: r.at.line, Column: r.at.column,
		Message: "the link " + quote(r.dest) + " " + why,
		Hint:    "write " + quote(reference.Rewrite(f.path, r.dest, found.Path)) + "; packgen check --fix does",
	})
}

// broken reports a link that leads nowhere.
func (f *file) broken(r link, severity diag.Severity, why, hint string) {
	written := r.dest
	hint = cmp.Or(hint, "correct the link, or remove it")
	if r.include != "" {
		f.diags = append(f.diags, diag.Diagnostic{
			ID: refBroken, Severity: severity, Path: f.path, Line: r.at.line, Column: r.at.column,
			Message: "the include " + diag.Clip(r.include, 60) + " " + why, Hint: hint,
		})
		return
	}
	if r.wiki {
		if r.fragment != "" {
			written += "#" + r.fragment
		}
		written = "[[" + written + "]]"
	}
	f.diags = append(f.diags, diag.Diagnostic{
		ID: refBroken, Severity: severity, Path: f.path, Line: r.at.line, Column: r.at.column,
		Message: "the link " + quote(written) + " " + why, Hint: hint,
	})
}

// dropped reports a link that a page leaves out, since its scheme could run something
// or means nothing on a site. What only another system knows, such as xref:, is
// reported once for a pack.
func (x *linkJudge) dropped(f *file, r link) {
	scheme, _, _ := strings.Cut(strings.ToLower(r.dest), ":")
	d := diag.Diagnostic{
		ID: linkDropped, Severity: diag.Warning, Path: f.path, Line: r.at.line, Column: r.at.column,
		Message: "the link with the scheme " + diag.Clip(scheme, 20) + ": is left out of the page",
		Hint:    "link to http:, https:, mailto: or tel: addresses or a file of the pack",
	}
	switch scheme {
	case "javascript", "vbscript", "data", "file":
	default:
		if x.schemes[scheme] {
			return
		}
		x.schemes[scheme] = true
		d.Severity = diag.Info
		d.Message = "links with the scheme " + diag.Clip(scheme, 20) + ": are shown as text; this is the first"
	}
	f.diags = append(f.diags, d)
}

// willHave reports whether an output, or a directory of outputs, is there after the
// run. A link to either is judged by the next run as by this one.
func (x *linkJudge) willHave(name string) bool {
	return x.out.exists(name, x.pack.Has(name)) || x.dirs()[name]
}

// hasPlace reports whether a fragment means a place in the file.
func (f *file) hasPlace(fragment string) bool {
	ids := f.ids.Value()
	if ids == nil {
		headings := make([]string, len(f.info.Headings))
		for i, h := range f.info.Headings {
			headings[i] = h.ID
		}
		var sections []string
		for _, s := range f.splits {
			if len(f.info.Sizes) > 1 || len(s.Sections) > 1 { // they are marked on the page
				sections = append(append(sections, s.SectionID), s.Sections...)
			}
		}
		ids = reference.NewIDs(headings, f.info.Targets, sections)
		f.ids = weak.Make(ids) // of all files together they would fill much memory
	}
	_, ok := ids.Find(fragment)
	return ok
}

// Hints are bounded, so that many broken links in a large pack stay cheap.
const (
	maxHints      = 50 // hints given for one file
	maxCandidates = 64 // existing paths that a wrong one is compared with
	maxCompared   = 96 // bytes; longer texts are not compared
)

// hint returns a hint that names what is nearest to a wrong path or heading, as
// long as the file has not had many.
func (f *file) hint(nearest func(string) string, wrong string) string {
	if f.hints++; f.hints > maxHints {
		return ""
	}
	if best := nearest(wrong); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return ""
}

// nearestFor returns what a link was most likely meant to lead to: the only page with the
// title that is its text, as after a page was renamed, otherwise what nearest says.
func (x *linkJudge) nearestFor(from *file, l link) func(wrong string) string {
	return func(wrong string) string {
		if to := x.titled()[lint.FoldText(l.label)]; to != nil && to != from && l.label != "" && !l.image {
			return to.path
		}
		return x.nearest(wrong)
	}
}

// maxNameCost bounds the search for names like those of wiki links, for all links together.
const maxNameCost nearest.Budget = 50_000_000

// nearestName returns the title of the page that a wiki link was most likely meant to name.
func (x *linkJudge) nearestName(wrong string) string {
	if len(wrong) > maxCompared {
		return ""
	}
	folded := lint.FoldText(wrong)
	best := x.budget.Within(folded, x.titles(), (len(folded)+1)/4)
	if f := x.titled()[best]; f != nil {
		return f.info.Title
	}
	return ""
}

// nearest returns the existing path most like a wrong one: a file of the same
// name elsewhere, otherwise one of a similar name near by; "" when there is none.
func (x *linkJudge) nearest(wrong string) string {
	wrong = strings.TrimPrefix(wrong, "/")
	name := strings.ToLower(path.Base(wrong))
	byName := x.byName()
	same := byName[name]
	if len(same) == 0 {
		same = byName[name+".md"]
	}
	if len(same) > 0 {
		return closest(same[:min(len(same), maxCandidates)], wrong, maxCompared)
	}
	return closest(x.neighbours(wrong), wrong, len(name)/4+1)
}

// neighbours returns the files that are next to a path in path order.
func (x *linkJudge) neighbours(name string) []string {
	files := x.files()
	at, _ := slices.BinarySearch(files, name)
	return files[max(0, at-maxCandidates/2):min(len(files), at+maxCandidates/2)]
}

// nearestHeading returns the id most like a fragment; "" when none is like it.
func nearestHeading(headings []HeadingInfo) func(fragment string) string {
	return func(fragment string) string {
		var ids []string
		for _, h := range headings[:min(len(headings), maxCandidates)] {
			ids = append(ids, "#"+h.ID)
		}
		return closest(ids, "#"+fragment, len(fragment)/3+1)
	}
}

// closest returns the candidate with the smallest edit distance below a limit;
// of equal ones the first.
func closest(candidates []string, wrong string, limit int) string {
	if len(wrong) > maxCompared {
		return ""
	}
	return nearest.Within(wrong, candidates, limit-1)
}

// lostLink is a link that leads nowhere. Those with one cause are one finding, since
// one edit makes all of them right.
type lostLink struct {
	link
	target, fragment string
	why, hint        string
	folder           string // that does not exist, where no other file is like the one meant
}

// lose notes a link that leads nowhere.
func (f *file) lose(r lostLink, why, hint, folder string) {
	if hint != "" {
		folder = ""
	}
	r.why, r.hint, r.folder = why, hint, folder
	f.lost = append(f.lost, r)
}

// noFolder returns the topmost folder of a path that the pack does not have; "" when
// the folder of the file exists.
func (x *linkJudge) noFolder(target string) string {
	for i := range len(target) {
		if target[i] == '/' && !x.pack.HasDir(target[:i]) {
			return target[:i]
		}
	}
	return ""
}

// What a lost link does, as a message says it after the link; see [pack.NoFile] for
// what it does in other packages too.
const (
	noSuchPage   = "leads nowhere: no page or file has this name"
	noHeadings   = "names a heading, and the page has none"
	noSuchInMDX  = "leads to no heading, unless a component of that page makes it"
	notAtRoot    = "leads nowhere: no file of the pack has this path from its root"
	leavesPack   = "leads out of the pack"
	leavesFolder = "leads out of the folder that is mapped into the pack"
)

// cause is what links that are lost have in common.
type cause struct {
	kind causeKind
	path string // of the file with the links; "" when they may be in any
	what string
}

type causeKind int

const (
	sameTarget causeKind = iota
	sameList
	sameFolder
	sameRoot
	sameWayOut
	sameComponents
	sameBare
	sameConfig
)

func (r *lostLink) cause(f *file) cause {
	switch {
	case r.folder != "":
		return cause{sameFolder, "", r.folder}
	case r.list != "":
		return cause{sameList, "", r.list}
	}
	if r.why == notAtRoot { // another system maps the root, all of it
		return cause{sameRoot, "", ""}
	}
	if r.why == leavesPack || r.why == leavesFolder {
		return cause{sameWayOut, "", r.why}
	}
	if r.why == noSuchInMDX {
		return cause{sameComponents, "", ""}
	}
	if r.why == noHeadings {
		return cause{sameBare, "", ""}
	}
	if r.why == pack.ConfigLeftOut {
		return cause{sameConfig, "", ""}
	}
	in, target := f.path, r.target
	if r.hint == "" && (r.why == pack.NoFile || r.why == pack.DraftLeftOut) {
		in = "" // the file is missing wherever it is asked for
	}
	if r.why == noSuchPage {
		in, target = "", r.dest
	}
	return cause{sameTarget, in, fmt.Sprint(r.wiki, r.why) + target + "\x00" + r.fragment}
}

// moreLinks says that a number of links lead, to what the caller says.
func moreLinks(n int) string {
	if n == 1 {
		return "1 more link leads"
	}
	return amount.Grouped(n) + " more links lead"
}

// others says how many more links are lost, and why.
func (c cause) others(n int) string {
	links := moreLinks(n)
	switch c.kind {
	case sameFolder:
		return "; the folder " + quote(c.what) + " does not exist, and " + links + " into it"
	case sameWayOut:
		return "; " + links + " out of it"
	case sameComponents:
		return "; " + links + " to a section that such a page may make"
	case sameBare:
		return "; " + links + " to sections of pages without headings"
	case sameConfig:
		return "; " + links + " to what it leaves out"
	case sameRoot:
		return "; " + links + " nowhere from the root"
	case sameList:
		return "; " + links + " nowhere in the list of " + diag.Clip(c.what, 40) + ", which a tool writes"
	}
	if c.path == "" {
		return "; " + links + " there"
	}
	return "; " + links + " there from this file"
}

// reportLost reports the links that are lost: of those with one cause the first, and
// how many more there are.
func reportLost(files []*file) {
	more := map[cause]int{}
	for _, f := range files {
		slices.SortStableFunc(f.lost, func(a, b lostLink) int {
			return cmp.Or(cmp.Compare(a.at.line, b.at.line), cmp.Compare(a.at.column, b.at.column))
		})
		for i := range f.lost {
			more[f.lost[i].cause(f)]++
		}
	}
	reported := make(map[cause]bool, len(more))
	for _, f := range files {
		headings := missingHeadings(f)
		for i := range f.lost {
			r := &f.lost[i]
			c := r.cause(f)
			if reported[c] {
				continue
			}
			reported[c] = true
			why := r.why
			if r.why == pack.NoHeading && r.list == "" {
				n := headings[r.target]
				if n.seen == maxHeadings {
					continue
				}
				if n.seen++; n.seen == maxHeadings {
					why += "; " + moreLinks(n.all-maxHeadings) + " from this file to headings that do not exist there"
				}
			}
			if n := more[c] - 1; n > 0 {
				why += c.others(n)
			}
			severity := diag.Warning
			if r.why == notAtRoot || r.why == noSuchInMDX {
				severity = diag.Info
			}
			f.broken(r.link, severity, why, r.hint)
		}
		f.lost = nil
	}
}

// maxHeadings is how many links of a file to headings that another file does not have
// are reported one by one: a translated page with the contents of the original has one
// in each line, and one edit, or a tool, makes them all.
const maxHeadings = 3

// missing counts the links of a file to headings that one file does not have, each
// heading once.
type missing struct{ all, seen int }

// missingHeadings counts them by the file that they lead to. Few are not counted: each
// is reported.
func missingHeadings(f *file) map[string]*missing {
	counts := map[string]*missing{}
	seen := map[cause]bool{}
	for i := range f.lost {
		r := &f.lost[i]
		if c := r.cause(f); r.why == pack.NoHeading && r.list == "" && !seen[c] {
			seen[c] = true
			if counts[r.target] == nil {
				counts[r.target] = &missing{}
			}
			counts[r.target].all++
		}
	}
	for _, n := range counts {
		if n.all <= 2*maxHeadings {
			n.seen = -n.all // none is left out
		}
	}
	return counts
}

// generated is a part of a file that a tool writes, between two comments:
// <!-- NAME:START --> and <!-- NAME:END -->, or <!-- START NAME --> and <!-- END NAME -->.
type generated struct {
	name       string
	start, end int
}

// generatedLists returns the parts that tools write, in order.
func generatedLists(text []byte) []generated {
	var list []generated
	var open generated
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte("<!--"))
		if i < 0 {
			return list
		}
		start := at + i
		size := bytes.Index(text[start:], []byte("-->"))
		if size < 0 {
			return list
		}
		at = start + size + len("-->")
		name, begins, ok := generatedMark(string(text[start+len("<!--") : start+max(size, len("<!--"))]))
		switch {
		case !ok:
		case begins:
			open = generated{name: name, start: at}
		case name == open.name:
			open.end = start
			list, open = append(list, open), generated{}
		}
	}
}

// generatedMark reads a comment that begins or ends what a tool writes.
func generatedMark(comment string) (name string, begins, ok bool) {
	words := strings.Fields(comment)
	if len(words) == 0 {
		return "", false, false
	}
	name, side, found := strings.Cut(words[0], ":")
	if !found && len(words) > 1 {
		name, side = words[1], words[0]
	}
	switch strings.ToUpper(side) {
	case "START", "BEGIN":
		return name, true, name != ""
	case "END":
		return name, false, name != ""
	}
	return "", false, false
}

// listAt returns the name of the part that an offset is in.
func listAt(list []generated, offset int) string {
	i, _ := slices.BinarySearchFunc(list, offset, func(g generated, at int) int { return cmp.Compare(g.end, at) })
	if i < len(list) && list[i].start <= offset {
		return list[i].name
	}
	return ""
}
