package site

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/resolver/boot"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// Role is a role whose page the site has. Its files are read while the site is
// generated.
type Role struct {
	Name string // below roles/ on the site; unique
	Dir  string // as messages and its boot name it
	Pack string // name of the pack that the role is; "" for a role of its own
	Role *boot.Role
}

// Limits of a role page. A role beyond them has a page all the same, with less
// on it.
const (
	maxPicked     = 16      // subjects that the picker offers; as in role.css
	maxCombined   = 5       // subjects from which every combination is priced
	maxRoleText   = 1 << 20 // bytes of content shown on the page
	maxRoleRows   = 5000    // lines of all sections together
	maxRoleFile   = 4 << 20 // bytes of a boot published as text
	maxRoleIssues = 50      // findings listed
)

// rolePage is a role while its pages are made.
type rolePage struct {
	*build
	Role
	dir      string // of the page, with a final slash
	report   *boot.Report
	choices  []boot.Choice // all, each alone, then combinations
	subjects []string
	secret   map[string]bool   // paths whose content must not be published
	contents map[string]string // id of what is said, by type and path
	facts    map[string]boot.FileCost
}

// addRoles plans the pages of the roles. What they cost is known before the
// start page is made, since it lists them.
func (b *build) addRoles(ctx context.Context) error {
	for _, r := range b.in.Roles {
		p := &rolePage{build: b, Role: r, dir: "roles/" + r.Name + "/", secret: map[string]bool{}, contents: map[string]string{}}
		p.subjects = r.Role.Subjects()
		var err error
		if p.report, p.choices, err = r.Role.Survey(ctx, p.selections()); err != nil {
			return fmt.Errorf("read role %s: %w", r.Dir, err)
		}
		p.findSecrets()
		b.roles = append(b.roles, p)
		b.add(p.putPage)
		b.add(func() error { return p.putBoots(ctx) })
	}
	return nil
}

// selections are the choices that the page prices: all subjects, each alone, and
// every combination while there are few.
func (p *rolePage) selections() [][]string {
	out := [][]string{nil}
	for _, slug := range p.subjects {
		out = append(out, []string{slug})
	}
	if n := len(p.subjects); n <= maxCombined {
		for size := 2; size <= n; size++ {
			for bits := range 1 << n {
				if set := p.chosen(bits); len(set) == size {
					out = append(out, set)
				}
			}
		}
	}
	return out
}

// chosen returns the subjects whose bits are set.
func (p *rolePage) chosen(bits int) []string {
	var set []string
	for i, slug := range p.subjects {
		if bits>>i&1 == 1 {
			set = append(set, slug)
		}
	}
	return set
}

// findSecrets looks for what must not be published in everything that is said.
// What a brief suppresses is published, as from a page.
func (p *rolePage) findSecrets() {
	res := p.report.Boot
	for i := range res.Sections {
		for j := range res.Sections[i].Items {
			item := &res.Sections[i].Items[j]
			text, said := res.Content(item)
			if !said {
				continue
			}
			hits := lint.Scan(item.Path, text).Secrets
			if len(hits) == 0 {
				continue
			}
			p.secret[item.Path] = true
			p.build.report(lint.SecretFindings(p.Role.Role.Shown(item), text, hits)...)
		}
	}
}

// putPage makes the page.
func (p *rolePage) putPage() error {
	out := p.dir + "index.html"
	v := templates.Role{
		Frame: p.frames.Of(out, p.Name, "What a boot of the role "+p.Name+" says and costs"),
		Name:  p.Name, Dir: p.Dir, Mode: p.report.Boot.Mode.String(),
	}
	v.Frame.Style = append(slices.Clone(v.Frame.Style), p.frames.Assets.Role...)
	v.Frame.Script = append(slices.Clone(v.Frame.Script), p.frames.Assets.RoleScript...)
	if slices.ContainsFunc(p.packs, func(f *packFacts) bool { return f.name == p.Pack }) {
		v.PackURL = model.Relative(out, "packs/"+p.Pack+"/index.html")
	}
	for _, f := range p.report.Files {
		if f.Type == boot.TypeSkill {
			v.Skills++
		} else {
			v.Briefs++
		}
	}
	v.Pick = len(p.subjects) > 0 && len(p.subjects) <= maxPicked && len(p.choices) > len(p.subjects)
	for i, slug := range p.subjects {
		if v.Pick {
			v.Subjects = append(v.Subjects, templates.RoleSubject{Index: i, Slug: slug, Rendered: p.choices[i+1].Cost.Rendered})
		}
	}
	p.prices(&v)
	v.Contents = p.said()
	v.Sections = p.sections(v.Pick)
	v.Notices, v.Findings = p.remarks()
	for i := range p.texts() {
		v.Files = append(v.Files, templates.Link{URL: p.textName(i), Text: p.textName(i)})
	}
	return p.render(out, v)
}

