package compiler

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
)

// The generated views (agent-knowledge section 6.4), in the order in which they
// are listed.
const (
	briefingPath   = "compiled/briefing.md"
	factsPath      = "compiled/facts.md"
	boundariesPath = "compiled/boundaries.md"
)

// view is a generated view while it is built.
type view struct {
	path, kind string
	text       strings.Builder
	from       []string // files that gave it a line, in compile order
}

// block adds a heading, a paragraph or a whole list; blocks are separated by one
// blank line.
func (v *view) block(text string) {
	if v.text.Len() > 0 {
		v.text.WriteByte('\n')
	}
	v.text.WriteString(text)
	v.text.WriteByte('\n')
}

// list adds a heading and a list below it; nothing when the list is empty.
func (v *view) list(heading string, items []string) {
	if len(items) > 0 {
		v.block("## " + heading)
		v.block("- " + strings.Join(items, "\n- "))
	}
}

// derive notes a file that gave the view a line. Files come in compile order.
func (v *view) derive(name string) {
	if n := len(v.from); n == 0 || v.from[n-1] != name {
		v.from = append(v.from, name)
	}
}

func (v *view) tokens() int { return token.Estimate(v.text.String()) }

// record describes the view for compiled/index.json.
func (v *view) record() schema.View {
	text := v.text.String()
	return schema.View{
		Path: v.path, Kind: v.kind, TokenEstimate: token.Estimate(text),
		SHA256: schema.SHA256([]byte(text)), DerivedFrom: v.from,
	}
}

// views builds the generated views. Packs whose wiki is not a primary source have
// none (section 6.5).
func (j *joined) views() []*view {
	if !j.wiki {
		return nil
	}
	var list []*view
	if len(j.guide.secrets) == 0 {
		list = append(list, j.briefing())
	}
	if j.facts.text.Len() > 0 {
		list = append(list, j.facts)
	}
	if v := j.boundaries(); v.text.Len() > 0 {
		list = append(list, v)
	}
	return list
}

// leftOutHeading is the section in which a view says what it has no room for.
const leftOutHeading = "Left out"

// briefing names the pack and its pages: as many as its budget has room for.
func (j *joined) briefing() *view {
	var pages []*file
	ranks := j.ranks()
	var lines []candidate
	for _, f := range j.files {
		if f.role == page && f.walked && len(f.secrets) == 0 {
			pages = append(pages, f)
			lines = append(lines, lineOf(j.briefingItem(f, f.lead), f, ranks[f]))
		}
	}
	budget, write := j.pack.Meta.Shape.Briefing, func(c *chosen) *view { return j.writeBriefing(pages, c) }
	if v := whole(lines, budget, write); v != nil {
		return v
	}
	for i, f := range pages {
		lines[i] = lineOf(j.briefingItem(f, shortened(f.lead, maxLead)), f, lines[i].rank)
	}
	return fit(lines, budget, write)
}

// writeBriefing writes the briefing with a choice of the pages.
func (j *joined) writeBriefing(pages []*file, c *chosen) *view {
	v := &view{path: briefingPath, kind: "briefing"}
	v.derive(entryFile)
	v.block("# Briefing: " + j.pack.Meta.Name)
	v.block(oneLine(j.pack.Meta.Description))
	var items []string
	for i, f := range pages {
		if c.kept[i] {
			v.derive(f.path)
			items = append(items, c.lines[i].text)
		}
	}
	v.list("Pages", items)
	v.list(leftOutHeading, c.leftOut("page"))
	return v
}

// briefingItem is what the briefing says of a page: its first sentence with a marker where
// that is a claim that is stale or disputed.
func (j *joined) briefingItem(f *file, lead string) string {
	if lead == "" {
		return titleAndPath(f)
	}
	if doubt := j.leads[f]; doubt != "" {
		lead += " [status: " + string(doubt) + "]"
	}
	return fmt.Sprintf("%s: %s (`%s`)", f.info.Title, lead, f.path)
}

// titleAndPath is the item of a page in a view.
func titleAndPath(f *file) string {
	return fmt.Sprintf("%s (`%s`)", f.info.Title, f.path)
}

// oneLine joins the lines of a text, trimmed, with one space.
func oneLine(text string) string {
	var parts []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, " ")
}

// fact is an item that may go into the facts view, with where the source map says so: in
// claims that follow each other, and a section. Of a large pack there are some hundred
// thousand.
type fact struct {
	file                                *file
	item, units, claims, count, section int32
}

