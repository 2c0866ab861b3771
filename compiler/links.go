package compiler

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/pack"
)

// reference is a link that can only be judged when all files are known: its
// heading may be missing, or its file may be an output of this run.
type reference struct {
	dest, target, fragment string
	at                     place
}

// writtenLink is a link as it stands in a file.
type writtenLink struct {
	dest  string
	image bool
	at    place
}

// linksOf returns the links of a file that may lead to another file or heading.
func linksOf(doc *markdown.Document) []writtenLink {
	var list []writtenLink
	for _, l := range doc.Links {
		if target, fragment, ok := localTarget(l.Dest); ok && target+fragment != "" {
			list = append(list, writtenLink{l.Dest, l.Image, placeOf(doc, l.Offset)})
		}
	}
	return list
}

// links knows the files of a pack and judges relative links (finding
// ref-broken; run records hold no such findings).
type links struct {
	pack   *pack.Pack
	files  func() []pack.File         // in path order, without outputs: what may be meant
	byName func() map[string][]string // paths by lower-case file name
}

func newLinks(p *pack.Pack) *links {
	l := &links{pack: p}
	l.files = sync.OnceValue(func() []pack.File {
		// Outputs are never proposed: the first compile would know fewer of
		// them than the second.
		return slices.DeleteFunc(slices.Clone(p.Files), func(f pack.File) bool { return isOutput(f.Path) })
	})
	l.byName = sync.OnceValue(func() map[string][]string {
		byName := map[string][]string{}
		for _, f := range l.files() {
			key := strings.ToLower(path.Base(f.Path))
			byName[key] = append(byName[key], f.Path)
		}
		return byName
	})
	return l
}

// has reports whether the pack lists a file or directory.
func (l *links) has(name string) bool {
	return name == "" || name == "." || l.pack.Has(name) || l.pack.HasDir(name)
}

// check reports the links of a file that lead nowhere, and returns those that
// must wait for the other files.
func (l *links) check(f *file) []reference {
	var wait []reference
	for _, link := range f.written {
		target, fragment, ok := localTarget(link.dest)
		if !ok || target == "" && fragment == "" {
			continue
		}
		r := reference{dest: link.dest, fragment: fragment, at: link.at}
		switch {
		case target == "":
			r.target = f.path
		case strings.HasPrefix(target, "/"):
			f.broken(r, diag.Info, "an absolute path, which a pack has not", f.hint(l.nearest, target))
			continue
		default:
			r.target = path.Join(path.Dir(f.path), target)
		}
		switch {
		case r.target == ".." || strings.HasPrefix(r.target, "../"):
			f.broken(r, diag.Warning, "it leaves the pack", "link to a file of the pack, or to a full URL")
		case isOutput(r.target):
			if path.Ext(r.target) != "" { // directories are not looked at
				wait = append(wait, r)
			}
		case l.has(r.target) && fragment != "" && isMarkdown(r.target):
			wait = append(wait, r)
		case !l.has(r.target) && !l.pack.LeftOut(r.target):
			f.broken(r, diag.Warning, "there is no such file", f.hint(l.nearest, r.target))
		}
	}
	return wait
}

// isOutput reports a path that compile itself may write, or its directory.
func isOutput(name string) bool {
	dir, _, _ := strings.Cut(name, "/")
	return dir == "compiled" || dir == "indexes" || dir == "runs"
}

// broken reports a link that leads nowhere.
func (f *file) broken(r reference, severity diag.Severity, why, hint string) {
	f.diags = append(f.diags, diag.Diagnostic{
		ID: refBroken, Severity: severity, Path: f.path, Line: r.at.line, Column: r.at.column,
		Message: "Broken link " + quote(r.dest) + ": " + why + ".", Hint: hint,
	})
}

// checkReferences judges the links that had to wait.
func (c *compilation) checkReferences(f *file) {
	for _, r := range f.refs {
		if isOutput(r.target) && !c.willHave(r.target) {
			f.broken(r, diag.Warning, "there is no such file", f.hint(c.links.nearest, r.target))
			continue
		}
		other := c.byPath[r.target]
		if r.target == entryFile {
			other = c.guide
		}
		if r.fragment == "" || other == nil {
			continue
		}
		if !other.hasHeading(r.fragment) {
			f.broken(r, diag.Warning, "there is no such heading", f.hint(nearestHeading(other.info.Headings), r.fragment))
		}
	}
	f.refs = nil
}

// willHave reports whether an output, or a directory of outputs, is there after the
// run. A link to either is judged by the next run as by this one.
func (c *compilation) willHave(name string) bool {
	if c.out.exists(name, c.pack.Has(name)) {
		return true
	}
	if c.dirs == nil {
		c.dirs = c.out.dirs(c.pack.Files)
	}
	return c.dirs[name]
}

// hasHeading reports whether a fragment is the id of a heading; browsers take
// "top" too. Text that is no section id is compared by the id rule.
func (f *file) hasHeading(fragment string) bool {
	if f.ids == nil {
		f.ids = headingIDs(f.info.Headings)
	}
	return f.ids[fragment] || f.ids[strings.ToLower(fragment)] || fragment == "top"
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

// nearest returns the existing path most like a wrong one: a file of the same
// name elsewhere, else one of a similar name near by; "" when there is none.
func (l *links) nearest(wrong string) string {
	wrong = strings.TrimPrefix(wrong, "/")
	name := strings.ToLower(path.Base(wrong))
	byName := l.byName()
	same := byName[name]
	if len(same) == 0 {
		same = byName[name+".md"]
	}
	if len(same) > 0 {
		return closest(same[:min(len(same), maxCandidates)], wrong, maxCompared)
	}
	return closest(l.neighbours(wrong), wrong, len(name)/3+1)
}

// neighbours returns the files that stand next to a path in path order.
func (l *links) neighbours(name string) []string {
	files := l.files()
	at, _ := slices.BinarySearchFunc(files, name, func(f pack.File, name string) int { return cmp.Compare(f.Path, name) })
	var list []string
	for _, f := range files[max(0, at-maxCandidates/2):min(len(files), at+maxCandidates/2)] {
		list = append(list, f.Path)
	}
	return list
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
