package boot

import (
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/token"
)

// price counts sections whose said items have been read.
func (s *session) price(sections []Section) Cost {
	all := counter{bodies: func(f *file) *body { return s.bodies[f] }, pathLen: s.pathLen}
	layOut(sections, s.opts.Compact, &all)
	lines := counter{pathLen: s.pathLen}
	c := Cost{Said: token.Of(all.said), Rendered: token.Of(all.units)}
	for i := range sections {
		for j := 0; j < len(sections[i].Items); j++ {
			item := &sections[i].Items[j]
			c.Items++
			switch item.Type {
			case TypeBrief:
				c.Briefs++
			case TypeSkill:
				c.Skills++
			default:
				if n := runOf(sections[i].Items[j:], s.opts.Compact); n > 1 {
					pathLines(sections[i].Items[j:j+n], "", &lines)
					c.Items += n - 1
					j += n - 1
				} else {
					pathLine(item, &lines)
				}
			}
		}
	}
	c.Refs = token.Of(lines.units)
	return c
}

// Budget compares a boot with its cap (boot.yml section 11).
type Budget struct {
	Cap      int      `json:"cap"`                // tokens
	Actual   int      `json:"actual"`             // tokens of the rendered boot
	Remedies []Remedy `json:"remedies,omitempty"` // when over, cheapest first
}

// Over returns the tokens above the cap, 0 when the boot fits.
func (b *Budget) Over() int { return max(0, b.Actual-b.Cap) }

// Remedy is one way to bring a boot under its budget.
type Remedy struct {
	Kind  string   `json:"kind"`  // "usecase", "catalog", "minify", "ref" or "hide"
	Text  string   `json:"text"`  // what to do
	Saves int      `json:"saves"` // tokens, estimated; 0 when it depends on the author
	Paths []string `json:"paths,omitempty"`
}

// checkBudget refuses a boot above its cap.
func (s *session) checkBudget(res *Result) {
	limit := s.opts.Budget
	if limit <= 0 {
		limit = s.planner.cfg.Budget
	}
	if limit <= 0 || s.opts.Uncapped {
		return
	}
	res.Budget = &Budget{Cap: limit, Actual: res.Cost.Rendered}
	over := res.Budget.Over()
	if over == 0 {
		return
	}
	res.Budget.Remedies = s.remedies(res, over)
	var hints []string
	for _, r := range res.Budget.Remedies {
		hints = append(hints, r.Text)
	}
	s.add(res, idOverBudget, diag.Error,
		fmt.Sprintf("the boot exceeds its budget: cap %d tokens, actual %d, over by %d", limit, res.Cost.Rendered, over), strings.Join(hints, "; "))
}