// chooseFacts writes the facts view with as many items as its budget has room for, and
// notes in the source map which those are.
func (j *joined) chooseFacts(facts []fact) error {
	ranks := j.ranks()
	lines := make([]candidate, len(facts))
	for i, f := range facts {
		lines[i] = candidate{units: int(f.units), folder: path.Dir(f.file.path), rank: ranks[f.file]}
	}
	var kept []bool
	items := factItems{material: j.material, read: map[*file][]string{}}
	j.facts = fit(lines, j.pack.Meta.Shape.Facts, func(c *chosen) *view {
		kept = c.kept
		return j.writeFacts(facts, &items, c)
	})
	if items.err != nil {
		return items.err
	}
	m := &j.sourceMap
	for i, f := range facts {
		if !kept[i] {
			continue
		}
		for claim := range f.count {
			into := &m.Claims[f.claims+claim].CompiledInto
			*into = append(*into, factsPath)
		}
		if s := &m.DocumentSections[f.section]; !slices.Contains(s.CompiledInto, factsPath) {
			s.CompiledInto = append(slices.Clip(s.CompiledInto), factsPath)
		}
	}
	return nil
}

// factItems are the one-line forms of statements, which are read where they are needed:
// most packs show all of them, and a large one a few.
type factItems struct {
	*material
	read map[*file][]string
	err  error // the first
}

// of returns the item of a fact; "" after an error.
func (i *factItems) of(f *fact) string {
	list, known := i.read[f.file]
	if !known {
		a, err := i.asideOf(f.file)
		if err != nil && i.err == nil {
			i.err = err
		}
		list = a.items
		i.read[f.file] = list
	}
	if int(f.item) > len(list) {
		return ""
	}
	return list[f.item-1]
}

// writeFacts writes the facts view with a choice of the facts.
func (j *joined) writeFacts(facts []fact, all *factItems, c *chosen) *view {
	v := &view{path: factsPath, kind: "facts"}
	if len(facts) == 0 {
		return v
	}
	v.block("# Facts")
	for i := 0; i < len(facts); {
		section := facts[i].section
		var items []string
		at := i
		for ; i < len(facts) && facts[i].section == section; i++ {
			if c.kept[i] {
				items = append(items, all.of(&facts[i]))
			}
		}
		if len(items) > 0 {
			v.list(j.sourceMap.DocumentSections[section].Title, items)
			v.derive(facts[at].file.path)
		}
	}
	v.list(leftOutHeading, c.leftOut("fact"))
	return v
}

// boundaries collects the limits of the guide, all of them, and what is disputed or
// unknown, as far as the budget has room for it.
func (j *joined) boundaries() *view {
	var files []*file
	var lines []candidate
	ranks := j.ranks()
	for _, f := range j.files {
		if (f.role == contradiction || f.role == question) && f.isOpen() && len(f.secrets) == 0 { // a title may reveal it
			files = append(files, f)
			lines = append(lines, lineOf(titleAndPath(f), f, ranks[f]))
		}
	}
	if len(j.limits)+len(files) == 0 {
		return &view{path: boundariesPath, kind: "boundaries"}
	}
	budget := j.pack.Meta.Shape.Boundaries
	if budget > 0 {
		budget += j.writeBoundaries(nil, allOf(nil)).tokens()
	}
	return fit(lines, budget, func(c *chosen) *view { return j.writeBoundaries(files, c) })
}

// writeBoundaries writes the view of boundaries with a choice of what is open.
func (j *joined) writeBoundaries(files []*file, c *chosen) *view {
	v := &view{path: boundariesPath, kind: "boundaries"}
	if len(j.limits) > 0 {
		v.derive(entryFile)
	}
	var conflicts, gaps []string
	for i, f := range files {
		switch {
		case !c.kept[i]:
			continue
		case f.role == contradiction:
			conflicts = append(conflicts, c.lines[i].text)
		default:
			gaps = append(gaps, c.lines[i].text)
		}
		v.derive(f.path)
	}
	v.block("# Boundaries")
	v.list("Limits", j.limits)
	v.list("Disputed", conflicts)
	v.list("Unknown", gaps)
	v.list(leftOutHeading, c.leftOut("page"))
	return v
}

// candidate is a line that a view has room for, or has not.
type candidate struct {
	text   string // may be known to who writes the view alone
	units  int    // of the text, UTF-16
	folder string // of the file that gives it
	rank   int    // in its folder: the lowest first
}

// lineOf makes a candidate of what a file gives.
func lineOf(text string, f *file, rank int) candidate {
	return candidate{text, token.Units(text), path.Dir(f.path), rank}
}

// A chosen list says which lines of a view fit its budget.
type chosen struct {
	lines []candidate
	kept  []bool
	order []int // of the lines that are kept, as they were taken
}

