package diagram

import (
	"strings"

	"github.com/packgen/packgen/templates"
)

// actor is a participant of a sequence diagram.
type actor struct {
	id    string
	label label
	x     int // of its line
	w     int
}

// step is what happens in a sequence diagram, from the top down.
type step struct {
	kind     stepKind
	from, to int // actors; of a note, those that it is over
	label    label
	arrow    string // as written
	side     string // of a note: "left", "right" or "over"
	number   int    // of a message; 0 when they are not counted
}

// stepKind is what a step is.
type stepKind byte

// The kinds of steps.
const (
	message stepKind = iota
	note
	frameStart
	frameElse
	frameEnd
)

// sequence reads a sequence diagram.
type sequence struct {
	actors []*actor
	byID   map[string]int
	steps  []step
	depth  int
	boxes  int // open groups of participants, which are not drawn
	counts bool
	number int
}

// arrows are how messages are written, the longest first.
var arrows = []string{"<<-->>", "<<->>", "-->>", "->>", "-->", "--x", "--)", "->", "-x", "-)"}

// isFull reports more than can be drawn.
func (s *sequence) isFull() bool {
	return len(s.steps) > maxMessages || len(s.actors) > maxActors || s.depth > maxDepth
}

func (s *sequence) line(line string) bool {
	line = strings.TrimSpace(strings.TrimSuffix(line, ";"))
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(word) {
	case "participant", "actor":
		return s.participant(rest)
	case "create":
		_, rest, _ = strings.Cut(rest, " ")
		return s.participant(strings.TrimSpace(rest))
	case "autonumber":
		s.counts = true
		return true
	case "activate", "deactivate", "destroy", "title", "title:", "acctitle:", "accdescr:", "link", "links", "":
		return true
	case "note":
		return s.note(rest)
	case "box":
		s.boxes++
		return true
	case "loop", "alt", "opt", "par", "critical", "break", "rect":
		if word == "rect" {
			rest, word = "", "" // its text is a colour
		}
		s.depth++
		s.steps = append(s.steps, step{kind: frameStart, label: newLabel(strings.TrimSpace(word + " " + bracketed(rest)))})
		return true
	case "else", "and", "option":
		s.steps = append(s.steps, step{kind: frameElse, label: newLabel(bracketed(rest))})
		return s.depth > 0
	case "end":
		if s.boxes > 0 && s.depth == 0 {
			s.boxes--
			return true
		}
		s.depth--
		s.steps = append(s.steps, step{kind: frameEnd})
		return s.depth >= 0
	}
	return s.message(line)
}

// bracketed is the condition of a frame as it is shown.
func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return "[" + s + "]"
}

// participant reads "A as Alice".
func (s *sequence) participant(rest string) bool {
	id, shown, named := strings.Cut(rest, " as ")
	id = strings.TrimSpace(id)
	if id == "" || strings.ContainsAny(id, "@{") {
		return false
	}
	a := s.actor(id)
	if named {
		s.actors[a].label = newLabel(shown)
	}
	return true
}

// actor is the number of a participant, who enters when first named.
func (s *sequence) actor(id string) int {
	id = strings.TrimSpace(id)
	i, ok := s.byID[id]
	if !ok {
		i = len(s.actors)
		s.byID[id] = i
		s.actors = append(s.actors, &actor{id: id, label: newLabel(id)})
	}
	return i
}

// note reads "left of A: text", "over A,B: text".
func (s *sequence) note(rest string) bool {
	where, text, ok := strings.Cut(rest, ":")
	if !ok {
		return false
	}
	side, who, _ := strings.Cut(strings.TrimSpace(where), " ")
	st := step{kind: note, side: strings.ToLower(side), label: newLabel(text)}
	who = strings.TrimPrefix(strings.TrimSpace(who), "of ")
	first, second, both := strings.Cut(who, ",")
	if strings.TrimSpace(first) == "" {
		return false
	}
	st.from = s.actor(first)
	st.to = st.from
	if both {
		st.to = s.actor(second)
	}
	if st.from > st.to {
		st.from, st.to = st.to, st.from
	}
	s.steps = append(s.steps, st)
	return st.side == "left" || st.side == "right" || st.side == "over"
}

// message reads "A->>B: text".
func (s *sequence) message(line string) bool {
	who, text, _ := strings.Cut(line, ":")
	at, arrow := -1, ""
	for _, a := range arrows {
		if i := strings.Index(who, a); i > 0 && (at < 0 || i < at) {
			at, arrow = i, a
		}
	}
	if at < 0 {
		return false
	}
	to := strings.TrimSpace(strings.TrimLeft(who[at+len(arrow):], "+- "))
	from := strings.TrimSpace(who[:at])
	if from == "" || to == "" {
		return false
	}
	st := step{kind: message, from: s.actor(from), to: s.actor(to), label: newLabel(text), arrow: arrow}
	if s.counts {
		s.number++
		st.number = s.number
	}
	s.steps = append(s.steps, st)
	return true
}

// Distances of a sequence diagram, in tenths of a pixel.
const (
	actorGap  = 500
	stepGap   = 260
	loopSide  = 450 // of a message to oneself
	noteSide  = 100
	frameHead = 300
)

