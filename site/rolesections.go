package site

import (
	"strconv"

	"github.com/packgen/packgen/resolver/boot"
	"github.com/packgen/packgen/templates"
)

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
