package exchange

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/agent/rules"
	"github.com/packgen/packgen/resolver/loadout/javascript"
)

// maxPackDescription is what KNOWLEDGE.md allows, in UTF-16 units.
const maxPackDescription = 1024

// guide is the front matter of a pack that is made of something else. What nobody has
// reviewed says so.
type guide struct {
	values      map[string]string
	maintainers []string
	skill       [][2]string // metadata of a skill
	other       []string    // lines of keys that mean nothing here
	okfRoot     string      // where documents were in a bundle; "" in their folder
}

// guideFields are the fields that are written, in order.
var guideFields = []string{"name", "description", "type", "status", "profile", "version", "language", "license", "scope", "trust", "updated", "compatibility"}

func newGuide(name, description string) *guide {
	description = strings.TrimSpace(description)
	if description == "" {
		description = "Imported: say what is inside and when to use it."
	}
	if token.Units(description) > maxPackDescription {
		description = javascript.Shorten(description, maxPackDescription)
	}
	return &guide{values: map[string]string{
		"name": name, "description": description, "type": "domain-reference", "status": string(schema.NeedsReview), "profile": "document-first", "trust": "unreviewed",
	}}
}

// set sets a field to a value that it may have.
func (g *guide) set(key, value string) {
	switch {
	case value == "",
		key == "status" && !slices.Contains(schema.PackStatuses(), schema.Status(value)),
		key == "type" && !pack.KnownType(value),
		key == "trust" && !slices.Contains(pack.Trusts(), value):
		return
	}
	g.values[key] = value
}

// text is the front matter, with its markers and an empty line after it.
func (g *guide) text() string {
	var b strings.Builder
	b.WriteString("---\n")
	for _, key := range guideFields {
		if v := g.values[key]; v != "" {
			b.WriteString(key + ": " + scalar(v) + "\n")
		}
	}
	if len(g.maintainers) > 0 {
		b.WriteString(rules.QuotedList("maintainers", g.maintainers))
	}
	if g.okfRoot != "" || len(g.skill)+len(g.other) > 0 {
		b.WriteString("metadata:\n")
	}
	if g.okfRoot != "" {
		b.WriteString("  okf:\n    root: " + g.okfRoot + "\n")
	}
	if len(g.skill)+len(g.other) > 0 {
		b.WriteString("  skill:\n")
		if len(g.skill) > 0 {
			b.WriteString("    metadata:\n")
		}
		for _, kv := range g.skill {
			b.WriteString("      " + rules.Quoted(kv[0]) + ": " + rules.Quoted(kv[1]) + "\n")
		}
		if len(g.other) > 0 {
			b.WriteString("    fields:\n")
		}
		for _, lines := range g.other {
			for l := range strings.Lines(lines) {
				b.WriteString("      " + strings.TrimRight(l, "\n") + "\n")
			}
		}
	}
	return b.String() + "---\n\n"
}

// scalar writes a value plainly where YAML reads it as the same text.
func scalar(v string) string {
	if plainKey().MatchString(v) {
		switch strings.ToLower(v) {
		case "true", "false", "null":
		default:
			return v
		}
	}
	return rules.Quoted(v)
}