// drawSequence draws a sequence diagram.
func drawSequence(m *templates.Markup, name string, d *source) bool {
	s := &sequence{byID: map[string]int{}}
	known := d.each(func(line string) bool { return !s.isFull() && s.line(line) })
	if !known || s.depth != 0 || len(s.actors) == 0 {
		return false
	}
	for i := range s.steps {
		if st := &s.steps[i]; st.number > 0 {
			st.label = newLabel(strings.TrimSpace(decimal(st.number) + ". " + strings.Join(st.label.lines, "\n")))
		}
	}
	left, right, head := s.place()
	c := canvas{m}
	body := &templates.Markup{}
	height := s.draw(canvas{body}, head+stepGap, left, right)

	c.open(name, right-left+2*margin, height+2*margin)
	c.Raw("<g")
	c.Attr("transform", "translate("+number(margin-left)+" "+number(margin)+")")
	c.Raw(">\n")
	for _, a := range s.actors {
		c.path("life", line([]point{{a.x, head}, {a.x, height}}))
	}
	for _, a := range s.actors {
		c.rect("box", a.x-a.w/2, 0, a.w, head, 30)
		c.text("", a.label, point{a.x, head / 2})
	}
	m.B = append(m.B, body.B...)
	c.Raw("</g>\n")
	c.close()
	return true
}

func decimal(n int) string { return number(n * 10) }

// place gives the participants their places, as far from each other as what is between
// them needs.
func (s *sequence) place() (left, right, head int) {
	head = leastBox
	for _, a := range s.actors {
		a.w = max(800, a.label.width+2*padding)
		head = max(head, a.label.height()+190)
	}
	for i, a := range s.actors {
		if i > 0 {
			a.x = s.actors[i-1].x + (s.actors[i-1].w+a.w)/2 + actorGap
		}
		for _, st := range s.steps {
			low, high := min(st.from, st.to), max(st.from, st.to)
			room := st.label.width
			switch {
			case st.kind == message && low < high:
				room += 300
			case st.kind == message, st.kind == note && st.side == "right":
				room += loopSide + 2*noteSide // up to the next one
				high = low + 1
			case st.kind == note && st.side == "left":
				room += 4 * noteSide
				low--
			case st.kind == note && low < high:
			default:
				continue
			}
			if high == i && low >= 0 {
				a.x = max(a.x, s.actors[low].x+room)
			}
		}
	}
	left, right = -s.actors[0].w/2, 0
	for _, a := range s.actors {
		right = max(right, a.x+a.w/2)
	}
	for _, st := range s.steps {
		switch from, to := s.actors[st.from].x, s.actors[st.to].x; {
		case st.kind == note:
			l, w := s.noteBox(st)
			left, right = min(left, l), max(right, l+w)
		case st.kind == message && from == to:
			right = max(right, from+loopSide+st.label.width)
		case st.kind == frameStart, st.kind == frameElse:
			right = max(right, left+st.label.width+4*noteSide)
		}
	}
	return left - 200, right + 200, head
}

// noteBox is where a note is across the drawing.
func (s *sequence) noteBox(st step) (left, width int) {
	from, to := s.actors[st.from].x, s.actors[st.to].x
	width = st.label.width + 2*noteSide
	switch st.side {
	case "left":
		return from - noteSide - width, width
	case "right":
		return from + noteSide, width
	}
	width = max(width, to-from+4*noteSide)
	return (from+to)/2 - width/2, width
}

// draw draws the steps and returns how far down they come.
func (s *sequence) draw(c canvas, y, left, right int) (bottom int) {
	type frame struct{ top, inset int }
	var open []frame
	for _, st := range s.steps {
		switch st.kind {
		case message:
			y = s.drawMessage(c, st, y)
		case note:
			l, w := s.noteBox(st)
			h := st.label.height() + 140
			c.rect("note", l, y, w, h, 0)
			c.text("", st.label, point{l + w/2, y + h/2})
			y += h + stepGap
		case frameStart:
			open = append(open, frame{y, 40 + 60*len(open)})
			y = caption(c, st.label, left+open[len(open)-1].inset, y)
		case frameElse:
			inset := open[len(open)-1].inset
			c.path("line dotted", line([]point{{left + inset, y}, {right - inset, y}}))
			y = caption(c, st.label, left+inset, y)
		case frameEnd:
			f := open[len(open)-1]
			open = open[:len(open)-1]
			c.rect("outline", left+f.inset, f.top, right-left-2*f.inset, y-f.top, 30)
			y += stepGap
		}
	}
	return y
}

// caption writes what a frame is, at its upper left corner.
func caption(c canvas, l label, x, y int) int {
	if len(l.lines) > 0 {
		c.text("title", l, point{x + l.width/2 + noteSide, y + l.height()/2 + 60})
	}
	return y + frameHead + l.height()/2
}

// drawMessage draws an arrow with its text above.
func (s *sequence) drawMessage(c canvas, st step, y int) int {
	from, to := s.actors[st.from].x, s.actors[st.to].x
	class := "line"
	if strings.Contains(st.arrow, "--") {
		class = "line dotted"
	}
	head := byte(0)
	switch {
	case strings.HasSuffix(st.arrow, ">>"), strings.HasSuffix(st.arrow, ")"):
		head = '>'
	case strings.HasSuffix(st.arrow, "x"):
		head = 'x'
	}
	if from == to {
		h := max(220, st.label.height())
		r := from + 300
		c.path(class, "M"+number(from)+" "+number(y)+"H"+number(r)+"V"+number(y+h)+"H"+number(from))
		c.arrow(head, point{from, y + h}, point{1, 0}, point{0, 1})
		c.text("", st.label, point{r + noteSide + st.label.width/2, y + h/2})
		return y + h + stepGap
	}
	y += st.label.height()
	c.text("", st.label, point{(from + to) / 2, y - st.label.height()/2 - 50})
	c.path(class, line([]point{{from, y}, {to, y}}))
	back := 1
	if from < to {
		back = -1
	}
	c.arrow(head, point{to, y}, point{back, 0}, point{0, 1})
	if strings.HasPrefix(st.arrow, "<<") {
		c.arrow('>', point{from, y}, point{-back, 0}, point{0, 1})
	}
	return y + stepGap
}
