package boot

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/token"
)

// minCatalog is the number of path-only lines below one folder from which a
// catalog brief in their place is worth naming.
const minCatalog = 5

// remedies lists what would bring a boot under its budget, cheapest for the
// reader of the boot first: what loses nothing is before what loses content.
func (s *session) remedies(res *Result, over int) []Remedy {
	var out []Remedy
	for _, r := range []*Remedy{
		s.fewerSubjects(res), catalogRemedy(res.Sections), minifyRemedy(res.Sections),
		toRefRemedy(res.Sections, over), hideRemedy(res.Sections),
	} {
		if r != nil {
			out = append(out, *r)
		}
	}
	return out
}

// fewerSubjects names the single subjects that fit, or the cheapest when none
// does. Naming the only subject is a choice too: it drops also. What a single
// subject says is part of what has been read already.
func (s *session) fewerSubjects(res *Result) *Remedy {
	slugs := res.Usecases
	if slugs == nil {
		slugs = s.planner.cfg.Subjects()
	}
	if len(slugs) == 0 {
		return nil
	}
	type choice struct {
		slug string
		cost int
	}
	var choices []choice
	for _, slug := range slugs {
		choices = append(choices, choice{slug, s.price(s.planner.plan([]string{slug})).Rendered})
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(a.cost, b.cost) })
	if choices[0].cost >= res.Cost.Rendered {
		return nil // it is what was booted
	}
	fit := slices.DeleteFunc(slices.Clone(choices), func(c choice) bool { return c.cost > res.Budget.Cap })
	text, best := "boot fewer subjects: ", choices[0]
	if len(slugs) == 1 {
		text = "name the only subject, which leaves also out: "
	}
	if len(fit) > 0 {
		best = fit[len(fit)-1]
		slices.Reverse(fit)
		choices = fit
	} else {
		text = strings.TrimSuffix(text, ": ") + " (none fits alone): "
		choices = choices[:1]
	}
	names := make([]string, len(choices))
	for i, c := range choices {
		names[i] = fmt.Sprintf("%s costs %d", show(c.slug), c.cost)
	}
	return &Remedy{Kind: "usecase", Text: text + listed(names, func(s string) string { return s }), Saves: res.Cost.Rendered - best.cost}
}

// catalogRemedy proposes one brief in place of the folder with the most
// path-only lines.
func catalogRemedy(sections []Section) *Remedy {
	type group struct{ lines, tokens int }
	groups := map[string]*group{}
	best := ""
	for _, item := range items(sections) {
		if item.said() {
			continue
		}
		dir := path.Dir(item.Path)
		g := groups[dir]
		if g == nil {
			g = &group{}
			groups[dir] = g
		}
		g.lines++
		g.tokens += item.Tokens
	}
	for dir, g := range groups {
		b := groups[best]
		if g.lines >= minCatalog && (b == nil || g.tokens > b.tokens || g.tokens == b.tokens && dir < best) {
			best = dir
		}
	}
	g := groups[best]
	if g == nil {
		return nil
	}
	saves := g.tokens - g.tokens/g.lines
	return &Remedy{Kind: "catalog", Saves: saves, Paths: []string{best},
		Text: fmt.Sprintf("replace the %d references to %s/ by one catalog brief (saves about %d)", g.lines, show(best), saves)}
}

// largest returns the said items, most tokens first.
func largest(sections []Section) []*Item {
	var said []*Item
	for _, item := range items(sections) {
		if item.said() {
			said = append(said, item)
		}
	}
	slices.SortStableFunc(said, func(a, b *Item) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return said
}

// minifyRemedy names the largest said briefs without a minified twin.
func minifyRemedy(sections []Section) *Remedy {
	var paths []string
	for _, item := range largest(sections) {
		if item.Type == TypeBrief && !item.file.twin && len(paths) < 3 {
			paths = append(paths, item.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return &Remedy{Kind: "minify", Paths: paths, Text: "add a shorter .md.min beside " + listed(paths, show)}
}

// toRefRemedy names the fewest said items that bring the boot under its budget
// when they become refs.
func toRefRemedy(sections []Section, over int) *Remedy {
	var paths []string
	saves := 0
	for _, item := range largest(sections) {
		line := token.Of(lineUnits(&Item{Type: typeRef, file: item.file}))
		if saves >= over || item.Tokens <= line {
			break
		}
		saves += item.Tokens - line
		paths = append(paths, item.Path)
	}
	if len(paths) == 0 {
		return nil
	}
	return &Remedy{Kind: "ref", Saves: saves, Paths: paths,
		Text: fmt.Sprintf("move from say to ref: %s (saves about %d)", listed(paths, show), saves)}
}

// hideRemedy counts what hiding every path-only line would save.
func hideRemedy(sections []Section) *Remedy {
	lines, saves := 0, 0
	for _, item := range items(sections) {
		if !item.said() {
			lines++
			saves += item.Tokens
		}
	}
	if lines == 0 {
		return nil
	}
	return &Remedy{Kind: "hide", Saves: saves,
		Text: fmt.Sprintf("hide what this role never needs: its %d references cost %d", lines, saves)}
}