// prices fills the tables of costs.
func (p *rolePage) prices(v *templates.Role) {
	most := max(1, p.report.All.Said+p.report.All.Refs)
	for _, c := range p.choices {
		most = max(most, c.Cost.Said+c.Cost.Refs)
	}
	row := func(name, choice string, c boot.Cost) templates.RoleCost {
		return templates.RoleCost{
			Name: name, Choice: choice, Said: c.Said, Refs: c.Refs, Rendered: c.Rendered, Briefs: c.Briefs, Skills: c.Skills,
			SaidX: c.Said * 1000 / most, RefsX: c.Refs * 1000 / most,
		}
	}
	texts := len(p.texts())
	for i, c := range p.choices {
		r := row(p.choiceName(c), p.choiceNumbers(c), c.Cost)
		if i < texts {
			r.URL = p.textName(i)
		}
		if len(c.Usecases) > 1 {
			v.More = append(v.More, r)
		} else {
			v.Costs = append(v.Costs, r)
		}
	}
	if p.report.Boot.Mode != boot.ModeNone && len(p.choices) > 0 {
		v.Costs = append(v.Costs, row("without boot.yml", "", p.report.All))
	}
}

// choiceNumbers names a choice by the numbers of its subjects: their names may
// hold anything.
func (p *rolePage) choiceNumbers(c boot.Choice) string {
	if len(c.Usecases) == 0 {
		return "all"
	}
	var numbers []string
	for _, slug := range c.Usecases {
		numbers = append(numbers, strconv.Itoa(slices.Index(p.subjects, slug)))
	}
	return strings.Join(numbers, " ")
}

func (p *rolePage) choiceName(c boot.Choice) string {
	switch {
	case len(c.Usecases) > 0:
		return strings.Join(c.Usecases, ", ")
	case len(p.subjects) > 0:
		return "every subject"
	}
	return "the boot"
}

// said lists the contents of the whole boot, in its order, and remembers where
// each is on the page.
func (p *rolePage) said() []templates.RoleContent {
	var list []templates.RoleContent
	res, room := p.report.Boot, maxRoleText
	for i := range res.Sections {
		for j := range res.Sections[i].Items {
			item := &res.Sections[i].Items[j]
			text, said := res.Content(item)
			if !said || len(list) == maxRoleRows {
				continue
			}
			c := templates.RoleContent{ID: "b" + strconv.Itoa(len(list)), Path: item.Path, Tokens: item.Tokens}
			switch room -= len(text); {
			case p.secret[item.Path]:
				c.Why = "something in this file looks like a secret; it was kept off the site"
			case room < 0:
				c.Why = "This role says more than one page holds; packgen boot prints it."
			case len(text) == 0:
				c.Why = "This file is empty."
			default:
				c.Text = string(text)
			}
			p.contents[item.Type+" "+item.Path] = c.ID
			list = append(list, c)
		}
	}
	return list
}

// remarks are what somebody should look at in the role.
func (p *rolePage) remarks() (notices []templates.Notice, list []templates.Finding) {
	for _, d := range p.report.Boot.Diagnostics {
		if len(list) == maxRoleIssues {
			break
		}
		list = append(list, templates.Finding{Severity: d.Severity.String(), ID: d.ID, Place: d.Place(), Message: d.Message, Hint: d.Hint})
	}
	if diag.Count(p.report.Boot.Diagnostics, diag.Error) > 0 {
		notices = append(notices, templates.Notice{Kind: "error", Title: "This role does not boot.", Text: "Its findings say why."})
	}
	return notices, list
}

// card is the role on the start page.
func (p *rolePage) card() templates.RoleCard {
	c := templates.RoleCard{URL: article.EscapePath(p.dir) + "index.html", Name: p.Name, Dir: p.Dir, Subjects: len(p.subjects)}
	for _, f := range p.report.Files {
		if f.Type == boot.TypeSkill {
			c.Skills++
		} else {
			c.Briefs++
		}
	}
	for _, choice := range p.choices {
		switch cost := choice.Cost.Rendered; {
		case len(choice.Usecases) == 0:
			c.Tokens = cost
		case len(choice.Usecases) == 1 && (c.Least == 0 || cost < c.Least):
			c.Least = cost
		}
	}
	return c
}

// sections lays out the lines of the boot. With a picker every section holds the
// lines it can ever print, marked with the earlier sections that may say the
// same item: what each line is for a choice then follows by the stylesheet (boot.yml
// section 5). Without one they are those of the boot with every subject.
func (p *rolePage) sections(pick bool) []templates.RoleSection {
	var out []templates.RoleSection
	rows := 0
	if !pick {
		for i := range p.report.Boot.Sections {
			out = append(out, p.section(&p.report.Boot.Sections[i], nil, &rows))
		}
		return out
	}
	sayers := map[string][]int{} // by item: the subjects that say it, in file order
	seen := map[string]bool{}
	for i := range p.subjects {
		for j := range p.choices[i+1].Sections {
			s := &p.choices[i+1].Sections[j]
			if seen[s.Kind] {
				continue // always, as it was in the first choice
			}
			seen[s.Kind] = true
			section := p.section(s, sayers, &rows)
			if s.Kind == "subject."+p.subjects[i] {
				section.Class = "i" + strconv.Itoa(i)
				for n := range s.Items {
					if item := &s.Items[n]; isSaid(item) {
						key := item.Type + " " + item.Path
						sayers[key] = append(sayers[key], i)
					}
				}
			}
			out = append(out, section)
		}
	}
	if all := p.report.Boot.Sections; len(all) > 0 && all[len(all)-1].Kind == "also" {
		out = append(out, p.section(&all[len(all)-1], nil, &rows))
	}
	return out
}

