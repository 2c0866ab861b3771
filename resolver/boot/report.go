package boot

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/columns"
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

// reportRows is the number of rows shown of a long list without -v.
const reportRows = 20

// reportText is a report as it is printed.
type reportText struct {
	io.Writer
	all bool // long lists are not cut
}

// WriteText prints a report for people; all prints long lists whole.
func (r *Report) WriteText(w io.Writer, all bool) {
	a := &reportText{w, all}
	a.printCosts(r)
	a.printSections(r)
	a.printFiles(r)
	printList(a, "globs that match nothing:", r.Stale, func(s StaleGlob) string {
		text := fmt.Sprintf("boot.yml:%d:%d: %s in %s of %s", s.Line, s.Column, s.Glob, s.List, s.Section)
		if s.Hint != "" {
			text += "; " + s.Hint
		}
		return text
	})
	printList(a, "files that no section reaches:", r.Unreached, func(p string) string { return p })
	printList(a, "files that several sections say:", r.Repeated, func(i RepeatedItem) string { return i.Path + ": " + strings.Join(i.Sections, ", ") })
	printList(a, "references that outweigh what they point at:", r.Heavy, func(h HeavyRef) string {
		return fmt.Sprintf("%s: the line costs %d, the content %d", h.Path, h.Line, h.Content)
	})
	if b := r.Boot.Budget; b != nil {
		fmt.Fprintf(a, "\nbudget: %s of %s tokens\n", amount.Grouped(b.Actual), amount.Grouped(b.Cap))
	}
}

// costTable returns a table whose columns are the fields of [Cost].
func costTable(head string) *columns.Table {
	t := &columns.Table{Right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true}}
	t.Add(head, "SAID", "REFS", "RENDERED", "BRIEFS", "SKILLS")
	return t
}

func addCost(t *columns.Table, name string, c Cost) {
	t.Add(name, amount.Grouped(c.Said), amount.Grouped(c.Refs), amount.Grouped(c.Rendered), amount.Grouped(c.Briefs), amount.Grouped(c.Skills))
}

// printCosts compares this boot with the other choices.
func (a *reportText) printCosts(r *Report) {
	t := costTable("TOKENS")
	addCost(t, "this boot", r.Boot.Cost)
	addCost(t, "no boot.yml", r.All)
	for _, u := range r.Usecases {
		name := "all subjects"
		if u.Slug != "" {
			name = "  " + diag.Printable(u.Slug)
		}
		addCost(t, name, u.Cost)
	}
	t.Write(a)
}

func (a *reportText) printSections(r *Report) {
	if len(r.Sections) == 0 {
		return
	}
	fmt.Fprintln(a)
	t := costTable("SECTION")
	for _, s := range r.Sections {
		addCost(t, diag.Printable(s.Kind), s.Cost)
	}
	t.Write(a)
}

// printFiles lists the items, the most expensive first.
func (a *reportText) printFiles(r *Report) {
	if len(r.Files) == 0 {
		return
	}
	files := slices.Clone(r.Files)
	paid := func(f FileCost) int {
		switch f.State {
		case "said":
			return f.Content
		case "ref":
			return f.Line
		}
		return 0
	}
	slices.SortStableFunc(files, func(x, y FileCost) int {
		return cmp.Or(cmp.Compare(paid(y), paid(x)), cmp.Compare(y.Content, x.Content))
	})
	fmt.Fprintln(a)
	t := &columns.Table{Right: map[int]bool{0: true, 1: true}}
	t.Add("PAID", "CONTENT", "STATE", "SECTION", "FILE")
	shown := a.rows(len(files))
	for _, f := range files[:shown] {
		name := f.Path
		if f.Twin {
			name += " (.min)"
		}
		t.Add(amount.Grouped(paid(f)), amount.Grouped(f.Content), f.State, diag.Printable(f.Home), diag.Printable(name))
	}
	t.Write(a)
	a.more(len(files) - shown)
}

// rows returns how many of n rows are shown.
func (a *reportText) rows(n int) int {
	if a.all {
		return n
	}
	return min(n, reportRows)
}

func (a *reportText) more(n int) {
	if n > 0 {
		fmt.Fprintf(a, "  and %s more; -v shows all\n", amount.Grouped(n))
	}
}

// printList prints one part of the report, or nothing when it has no rows.
func printList[T any](a *reportText, title string, list []T, row func(T) string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(a, "\n%s\n", title)
	shown := a.rows(len(list))
	for _, v := range list[:shown] {
		fmt.Fprintf(a, "  %s\n", diag.Printable(row(v)))
	}
	a.more(len(list) - shown)
}

// WithoutRemedies returns the diagnostics without the remedies of a boot over budget,
// which are printed as a list.
func (r *Result) WithoutRemedies() []diag.Diagnostic {
	list := slices.Clone(r.Diagnostics)
	for i := range list {
		if list[i].ID == idOverBudget {
			list[i].Hint = ""
		}
	}
	return list
}

// WithoutReported is WithoutRemedies without the warnings that a report shows in full.
func (r *Result) WithoutReported() []diag.Diagnostic {
	return slices.DeleteFunc(r.WithoutRemedies(), func(d diag.Diagnostic) bool { return d.ID == idGlobStale && d.Severity != diag.Error })
}

// WriteRemedies lists what would bring a boot under its budget.
func (r *Result) WriteRemedies(w io.Writer) {
	if r.Budget == nil || len(r.Budget.Remedies) == 0 {
		return
	}
	fmt.Fprintln(w, "remedies, cheapest first:")
	for i, remedy := range r.Budget.Remedies {
		fmt.Fprintf(w, "  %d. %s\n", i+1, diag.Printable(remedy.Text))
	}
}

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
