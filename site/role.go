package site

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
