package compiler

import (
	"bytes"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
)

// setsLimits reports whether a file has text under a heading that speaks of
// boundaries or taboos.
func setsLimits(doc *markdown.Document) bool {
	for i, h := range doc.Headings {
		if !h.Boundary && !markdown.ClassTaboos.Has(h.Text) && !markdown.ClassPersonaBoundaries.Has(h.Text) {
			continue
		}
		end := len(doc.Text)
		if i+1 < len(doc.Headings) {
			end = doc.Headings[i+1].Start
		}
		if len(bytes.TrimSpace(doc.Text[h.End:end])) > 0 {
			return true
		}
	}
	return false
}

// checkPersona warns of a persona without limits (agent-knowledge section 3.8). It
// is not a gate: the pack may be used.
func (c *compilation) checkPersona() {
	limited := c.guide.limits
	for _, f := range c.files {
		limited = limited || f.limits
	}
	if c.mode != pack.ModePersona || limited {
		return
	}
	line, column := c.pack.Meta.Place("runtime.mode")
	c.found = append(c.found, diag.Diagnostic{
		ID: "persona-limits", Severity: diag.Warning, Path: entryFile, Line: line, Column: column,
		Message: "a persona without a section on boundaries or taboos", Hint: "add a section headed Boundaries or Taboos",
	})
}
