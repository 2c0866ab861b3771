package boot

import "context"

// Choice is one selection of usecases with what it boots.
type Choice struct {
	Usecases []string // nil is all of them
	Sections []Section
	Cost     Cost
}

// Survey reports on the role and boots every given choice of usecases, reading
// each file once. It is for pages that show several boots beside each other, so
// the budget of boot.yml refuses nothing. Choices of slugs that the role does
// not have are left out; without subjects there is one choice, the boot itself.
// When the role is refused there are no choices, and the report holds the
// reasons.
func (r *Role) Survey(ctx context.Context, choices [][]string) (*Report, []Choice, error) {
	s := r.session(Options{Uncapped: true})
	rep, err := s.report(ctx)
	if err != nil || rep.Boot.Refused() {
		return rep, nil, err
	}
	if rep.Boot.Mode != ModeSubject {
		return rep, []Choice{{nil, rep.Boot.Sections, rep.Boot.Cost}}, nil
	}
	var out []Choice
	for _, slugs := range choices {
		if _, fault, _ := selected(s.planner.cfg, slugs); fault != "" {
			continue
		}
		c := Choice{Usecases: slugs, Sections: s.planner.plan(slugs)}
		if s.planner.overflow {
			return rep, out, nil
		}
		s.weigh(c.Sections)
		c.Cost = s.price(c.Sections)
		out = append(out, c)
	}
	return rep, out, nil
}

// weigh fills the token counts of items whose content has been measured.
func (s *session) weigh(sections []Section) {
	for _, item := range items(sections) {
		item.Tokens = s.tokens(item)
	}
}

// Subjects returns the slugs of the subjects of the role's boot.yml in file
// order; nil when it has none or cannot be read.
func (r *Role) Subjects() []string {
	if len(r.ymlDiags) > 0 {
		return nil
	}
	if cfg, _ := Parse(configName, r.yml); cfg != nil {
		return cfg.Subjects()
	}
	return nil
}

// Content returns what the boot prints for an item of this result between its
// tags; ok is false for an item that it does not say. The caller must not change
// it.
func (r *Result) Content(item *Item) (text []byte, ok bool) {
	if !item.said() || item.file == nil {
		return nil, false
	}
	if b := r.bodies[item.file]; b != nil {
		text = b.text
	}
	return text, text != nil
}

// Shown returns the path of an item as the boot prints it, before escaping.
func (r *Role) Shown(item *Item) string { return r.name + item.Path }