func isSaid(item *boot.Item) bool { return item.Type == boot.TypeBrief || item.Type == boot.TypeSkill }

// section lays out one section.
func (p *rolePage) section(s *boot.Section, sayers map[string][]int, rows *int) templates.RoleSection {
	out := templates.RoleSection{Kind: s.Kind, Class: "always"}
	if s.Kind == "also" {
		out.Class = "also"
	}
	for i := range s.Items {
		if *rows++; *rows > maxRoleRows {
			break
		}
		out.Rows = append(out.Rows, p.row(&s.Items[i], sayers))
	}
	return out
}

// row lays out one line.
func (p *rolePage) row(item *boot.Item, sayers map[string][]int) templates.RoleRow {
	facts := p.fact(item)
	row := templates.RoleRow{Class: "ref", Type: facts.Type, Path: item.Path, Tokens: facts.Content, Line: facts.Line}
	key := facts.Type + " " + item.Path
	row.ID = p.contents[key]
	switch {
	case item.Type == boot.TypeMention:
		row.Class, row.Line = "back", item.Tokens
		row.Homes = []templates.RoleHome{{Class: "always", Kind: item.Of}}
	case isSaid(item):
		row.Class = "say"
	}
	if row.Type == boot.TypeSkill {
		row.Class += " skill"
	}
	if item.Type == boot.TypeMention {
		return row
	}
	for _, i := range sayers[key] {
		row.Class += " m" + strconv.Itoa(i)
		row.Homes = append(row.Homes, templates.RoleHome{Class: "of" + strconv.Itoa(i), Kind: "subject." + p.subjects[i]})
	}
	return row
}

// fact returns what is known of the file of an item.
func (p *rolePage) fact(item *boot.Item) boot.FileCost {
	if p.facts == nil {
		p.facts = map[string]boot.FileCost{}
		for _, f := range p.report.Files {
			p.facts[f.Path] = f
		}
	}
	return p.facts[item.Path]
}

// texts are the choices whose boots are published as text: all subjects, and
// each alone. A boot that says a secret is not, and none of a role whose whole
// boot is too large is.
func (p *rolePage) texts() []boot.Choice {
	if len(p.secret) > 0 || len(p.choices) == 0 || p.report.Boot.Cost.Rendered*4 > maxRoleFile {
		return nil
	}
	n := 1
	if len(p.subjects) <= maxPicked {
		n += len(p.subjects)
	}
	return p.choices[:min(n, len(p.choices))]
}

// textName is the file of a choice. The slugs of subjects may hold anything, so
// the files are numbered.
func (p *rolePage) textName(i int) string {
	if i == 0 {
		return "boot.txt"
	}
	return "boot-" + strconv.Itoa(i) + ".txt"
}

// putBoots publishes boots as an agent gets them.
func (p *rolePage) putBoots(ctx context.Context) error {
	for i, c := range p.texts() {
		res, err := p.Role.Role.Boot(ctx, boot.Options{Usecases: c.Usecases, Uncapped: true})
		if err != nil {
			return fmt.Errorf("boot role %s: %w", p.Dir, err)
		}
		var text bytes.Buffer
		if err := res.Render(&text); err != nil {
			return fmt.Errorf("boot role %s: %w", p.Dir, err)
		}
		if err := p.put(p.dir+p.textName(i), text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// llmsRoles lists the roles with the boots that a program can read.
func (b *build) llmsRoles(w *bytes.Buffer) {
	if len(b.roles) == 0 {
		return
	}
	w.WriteString("\n## Roles\n\n")
	for _, p := range b.roles {
		fmt.Fprintf(w, "- [%s](%sindex.html): role, %s\n", linkText(p.Name), b.opts.BaseURL+article.EscapePath(p.dir), amount.Counted(p.report.Boot.Cost.Rendered, "token"))
		for i, c := range p.texts() {
			name := p.choiceName(c)
			if len(c.Usecases) > 0 {
				name = "usecase " + strings.Join(c.Usecases, ", ")
			}
			fmt.Fprintf(w, "- [%s: %s](%s): %s\n", linkText(p.Name), linkText(name), b.opts.BaseURL+article.EscapePath(p.dir)+p.textName(i), amount.Counted(c.Cost.Rendered, "token"))
		}
	}
}
