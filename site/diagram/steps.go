package diagram

import (
	"strings"

	"github.com/packgen/packgen/templates"
)

// steps reads diagrams that are parts with lines in them, one after another: timelines,
// journeys and boards.
type steps struct {
	*flow
	parts []*node
}

// most is how many parts are beside each other; more of them are below each other.
const most = 5

// drawTimeline draws a timeline: its periods, with what happened in them.
func drawTimeline(m *templates.Markup, name string, d *source) bool {
	s := &steps{flow: newFlow("LR")}
	section := ""
	for _, line := range d.lines {
		if rest, ok := strings.CutPrefix(line, "title "); ok {
			s.titled(rest)
			continue
		}
		if rest, ok := strings.CutPrefix(line, "section "); ok {
			section = rest
			continue
		}
		parts := strings.Split(line, " : ")
		if rest, ok := strings.CutPrefix(line, ":"); ok { // more of the last period
			parts = append([]string{""}, strings.Split(rest, " : ")...)
		} else {
			period := parts[0]
			if section != "" {
				period = section + "<br>" + period
			}
			if section = ""; !s.part(period) {
				return false
			}
		}
		for _, event := range parts[1:] {
			if !s.entry(event) {
				return false
			}
		}
	}
	return s.finish(m, name, true)
}

// drawJourney draws a journey: its sections, with tasks, how they went, and for whom.
func drawJourney(m *templates.Markup, name string, d *source) bool {
	s := &steps{flow: newFlow("LR")}
	for _, line := range d.lines {
		if rest, ok := strings.CutPrefix(line, "title "); ok {
			s.titled(rest)
			continue
		}
		if rest, ok := strings.CutPrefix(line, "section "); ok {
			if !s.part(rest) {
				return false
			}
			continue
		}
		task := strings.SplitN(line, ":", 3)
		if len(task) < 2 || len(s.parts) == 0 && !s.part("Journey") {
			return false
		}
		cells := []string{task[0], task[1] + " of 5", ""}
		if len(task) == 3 {
			cells[2] = task[2]
		}
		if !s.entry(cells...) {
			return false
		}
	}
	return s.finish(m, name, true)
}

// drawBoard draws a board: its columns, with their cards.
func drawBoard(m *templates.Markup, name string, d *source) bool {
	s := &steps{flow: newFlow("TB")}
	lines := d.indented()
	for _, line := range lines {
		text, _, _ := strings.Cut(line.text, "@{")
		text = strings.TrimSpace(text)
		if from := strings.IndexByte(text, '['); from >= 0 && strings.HasSuffix(text, "]") {
			text = text[from+1 : len(text)-1]
		}
		ok := false
		if line.depth <= lines[0].depth {
			ok = s.part(text)
		} else {
			ok = s.entry(text)
		}
		if !ok {
			return false
		}
	}
	return s.finish(m, name, false)
}

// titled puts what follows into a frame with a title.
func (s *steps) titled(title string) {
	if n := s.named("title"); n != nil && len(s.parts) == 0 {
		n.label = newLabel(title)
		s.enter(n)
	}
}

// part begins a part; false when there are too many.
func (s *steps) part(name string) bool {
	n := s.named("part " + decimal(len(s.parts)))
	if n == nil {
		return false
	}
	n.label, n.shape = newLabel(name), table
	s.parts = append(s.parts, n)
	return true
}

// entry adds a line to the last part; false when there is none, or too many.
func (s *steps) entry(texts ...string) bool {
	if len(s.parts) == 0 {
		return false
	}
	last := s.parts[len(s.parts)-1]
	if len(last.rows) >= maxRows {
		return false
	}
	cells := make([]label, len(texts))
	for i, text := range texts {
		cells[i] = newLabel(text)
	}
	last.rows = append(last.rows, row{cells: cells, rule: len(last.rows) == 0})
	return true
}

// finish draws the parts, with arrows between them where they follow each other.
func (s *steps) finish(m *templates.Markup, name string, chained bool) bool {
	if chained && len(s.parts) > most {
		s.turn("TB")
	}
	for i := 1; chained && i < len(s.parts); i++ {
		if !s.connect(&edge{from: s.parts[i-1], to: s.parts[i], length: 1, head: '>'}) {
			return false
		}
	}
	for len(s.open) > 1 {
		s.leave()
	}
	return len(s.parts) > 0 && s.draw(m, name)
}
