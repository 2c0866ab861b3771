package eval

import (
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
)

// Line describes what changed about an entry, in one line.
func (c *Changed) Line() string {
	var parts []string
	words := func(name string, gained, lost []string) {
		for _, w := range gained {
			parts = append(parts, "+"+name+" "+diag.Printable(w))
		}
		for _, w := range lost {
			parts = append(parts, "-"+name+" "+diag.Printable(w))
		}
	}
	words("keyword", c.KeywordsGained, c.KeywordsLost)
	words("pattern", c.PatternsGained, c.PatternsLost)
	if c.Priority {
		parts = append(parts, diag.Printable(c.Before.Priority)+" became "+diag.Printable(c.After.Priority))
	}
	if c.Path {
		parts = append(parts, "path "+diag.Printable(c.Before.Path)+" became "+diag.Printable(c.After.Path))
	}
	if c.Phases {
		parts = append(parts, "triggers")
	}
	if c.Tokens != 0 {
		parts = append(parts, amount.Signed(c.Tokens)+" tokens")
	}
	if c.Summary {
		parts = append(parts, "summary")
	}
	return strings.Join(parts, ", ")
}
