package rules

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/loadout/javascript"
)

// home says where each line of the instruction file will be.
func (r *Report) home(accepted []Proposal) func(line int) string {
	return func(line int) string {
		for i := range accepted {
			if s := &accepted[i].Section; s.StartLine <= line && line < s.Next {
				return accepted[i].Path
			}
		}
		return r.FilePath
	}
}

// kept are the lines that stay, with the definitions that they need of those that do not.
// A heading with a line below it would continue from what comes before a section that is
// gone, so a blank line parts them.
func (r *Report) kept(d *document, gone []bool, home func(line int) string) []string {
	blank := ""
	if d.crlf {
		blank = "\r"
	}
	lines, needed := r.stays(d, gone, home)
	underlined := map[int]bool{}
	for i := range r.Sections {
		if s := &r.Sections[i]; s.head > 1 {
			underlined[s.StartLine] = true
		}
	}
	var kept []string
	for i := range d.lines {
		if gone[i] {
			continue
		}
		if last := len(kept) - 1; underlined[i] && last >= 0 && gone[i-1] && javascript.Trim(kept[last]) != "" {
			kept = append(kept, blank)
		}
		kept = append(kept, lines[0])
		lines = lines[1:]
	}
	if len(needed) == 0 {
		return kept
	}
	rest, _ := withoutIndex(kept)
	table := slices.Clone(kept[len(rest):])
	for len(rest) > 0 && javascript.Trim(rest[len(rest)-1]) == "" {
		rest = rest[:len(rest)-1]
	}
	return slices.Concat(rest, []string{blank}, withEnds(needed, blank), table)
}

// stays are the lines that stay, and those of definitions that they need. Links in them
// lead where they led.
func (r *Report) stays(d *document, gone []bool, home func(line int) string) (lines, needed []string) {
	var numbers []int
	for i, line := range d.lines {
		if !gone[i] {
			numbers = append(numbers, i)
			lines = append(lines, line)
		}
	}
	if r.links == nil {
		return lines, nil
	}
	return r.links.Part(r.FilePath, numbers, home)
}

// withEnds ends lines as those of their file, which end in the line end less its line feed.
func withEnds(lines []string, end string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line + end
	}
	return out
}

// placed is the proposal with the text that its file will have: its links lead where they
// led, and what it refers to is defined in it.
func (p *Proposal) placed(as form) *Proposal {
	if p.links == nil {
		return p
	}
	to := *p
	to.links = nil
	s := &to.Section
	numbers := make([]int, 0, s.Lines)
	for n := s.StartLine; n < s.EndLine; n++ {
		numbers = append(numbers, n)
	}
	name, blank := as.path(p.ID), ""
	if p.crlf {
		blank = "\r"
	}
	home := p.home
	if home == nil { // the rest stays
		home = func(line int) string {
			if s.StartLine <= line && line < s.Next {
				return name
			}
			return p.links.Path
		}
	}
	lines, needed := p.links.Part(name, numbers, home)
	if len(needed) > 0 {
		lines = slices.Concat(lines, []string{blank}, withEnds(needed, blank))
	}
	s.Content = strings.TrimSuffix(strings.Join(lines, "\n"), "\r")
	s.Lines, s.Tokens = len(lines), token.Estimate(s.Content)
	if p.Summary == summary(&p.Section) {
		to.Summary = summary(s)
	}
	return &to
}
