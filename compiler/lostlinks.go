package compiler

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
)

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
