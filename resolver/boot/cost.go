package boot

import (
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/token"
)

// price counts sections whose said items have been read.
func (s *session) price(sections []Section) Cost {
	all, said, lines := 0, 0, 0
	layOut(sections, s.opts.Compact, counting(&all), func(f *file) {
		b := s.bodies[f]
		said += b.units
		all += b.units
		if b.open {
			all++
		}
	})
	c := Cost{Said: token.Of(said), Rendered: token.Of(all)}
	for i := range sections {
		c.Items += len(sections[i].Items)
		for run := range runs(sections[i].Items, s.opts.Compact) {
			switch run[0].Type {
			case TypeBrief:
				c.Briefs++
			case TypeSkill:
				c.Skills++
			default:
				pathLines(run, "", counting(&lines))
			}
		}
	}
	c.Refs = token.Of(lines)
	return c
}

// counting returns what adds the UTF-16 units of texts to a sum.
func counting(sum *int) func(string) { return func(text string) { *sum += token.Units(text) } }

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
