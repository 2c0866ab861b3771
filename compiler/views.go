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
func (c *compilation) views() []*view {
	if !c.wiki {
		return nil
	}
	var list []*view
	if len(c.guide.secrets) == 0 {
		list = append(list, c.briefing())
	}
	if c.facts.text.Len() > 0 {
		list = append(list, c.facts)
	}
	if v := c.boundaries(); v.text.Len() > 0 {
		list = append(list, v)
	}
	return list
}

// briefing names the pack and its pages.
func (c *compilation) briefing() *view {
	v := &view{path: briefingPath, kind: "briefing"}
	v.derive(entryFile)
	v.block("# Briefing: " + c.pack.Meta.Name)
	v.block(oneLine(c.pack.Meta.Description))
	var items []string
	for _, f := range c.files {
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
func (c *compilation) addFacts(f *file, title string, items []string) {
	if c.facts.text.Len() == 0 {
		c.facts.text.WriteString(factsHead)
	}
	c.facts.list(title, items)
	c.facts.derive(f.path)
}

// boundaries collects the limits of the guide and what is disputed or unknown.
func (c *compilation) boundaries() *view {
	v := &view{path: boundariesPath, kind: "boundaries"}
	if len(c.limits) > 0 {
		v.derive(entryFile)
	}
	var conflicts, gaps []string
	for _, f := range c.files {
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
	if len(c.limits)+len(conflicts)+len(gaps) == 0 {
		return v
	}
	v.block("# Boundaries")
	v.list("Limits", c.limits)
	v.list("Disputed", conflicts)
	v.list("Unknown", gaps)
	return v
}
