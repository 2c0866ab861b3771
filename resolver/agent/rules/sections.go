package rules

import (
	"strings"

	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/loadout/javascript"
)

// preamble is the heading of the text before the first section.
const preamble = "(preamble)"

// Section is a stretch of an instruction file (loadout section 20.1). Lines count
// from 0.
type Section struct {
	Heading   string `json:"heading"`
	Level     int    `json:"level"` // 2 or 3; 0 for the preamble
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"` // exclusive, blank lines at the end left out
	Next      int    `json:"-"`       // where the following section starts
	Content   string `json:"content"` // lines StartLine to EndLine without the end of the last
	Lines     int    `json:"lines"`
	Tokens    int    `json:"tokens_est"`

	head   int    // lines of the heading
	within string // the heading above, of a part of a section that was cut
	part   bool   // of a section that was cut
}

// document is an instruction file cut into lines.
type document struct {
	lines []string // without their line feeds; a carriage return stays
	crlf  bool
}

func newDocument(text string) *document {
	return &document{lines: strings.Split(text, "\n"), crlf: strings.Contains(text, "\r\n")}
}

// parseSections cuts an instruction file at its headings of level 2 and 3, be they
// marked with # or with a line below. Carriage returns, white space at the end and a
// closing row of # are not part of a heading, and headings in code fences and comments
// do not count.
func parseSections(text string) []Section { return newDocument(text).sections() }

// heading is a line that may start a section.
type heading struct {
	line, level, lines int
	text               string
}

func (d *document) sections() []Section {
	found := d.headings()
	if len(found) == 0 {
		if len(d.lines) == 1 && javascript.Trim(d.lines[0]) == "" {
			return nil
		}
		return []Section{d.section(heading{text: preamble}, len(d.lines))}
	}
	var list []Section
	if first := found[0].line; javascript.Trim(strings.Join(d.lines[:first], "\n")) != "" {
		list = append(list, d.section(heading{text: preamble}, first))
	}
	second := false
	for i, h := range found {
		if h.level == 3 && second {
			continue // part of the section above it
		}
		second = second || h.level == 2
		end := len(d.lines)
		for _, next := range found[i+1:] {
			if next.level <= h.level {
				end = next.line
				break
			}
		}
		list = append(list, d.section(h, end))
	}
	return list
}

// headings lists the headings of level 2 and 3.
func (d *document) headings() []heading {
	var list []heading
	outline := javascript.NewOutline(strings.Join(d.lines, "\n"))
	for i, line := range d.lines {
		line = strings.TrimSuffix(line, "\r")
		switch outline.Next(line) {
		case javascript.Inert:
			continue
		case javascript.Underline:
			list = append(list, heading{i - 1, 2, 2, javascript.Trim(d.lines[i-1])})
			continue
		}
		level := 0
		for level < len(line) && line[level] == '#' {
			level++
		}
		text := strings.TrimLeftFunc(line[level:], javascript.IsSpace)
		if level < 2 || level > 3 || text == "" || len(text) == len(line)-level || strings.ContainsAny(text, "\r\u2028\u2029") {
			continue
		}
		if text = javascript.HeadingText(text); text == "" {
			continue
		}
		list = append(list, heading{i, level, 1, text})
	}
	return list
}

// section makes the section from a heading up to a line. A preamble, which has no
// heading, keeps the blank lines at its end.
func (d *document) section(h heading, end int) Section {
	s := Section{Heading: h.text, Level: h.level, StartLine: h.line, EndLine: end, Next: end, head: h.lines}
	for h.level > 0 && s.EndLine > h.line && javascript.Trim(d.lines[s.EndLine-1]) == "" {
		s.EndLine--
	}
	s.Content = strings.TrimSuffix(strings.Join(d.lines[h.line:s.EndLine], "\n"), "\r")
	s.Lines = s.EndLine - h.line
	s.Tokens = token.Estimate(s.Content)
	return s
}
