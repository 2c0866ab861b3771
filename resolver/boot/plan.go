package boot

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/boot/glob"
)

// Item types of a section, as the machine form has them.
const (
	TypeBrief   = "brief"   // a brief, said
	TypeSkill   = "skill"   // a skill, said
	typeRef     = "ref"     // the path only
	TypeMention = "mention" // the path only, with the section that holds the content
)

// Section is what one section prints, in order.
type Section struct {
	Kind  string `json:"kind"` // "simple", "always", "subject.<slug>" or "also"
	Items []Item `json:"items"`
}

// Item is one element of the output.
type Item struct {
	Type   string `json:"type"`
	Path   string `json:"path"`         // slash path below the role directory
	Of     string `json:"of,omitempty"` // for a mention: the kind of the section that holds the content
	Tokens int    `json:"tokens"`       // said: of the content as printed; otherwise of the line
	file   *file
}

// said reports whether the item's content is printed.
func (i *Item) said() bool { return i.Type == TypeBrief || i.Type == TypeSkill }

// items ranges over the items of sections, each with the kind of its section.
func items(sections []Section) iter.Seq2[string, *Item] {
	return func(yield func(string, *Item) bool) {
		for i := range sections {
			for j := range sections[i].Items {
				if !yield(sections[i].Kind, &sections[i].Items[j]) {
					return
				}
			}
		}
	}
}

// planner turns a Config and the items of a role into sections (boot.yml
// sections 4 to 6).
type planner struct {
	cfg    *Config
	files  [2][]*file
	match  [2]*glob.Matcher
	near   [2]*neighbours
	bySlug map[string]*SectionRules

	most     int  // elements of a plan
	overflow bool // a plan passed most and was given up
}

func newPlanner(r *Role, cfg *Config) *planner {
	p := &planner{cfg: cfg, files: r.items, most: r.limits.lines, bySlug: map[string]*SectionRules{}}
	for i := range cfg.Sections {
		p.bySlug[cfg.Sections[i].Slug] = &cfg.Sections[i]
	}
	work := new(int64)
	for k := range p.match {
		prefix, base := "", r.layout.base(Kind(k))
		if base != "" && !strings.Contains(strings.TrimSuffix(base, "/"), "/") {
			prefix = base
		}
		paths := make([]string, len(p.files[k]))
		for i, f := range p.files[k] {
			paths[i] = f.below
		}
		p.match[k] = glob.NewMatcher(prefix, paths, work)
		p.near[k] = &neighbours{prefix: prefix, paths: paths}
	}
	return p
}

