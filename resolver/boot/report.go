package boot

import (
	"context"
	"fmt"
	"slices"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/token"
)

// Report is what a role costs and what its boot.yml does, beyond one boot.
type Report struct {
	Boot      *Result        `json:"boot"`
	Sections  []SectionCost  `json:"sections"`  // of this boot, in order
	Files     []FileCost     `json:"files"`     // every item of the role, briefs first, in path order
	All       Cost           `json:"all"`       // a boot without boot.yml
	Usecases  []UsecaseCost  `json:"usecases"`  // all subjects first, then each alone, in file order; empty outside subject mode
	Stale     []StaleGlob    `json:"stale"`     // globs that match nothing
	Unreached []string       `json:"unreached"` // items that no list of any section matches (subject mode)
	Repeated  []RepeatedItem `json:"repeated"`  // items that several sections say
	Heavy     []HeavyRef     `json:"heavy"`     // lines of this boot that cost more than the content they stand for
}

// SectionCost is the token estimate of one section.
type SectionCost struct {
	Kind string `json:"kind"`
	Cost Cost   `json:"cost"`
}

// FileCost is the token estimate of one item.
type FileCost struct {
	Path    string `json:"path"` // below the role directory
	Type    string `json:"type"` // "brief" or "skill"
	Content int    `json:"content"`
	Line    int    `json:"line"`           // as a ref
	State   string `json:"state"`          // in this boot: "said", "ref" or "absent"
	Home    string `json:"home,omitempty"` // the section that says it, or first refers to it
	Twin    bool   `json:"twin,omitempty"` // the content is that of x.md.min
}

// UsecaseCost is what booting one subject, or all, costs.
type UsecaseCost struct {
	Slug string `json:"slug"` // "" for all subjects
	Cost Cost   `json:"cost"`
}

// RepeatedItem is an item that several sections say.
type RepeatedItem struct {
	Path     string   `json:"path"`
	Sections []string `json:"sections"` // the first of the booted ones says it, the others mention it
}

// HeavyRef is a path-only line that costs more than its item's content.
type HeavyRef struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`    // tokens
	Content int    `json:"content"` // tokens
}

// Report boots the role and measures every choice. When the boot is refused for
// anything but its budget, only Boot is set. The error is as for [Role.Boot].
func (r *Role) Report(ctx context.Context, opts Options) (*Report, error) {
	return r.session(opts).report(ctx)
}

// report boots and measures.
func (s *session) report(ctx context.Context) (*Report, error) {
	res, err := s.boot(ctx)
	if err != nil {
		return nil, err
	}
	rep := &Report{ // lists are empty, not absent
		Boot: res, Sections: []SectionCost{}, Files: []FileCost{}, Usecases: []UsecaseCost{},
		Stale: []StaleGlob{}, Unreached: []string{}, Repeated: []RepeatedItem{}, Heavy: []HeavyRef{},
	}
	if res.Refused() && res.Budget == nil {
		return rep, nil
	}
	if err := s.measureAll(ctx, res); err != nil {
		return nil, err
	}
	p := s.planner
	for i := range res.Sections {
		rep.Sections = append(rep.Sections, SectionCost{res.Sections[i].Kind, s.price(res.Sections[i : i+1])})
	}
	rep.All = s.price(withItems([]Section{(&planner{cfg: &Config{}, files: p.files, match: p.match}).simple()}))
	if p.cfg.Mode == ModeSubject {
		rep.Usecases = append(rep.Usecases, UsecaseCost{"", s.price(p.plan(nil))})
		for _, slug := range p.cfg.Subjects() {
			rep.Usecases = append(rep.Usecases, UsecaseCost{slug, s.price(p.plan([]string{slug}))})
		}
		if p.overflow {
			rep.Usecases = rep.Usecases[:0]
			s.add(res, idLimit, diag.Warning, fmt.Sprintf("a boot of all subjects would print more than %d elements, so usecases are not compared", p.most), "list fewer items in boot.yml")
		}
		for k := range p.files {
			for _, i := range p.unreached(Kind(k)) {
				rep.Unreached = append(rep.Unreached, p.files[k][i].path)
			}
		}
		rep.Repeated = append(rep.Repeated, p.repeated(res.Usecases)...)
	}
	rep.Stale = append(rep.Stale, s.stale...)
	rep.Files = append(rep.Files, s.fileCosts(res)...)
	rep.Heavy = append(rep.Heavy, heavy(rep.Files)...)
	return rep, nil
}

// measureAll reads the items that this boot does not say and keeps only their
// size.
func (s *session) measureAll(ctx context.Context, res *Result) error {
	var unread []*file
	for k := range s.planner.files {
		for _, f := range s.planner.files[k] {
			if s.bodies[f] == nil {
				unread = append(unread, f)
			}
		}
	}
	if _, err := s.load(ctx, unread, false); err != nil {
		return err
	}
	for _, f := range unread {
		if s.bodies[f].large {
			res.Diagnostics = append(res.Diagnostics, s.role.fault(idLimit, diag.Warning, f.path,
				fmt.Sprintf("the file is larger than %s and counts as nothing here", bytesize.Text(maxItemBytes)), "split the file, or remove it from the role"))
		}
	}
	return nil
}

// fileCosts lists every item with its part in this boot.
func (s *session) fileCosts(res *Result) []FileCost {
	state := map[*file]*FileCost{}
	for section, item := range items(res.Sections) {
		if item.said() {
			state[item.file] = &FileCost{State: "said", Home: section}
		} else if state[item.file] == nil {
			state[item.file] = &FileCost{State: "ref", Home: section}
		}
	}
	var out []FileCost
	for k := range s.planner.files {
		for _, f := range s.planner.files[k] {
			c := FileCost{State: "absent"}
			if known := state[f]; known != nil {
				c = *known
			}
			c.Path, c.Type, c.Twin = f.path, f.kind.String(), f.twin
			c.Content = token.Of(s.bodies[f].units)
			c.Line = token.Of(lineUnits(&Item{Type: typeRef, file: f}))
			out = append(out, c)
		}
	}
	return out
}

// heavy picks the refs that cost more than what they point at.
func heavy(files []FileCost) []HeavyRef {
	var out []HeavyRef
	for _, f := range files {
		if f.State == "ref" && f.Line > f.Content {
			out = append(out, HeavyRef{f.Path, f.Line, f.Content})
		}
	}
	return out
}

// repeated finds the items that more than one of the booted sections says.
func (p *planner) repeated(slugs []string) []RepeatedItem {
	var out []RepeatedItem
	booted := p.booted(slugs)
	for k := range p.files {
		kind := Kind(k)
		sections := make([][]string, len(p.files[k]))
		for _, rules := range booted {
			r := &rules.Rules[k]
			hidden := map[int]bool{}
			for _, i := range slices.Concat(p.matches(kind, r.Hide), p.hiddenByAlways(kind)) {
				hidden[i] = true
			}
			for _, i := range p.matches(kind, r.Say) {
				if !hidden[i] {
					sections[i] = append(sections[i], rules.Kind)
				}
			}
		}
		for i, kinds := range sections {
			if len(kinds) > 1 {
				out = append(out, RepeatedItem{p.files[k][i].path, kinds})
			}
		}
	}
	return out
}
