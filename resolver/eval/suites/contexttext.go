package suites

import (
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/secret"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/loadout/render"
)

// String is a figure with its interval; "-" for one of no cases.
func (t Total) String() string {
	switch {
	case t.Of == 0:
		return "-"
	case t.Name == "tokens":
		return fmt.Sprintf("%.0f (%.0f to %.0f)", t.Value, t.Low, t.High)
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", t.Value, t.Low, t.High)
}

// writeMisses writes which figures stay below what the suite asks for, and what kept
// each lost section out.
func (c *Context) writeMisses(p *render.Printer) {
	for _, f := range c.Below {
		p.Printf("\n%s %s: %s of the validation half is %.2f, and the suite asks for %.2f\n", p.Red("below"), diag.Printable(c.Pack), f.Name, f.Value, f.Least)
	}
	for i := range c.Report.Results {
		r := &c.Report.Results[i]
		if len(r.Misses) == 0 {
			continue
		}
		p.Printf("\n%s %s: %q\n", p.Red("lost"), diag.Printable(c.Pack), diag.Printable(secret.Redact(r.Case.Query)))
		for _, m := range r.Misses {
			p.Printf("  %s: %s\n", diag.Printable(m.Section), ruleText(&m))
			if len(m.Lacks) > 0 {
				p.Printf("      lacks [%s]\n", diag.Printable(strings.Join(m.Lacks, ", ")))
			}
			for i, above := range m.Above {
				p.Printf("      %d. %.2f %s\n", i+1, above.Score, diag.Printable(above.Path))
			}
		}
	}
}

// ruleText says which rule dropped a section.
func ruleText(m *resolver.Miss) string {
	at := fmt.Sprintf("place %d, score %.2f, best %.2f", m.Place, m.Score, m.Best)
	switch m.Rule {
	case resolver.BySplit:
		return "the pack has no such section"
	case resolver.ByWords:
		return "no word in common"
	case resolver.ByBoundary:
		return "a boundary; boundaries take at most an eighth of the budget"
	case resolver.ByBudget:
		return at + "; it does not fit the budget"
	case resolver.ByStop:
		return at + "; below the stop"
	case resolver.ByPlace:
		return at + "; enough better sections"
	}
	return at + "; the profile or the context map looks elsewhere"
}
