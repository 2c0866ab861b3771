package compiler

import (
	"fmt"
	"path"
	"slices"
	"strings"

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