// matches returns the sorted indexes of the items that any glob of a list
// matches, and their union over lists.
func (p *planner) matches(k Kind, lists ...[]Glob) []int {
	var all []int
	for _, list := range lists {
		for i := range list {
			all = append(all, p.match[k].Match(list[i].pattern)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// matchAll matches every glob of the file, booted or not, and reports whether that
// stayed within bounds.
func (p *planner) matchAll() bool {
	for g := range p.cfg.globs() {
		p.match[g.kind].Match(g.glob.pattern)
	}
	return !p.match[brief].Spent()
}

// plan returns the sections that a boot prints; nil slugs boot every subject.
// Slugs are known and distinct.
func (p *planner) plan(slugs []string) []Section {
	if p.cfg.Mode != ModeSubject {
		return withItems([]Section{p.simple()})
	}
	s := &subjectPlan{planner: p}
	for k := range p.files {
		s.home[k] = map[int]string{}
	}
	for k := range p.files {
		s.hidden[k] = p.hiddenByAlways(Kind(k))
	}
	var out []Section
	lines := 0
	for _, rules := range p.booted(slugs) {
		section := s.section(rules)
		if lines += len(section.Items); lines > p.most {
			p.overflow = true
			return nil
		}
		out = append(out, section)
	}
	if slugs == nil {
		out = append(out, p.also())
	}
	return withItems(out)
}

// hiddenByAlways returns the items that no section may print.
func (p *planner) hiddenByAlways(k Kind) []int {
	first := &p.cfg.Sections[0]
	if first.Slug != "" {
		return nil
	}
	return p.matches(k, first.Rules[k].Hide)
}

// booted returns the sections that take part: always first, then all subjects
// in file order or the named ones in the order of the flag (section 7).
func (p *planner) booted(slugs []string) []*SectionRules {
	var out []*SectionRules
	if slugs == nil {
		for i := range p.cfg.Sections {
			out = append(out, &p.cfg.Sections[i])
		}
		return out
	}
	if first := &p.cfg.Sections[0]; first.Slug == "" {
		out = append(out, first)
	}
	for _, slug := range slugs {
		out = append(out, p.bySlug[slug])
	}
	return out
}

// withItems drops the sections that print nothing.
func withItems(sections []Section) []Section {
	return slices.DeleteFunc(sections, func(s Section) bool { return len(s.Items) == 0 })
}

// simple plans simple mode, and the boot without curation (section 4).
func (p *planner) simple() Section {
	out := Section{Kind: "simple"}
	for k := range p.files {
		kind := Kind(k)
		var rules Rules
		if len(p.cfg.Sections) > 0 {
			rules = p.cfg.Sections[0].Rules[k]
		}
		hidden := p.matches(kind, rules.Hide)
		named := p.matches(kind, rules.Say)
		if !rules.HasSay {
			named = p.matches(kind, rules.Ref)
		}
		var said, refs []Item
		for i, f := range p.files[k] {
			_, isHidden := slices.BinarySearch(hidden, i)
			_, isNamed := slices.BinarySearch(named, i)
			switch {
			case isHidden:
			case isNamed == rules.HasSay: // named by say, or not named by a ref without say
				said = append(said, Item{Type: kind.String(), Path: f.path, file: f})
			default:
				refs = append(refs, Item{Type: typeRef, Path: f.path, file: f})
			}
		}
		out.Items = slices.Concat(out.Items, said, refs)
	}
	return out
}

// subjectPlan is the state of one boot in subject mode (section 5).
type subjectPlan struct {
	*planner
	hidden [2][]int          // by always, for the whole boot
	home   [2]map[int]string // where the content of an item is
}

// section plans one section: for each type what it says, then its path-only
// lines.
func (s *subjectPlan) section(rules *SectionRules) Section {
	out := Section{Kind: rules.Kind}
	for k := range s.files {
		kind := Kind(k)
		r := &rules.Rules[k]
		hidden := s.matches(kind, r.Hide)
		isHidden := func(i int) bool {
			_, here := slices.BinarySearch(hidden, i)
			_, always := slices.BinarySearch(s.hidden[k], i)
			return here || always
		}
		say := s.matches(kind, r.Say)
		named := s.matches(kind, r.Say, r.Ref)
		var said, lines []Item
		for _, i := range named {
			f := s.files[k][i]
			_, toSay := slices.BinarySearch(say, i)
			home, before := s.home[k][i]
			switch {
			case isHidden(i):
			case before:
				lines = append(lines, Item{Type: TypeMention, Path: f.path, Of: home, file: f})
			case toSay:
				s.home[k][i] = rules.Kind
				said = append(said, Item{Type: kind.String(), Path: f.path, file: f})
			default:
				lines = append(lines, Item{Type: typeRef, Path: f.path, file: f})
			}
		}
		out.Items = slices.Concat(out.Items, said, lines)
	}
	return out
}

// also plans the items that no list of any section matches (section 6).
func (p *planner) also() Section {
	out := Section{Kind: "also"}
	for k := range p.files {
		for _, i := range p.unreached(Kind(k)) {
			f := p.files[k][i]
			out.Items = append(out.Items, Item{Type: typeRef, Path: f.path, file: f})
		}
	}
	return out
}

// unreached returns the items of one type that no list of any section matches.
func (p *planner) unreached(k Kind) []int {
	reached := make([]bool, len(p.files[k]))
	for g := range p.cfg.globs() {
		if g.kind == k {
			for _, at := range p.match[k].Match(g.glob.pattern) {
				reached[at] = true
			}
		}
	}
	var out []int
	for i, is := range reached {
		if !is {
			out = append(out, i)
		}
	}
	return out
}

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
