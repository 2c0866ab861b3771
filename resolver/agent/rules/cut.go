package rules

import "slices"

// largeSkill is from how many tokens on a section is cut at its headings of level 3: a
// task seldom needs all of it, and agents ask for skills of at most 5,000.
const largeSkill = 2_000

// cutLarge cuts the large ones of some sections of a document that may move at their
// headings of level 3, so that each part loads by itself.
func (d *document) cutLarge(list []Section, moves func(*Section) bool) []Section {
	var out []Section
	for i := range list {
		s := &list[i]
		if s.Level != 2 || s.Tokens < largeSkill || !moves(s) {
			out = append(out, *s)
			continue
		}
		out = append(out, d.cut(s)...)
	}
	return out
}

// cut cuts a section. Parts that are too small to be worth a description of their own
// go with those after them, and what comes before the first heading with the first.
func (d *document) cut(s *Section) []Section {
	inner := slices.DeleteFunc(d.headings(), func(h heading) bool { return h.level != 3 || h.line <= s.StartLine || h.line >= s.Next })
	if len(inner) == 0 {
		return []Section{*s}
	}
	parts := []Section{}
	from := heading{s.StartLine, s.Level, s.head, s.Heading}
	for i := 0; i <= len(inner); i++ {
		end := s.Next
		if i < len(inner) {
			end = inner[i].line
		}
		part := d.section(from, end)
		if i < len(inner) && part.Tokens < largeTokens {
			continue
		}
		if last := len(parts) - 1; i == len(inner) && last >= 0 && part.Tokens < largeTokens {
			from = heading{parts[last].StartLine, parts[last].Level, parts[last].head, parts[last].Heading}
			part, parts = d.section(from, end), parts[:last]
		}
		if part.part = true; part.Level > s.Level {
			part.within = s.Heading
		}
		parts = append(parts, part)
		if i < len(inner) {
			from = inner[i]
		}
	}
	return parts
}
