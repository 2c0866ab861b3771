package diagram

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/templates"
)

// drawStates draws a state diagram.
func drawStates(m *templates.Markup, name string, s *source) bool {
	d := &states{flow: newFlow("TB")}
	return s.each(d.line) && d.noted == nil && d.whole() && d.draw(m, name)
}

// states reads a state diagram.
type states struct {
	*flow
	noted *node    // that a note of several lines is about
	note  []string // its lines
}

// unseen are statements about how states look.
var unseen = []string{"style", "classDef", "class", "click", "hide", "scale", "accTitle:", "accDescr:", "title"}

func (s *states) line(line string) bool {
	line = strings.TrimSpace(strings.TrimSuffix(line, ";"))
	if s.noted != nil {
		if line != "end note" {
			s.note = append(s.note, line)
			return true
		}
		ok := s.pin(s.noted, strings.Join(s.note, "<br>"))
		s.noted, s.note = nil, nil
		return ok
	}
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case line == "" || slices.Contains(unseen, word):
		return true
	case line == "}":
		return s.leave()
	case word == "direction":
		s.turn(rest)
		return true
	case word == "state":
		return s.declare(rest)
	case word == "note":
		return s.remark(rest)
	}
	if from, to, ok := strings.Cut(line, "-->"); ok {
		return s.transition(from, to)
	}
	id, text, described := strings.Cut(line, ":")
	n := s.state(id)
	if n != nil && described && !strings.HasPrefix(text, "::") {
		n.describe(text)
	}
	return n != nil
}

// state is the state that a text names; nil when it is not the name of one.
func (s *states) state(id string) *node {
	id, _, _ = strings.Cut(strings.TrimSpace(id), ":::")
	if id == "" || idSize(id) != len(id) {
		return nil
	}
	n := s.named(id)
	if n != nil && n.shape == rectangle {
		n.shape = rounded
	}
	return n
}

// describe gives a state its text: the first one in place of its id, others below it.
func (n *node) describe(text string) {
	l := newLabel(text)
	if len(n.label.lines) == 1 && n.label.lines[0] == n.id {
		n.label = l
		return
	}
	n.label.lines = append(n.label.lines, l.lines...)
	n.label.width = max(n.label.width, l.width)
}

// declare reads what is after "state": "id", "id {", "id <<choice>>", "\"Text\" as id {".
func (s *states) declare(rest string) bool {
	rest, opens := strings.CutSuffix(rest, "{")
	text := ""
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		var named bool
		text, rest, _ = strings.Cut(quoted, `"`)
		if rest, named = strings.CutPrefix(strings.TrimSpace(rest), "as "); !named {
			return false
		}
	}
	rest, kind, special := strings.Cut(strings.TrimSpace(rest), "<<")
	id, after, described := strings.Cut(rest, ":")
	n := s.state(id)
	if n == nil {
		return false
	}
	if text != "" {
		n.label = newLabel(text)
	}
	if described && !strings.HasPrefix(after, "::") {
		n.describe(after)
	}
	if special {
		switch strings.TrimSuffix(kind, ">>") {
		case "choice":
			n.shape = choice
		case "fork", "join":
			n.shape = bar
		}
	}
	return !opens || s.enter(n)
}

// transition reads the two sides of "a --> b : text".
func (s *states) transition(from, to string) bool {
	to, text, _ := strings.Cut(strings.ReplaceAll(to, ":::", "\x00"), ":")
	e := &edge{from: s.end(from, dot), length: 1, head: '>', label: newLabel(text)}
	to, _, _ = strings.Cut(to, "\x00")
	e.to = s.end(to, ring)
	return s.connect(e)
}

// end is a side of a transition; [*] is where the states of a graph begin, or end.
func (s *states) end(id string, star shape) *node {
	if strings.TrimSpace(id) != "[*]" {
		return s.state(id)
	}
	key := "[*]" + string(rune('a'+star))
	if owner := s.open[len(s.open)-1].owner; owner != nil {
		key += owner.id
	}
	n := s.named(key)
	if n != nil {
		n.shape, n.label = star, label{}
	}
	return n
}

// remark reads what is after "note": "right of a : text", or the first line of a note of
// several.
func (s *states) remark(rest string) bool {
	side, rest, _ := strings.Cut(rest, " of ")
	if side != "left" && side != "right" {
		return false
	}
	id, text, ok := strings.Cut(rest, ":")
	n := s.state(id)
	if n == nil || !ok {
		s.noted = n
		return n != nil
	}
	return s.pin(n, text)
}

// pin draws a note beside a node.
func (f *flow) pin(n *node, text string) bool {
	slipped := f.named("note " + decimal(len(f.nodes)))
	if slipped == nil {
		return false
	}
	slipped.label, slipped.shape = newLabel(text), slip
	return n == nil || f.connect(&edge{from: n, to: slipped, length: 1, class: "dotted"})
}
