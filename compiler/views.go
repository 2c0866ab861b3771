package compiler

import (
	"fmt"
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

// record describes the view for compiled/index.json.
func (v *view) record() schema.View {
	text := v.text.String()
	return schema.View{
		Path: v.path, Kind: v.kind, TokenEstimate: token.Estimate(text),
		SHA256: hexSum([]byte(text)), DerivedFrom: v.from,
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

// briefing names the pack and its pages.
func (j *joined) briefing() *view {
	v := &view{path: briefingPath, kind: "briefing"}
	v.derive(entryFile)
	v.block("# Briefing: " + j.pack.Meta.Name)
	v.block(oneLine(j.pack.Meta.Description))
	var items []string
	for _, f := range j.files {
		if f.role != page || !f.walked || len(f.secrets) > 0 {
			continue
		}
		v.derive(f.path)
		items = append(items, briefingItem(f))
	}
	v.list("Pages", items)
	return v
}

// briefingItem is what the briefing says of a page.
func briefingItem(f *file) string {
	if f.lead == "" {
		return titleAndPath(f)
	}
	return fmt.Sprintf("%s: %s (`%s`)", f.info.Title, f.lead, f.path)
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

// factsHead is how the facts view begins.
const factsHead = "# Facts\n"

// addFacts adds a section to the facts view; the items are those that may go
// there.
func (j *joined) addFacts(f *file, title string, items []string) {
	if j.facts.text.Len() == 0 {
		j.facts.text.WriteString(factsHead)
	}
	j.facts.list(title, items)
	j.facts.derive(f.path)
}

// boundaries collects the limits of the guide and what is disputed or unknown.
func (j *joined) boundaries() *view {
	v := &view{path: boundariesPath, kind: "boundaries"}
	if len(j.limits) > 0 {
		v.derive(entryFile)
	}
	var conflicts, gaps []string
	for _, f := range j.files {
		switch {
		case len(f.secrets) > 0: // its title may tell
		case f.role == contradiction && f.isOpen():
			conflicts = append(conflicts, titleAndPath(f))
			v.derive(f.path)
		case f.role == question && f.isOpen():
			gaps = append(gaps, titleAndPath(f))
			v.derive(f.path)
		}
	}
	if len(j.limits)+len(conflicts)+len(gaps) == 0 {
		return v
	}
	v.block("# Boundaries")
	v.list("Limits", j.limits)
	v.list("Disputed", conflicts)
	v.list("Unknown", gaps)
	return v
}
