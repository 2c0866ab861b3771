package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/javascript"
)

// errPlan says that a plan cannot be applied to a file.
var errPlan = errors.New("it does not fit")

// Apply reads proposals back that somebody reviewed: a JSON list as Analyze's
// report has it, of which items may be gone, and ids, keywords, patterns,
// priorities and summaries changed. Each section must be in the file as the
// plan has it; otherwise it is an error.
func (r *Report) Apply(proposals loadout.Value) ([]Proposal, error) {
	var accepted []Proposal
	ids := map[string]bool{}
	last := -1
	n := 0
	for item := range proposals.Items {
		n++
		p, err := r.proposal(item)
		if err != nil {
			return nil, fmt.Errorf("proposal %d: %w", n, err)
		}
		if p.Section.StartLine < last {
			return nil, fmt.Errorf("proposal %d: %w: the sections are out of order or overlap", n, errPlan)
		}
		if ids[p.ID] {
			return nil, fmt.Errorf("proposal %d: %w: the id %s is given twice", n, errPlan, p.ID)
		}
		ids[p.ID], last = true, p.Section.Next
		accepted = append(accepted, *p)
	}
	return accepted, nil
}

func (r *Report) proposal(v loadout.Value) (*Proposal, error) {
	s := v.Get("section")
	line, _ := s.Get("startLine").Num()
	heading, _ := s.Get("heading").Str()
	content, _ := s.Get("content").Str()
	section := r.find(int(line), heading, content)
	if section == nil {
		return nil, fmt.Errorf("%w: the file has no section %q at line %d with this text", errPlan, javascript.Line(heading), int(line)+1)
	}
	p := &Proposal{Section: *section, crlf: strings.Contains(r.text, "\r\n"), links: r.links}
	var err error
	text := func(key string) string {
		t, ok := v.Get(key).Str()
		if !ok && err == nil {
			err = fmt.Errorf("%w: %s is not text", errPlan, key)
		}
		return t
	}
	list := func(key string) []string {
		t, fault := texts(key, v.Get(key))
		if fault != nil && err == nil {
			err = fmt.Errorf("%w: %s is not a list of strings", errPlan, key)
		}
		return t
	}
	p.ID, p.Priority, p.Summary = text("suggestedId"), text("suggestedPriority"), javascript.Cut(javascript.Line(text("suggestedSummary")), 120)
	p.Keywords, p.Patterns = list("suggestedKeywords"), list("suggestedPatterns")
	switch {
	case err != nil:
		return nil, err
	case !isID(p.ID), r.form.as == Skills && !loadout.Kebab(p.ID):
		return nil, fmt.Errorf("%w: the id %q is not kebab-case", errPlan, p.ID)
	case len(p.ID) > 2*maxID:
		return nil, fmt.Errorf("%w: an id of %d bytes is too long for a file name", errPlan, len(p.ID))
	case p.Priority == loadout.PriorityDomain && len(p.Keywords) == 0:
		return nil, fmt.Errorf("%w: the rule %s has no keywords, and only the priorities core and manual go without", errPlan, p.ID)
	case p.Priority != loadout.PriorityCore && p.Priority != loadout.PriorityDomain && p.Priority != loadout.PriorityManual:
		return nil, fmt.Errorf("%w: there is no priority %q", errPlan, p.Priority)
	}
	for _, word := range slices.Concat(p.Keywords, p.Patterns) {
		if word == "" || strings.ContainsAny(word, ",[]") || javascript.Line(word) != word {
			return nil, fmt.Errorf("%w: the keyword or pattern %q is empty, or has a comma, a bracket or a line end", errPlan, javascript.Line(word))
		}
	}
	p.Globs = GlobsIn(p.Section.Content, r.exists)
	if !r.form.routes(p) {
		return nil, fmt.Errorf("%w: the rule %s names no paths, and --as paths has nothing to load it by", errPlan, p.ID)
	}
	p.Path = r.form.path(p.ID)
	if !r.form.hasIndex() {
		p.Description = r.form.describe(p, nil) // of the keywords as they are now
		if d, ok := v.Get("suggestedDescription").Str(); ok {
			p.Description = javascript.Line(d)
		}
		if n := token.Units(p.Description); n == 0 || n > MaxSkillDescription {
			return nil, fmt.Errorf("%w: the description of %s is empty or longer than %d characters", errPlan, p.ID, MaxSkillDescription)
		}
	}
	return p, nil
}