// choose fills a number of UTF-16 units with lines: one of each folder in turn, the
// most important first, so that no folder crowds out the others. A line that does not
// fit is left out; a shorter one after it may still fit.
func choose(lines []candidate, units int) *chosen {
	c := &chosen{lines: lines, kept: make([]bool, len(lines))}
	var folders []string
	queues := map[string][]int{}
	for i, l := range lines {
		if queues[l.folder] == nil {
			folders = append(folders, l.folder)
		}
		queues[l.folder] = append(queues[l.folder], i)
	}
	for _, queue := range queues {
		slices.SortStableFunc(queue, func(a, b int) int { return cmp.Compare(lines[a].rank, lines[b].rank) })
	}
	for open := len(folders); open > 0; {
		open = 0
		for _, folder := range folders {
			queue := queues[folder]
			if len(queue) == 0 {
				continue
			}
			open++
			queues[folder] = queue[1:]
			if cost := lines[queue[0]].units + len("- \n"); cost <= units {
				units -= cost
				c.kept[queue[0]] = true
				c.order = append(c.order, queue[0])
			}
		}
	}
	return c
}

// allOf is the choice of all lines.
func allOf(lines []candidate) *chosen {
	c := &chosen{lines: lines, kept: make([]bool, len(lines)), order: make([]int, len(lines))}
	for i := range lines {
		c.kept[i], c.order[i] = true, i
	}
	return c
}

// drop leaves out the line that was taken last; false when none is left.
func (c *chosen) drop() bool {
	if len(c.order) == 0 {
		return false
	}
	last := c.order[len(c.order)-1]
	c.order, c.kept[last] = c.order[:len(c.order)-1], false
	return true
}

// maxLeftOut is how many folders are named of which a view leaves something out.
const maxLeftOut = 6

// leftOut says how many lines were left out, by folder: the folders with most first.
func (c *chosen) leftOut(noun string) []string {
	counts := map[string]int{}
	for i, l := range c.lines {
		if !c.kept[i] {
			counts[l.folder]++
		}
	}
	folders := sortedKeys(counts)
	slices.SortStableFunc(folders, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	var list []string
	rest := 0
	for i, folder := range folders {
		if i >= maxLeftOut {
			rest += counts[folder]
			continue
		}
		list = append(list, fmt.Sprintf("%s in `%s/`", amount.Counted(counts[folder], noun), folder))
	}
	if rest > 0 {
		list = append(list, fmt.Sprintf("%s in %s", amount.Counted(rest, noun), amount.Counted(len(folders)-maxLeftOut, "other folder")))
	}
	return list
}

// fit writes a view with the lines that a number of tokens has room for; 0 is room for
// all of them. Write makes it of a choice.
func fit(lines []candidate, tokens int, write func(*chosen) *view) *view {
	if v := whole(lines, tokens, write); v != nil {
		return v
	}
	var v *view
	empty := write(&chosen{lines: lines, kept: make([]bool, len(lines))})
	c := choose(lines, 4*(tokens-empty.tokens()))
	for {
		v = write(c)
		if v.tokens() <= tokens || !c.drop() {
			return v
		}
	}
}

// whole writes a view with all lines; nil when a number of tokens has no room for them. Of a
// large pack they are hundreds of megabytes, which are not written to find that out.
func whole(lines []candidate, tokens int, write func(*chosen) *view) *view {
	units := 0
	for i := range lines {
		if units += lines[i].units; tokens > 0 && token.Of(units) > tokens {
			return nil
		}
	}
	v := write(allOf(lines))
	if tokens > 0 && v.tokens() > tokens {
		return nil
	}
	return v
}

// maxLead is how many characters of the first line of a page the briefing has when it
// cannot hold all pages.
const maxLead = 160

// shortened cuts a text at the last blank that leaves that many characters.
func shortened(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	cut := string(runes[:most])
	if at := strings.LastIndexByte(cut, ' '); at > most/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}

// ranks orders files by importance, the lowest first: those that wiki/index.md links to,
// in its order, then the page of a folder itself, then those with most citations.
func (j *joined) ranks() map[*file]int {
	files := slices.Clone(j.files)
	class := func(f *file) int {
		switch base := strings.ToLower(path.Base(f.path)); {
		case f.linkedTo: // by the author's own list, in its order
			return 0
		case base == "index.md", base == "readme.md":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(files, func(a, b *file) int {
		if c := cmp.Compare(class(a), class(b)); c != 0 || a.linkedTo {
			return c
		}
		return cmp.Compare(len(b.citations), len(a.citations))
	})
	ranks := make(map[*file]int, len(files))
	for i, f := range files {
		ranks[f] = i
	}
	return ranks
}
