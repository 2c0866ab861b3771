package diagram

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/templates"
)

// Space around and in things, in tenths of a pixel.
const (
	margin    = 160
	leastBox  = 380 // height of a box
	frameSide = 200 // between a subgraph and what is in it
	frameTop  = 400 // the same above, with its title
)

// drawFlow draws a flowchart.
func drawFlow(m *templates.Markup, name string, s *source) bool {
	f, ok := readFlow(s)
	return ok && f.draw(m, name)
}

// readFlow reads the statements of a flowchart; false when one of them is not known.
func readFlow(s *source) (*flow, bool) {
	direction, _, _ := strings.Cut(s.head, " ")
	f := newFlow(direction)
	known := s.each(func(line string) bool {
		for statement := range splitStatements(line) {
			if !f.statement(statement) {
				return false
			}
		}
		return true
	})
	return f, known && f.whole()
}

// draw draws nodes and the edges between them; false when that is too much.
func (f *flow) draw(m *templates.Markup, name string) bool {
	d := &drawing{canvas: canvas{m}}
	if !d.layOut(f) {
		return false
	}
	d.open(name, f.top.w+2*margin, f.top.h+2*margin)
	d.frames(f.top)
	for _, e := range f.edges {
		d.edge(e)
	}
	d.boxes(f.top)
	for _, e := range f.edges {
		d.onLine(e.label, e.at)
		for i, end := range e.ends {
			d.text("on", end, e.endsAt[i])
		}
	}
	d.close()
	return true
}

// layOut finds where everything is.
func (d *drawing) layOut(f *flow) bool {
	for _, e := range f.edges {
		if g := common(e.from, e.to); e.from != e.to && inside(g, e.from) != inside(g, e.to) {
			g.edges = append(g.edges, e)
		}
	}
	if !d.size(f.top) {
		return false
	}
	if slices.ContainsFunc(f.edges, func(e *edge) bool { return e.from == e.to }) {
		f.top.w += loopSide // of a line at the right side
	}
	d.move(f.top, margin, margin)
	return true
}

// common is the smallest graph that two nodes are in.
func common(a, b *node) *graph {
	for g := a.parent; g != nil; g = above(g) {
		if inside(g, b) != nil {
			return g
		}
	}
	return nil
}

func above(g *graph) *graph {
	if g.owner == nil {
		return nil
	}
	return g.owner.parent
}

// inside is the node of a graph that a node is, or is in; nil when it is in none.
func inside(g *graph, n *node) *node {
	for n != nil && n.parent != g {
		n = n.parent.owner
	}
	return n
}

// drawing is a flowchart that is being drawn.
type drawing struct {
	canvas
	graphs map[*graph][]func(dx, dy int)
}

// size finds how large nodes and graphs are, from the inside out.
func (d *drawing) size(g *graph) bool {
	for _, n := range g.nodes {
		if n.sub != nil {
			if len(n.sub.nodes) > 0 && !d.size(n.sub) {
				return false
			}
			n.w, n.h = max(n.sub.w+2*frameSide, n.label.width+2*padding), n.sub.h+frameTop+frameSide
			continue
		}
		n.measure()
	}
	l := newLayers(g, func(e *edge) (from, to *node) { return inside(g, e.from), inside(g, e.to) })
	if !l.arrange() {
		return false
	}
	if d.graphs == nil {
		d.graphs = map[*graph][]func(dx, dy int){}
	}
	for _, r := range l.routes {
		d.graphs[g] = append(d.graphs[g], func(dx, dy int) {
			e := r.edge
			for i, p := range r.through {
				at := l.point(p)
				if p.label {
					e.at = point{at.x + dx, at.y + dy}
				}
				sides := []int{0}
				if (i == 0 || i == len(r.through)-1) && l.depths[p.rank] > 0 {
					sides = []int{-1, 1} // straight through the rank, past the corners of boxes
				}
				for _, side := range sides {
					at := l.beside(p, side)
					e.points = append(e.points, point{at.x + dx, at.y + dy})
				}
			}
			if r.turned {
				for i, j := 0, len(e.points)-1; i < j; i, j = i+1, j-1 {
					e.points[i], e.points[j] = e.points[j], e.points[i]
				}
			}
		})
	}
	return true
}

// measure finds how large a box is.
func (n *node) measure() {
	n.w, n.h = n.label.width+2*padding, max(leastBox, n.label.height()+2*95)
	switch n.shape {
	case dot, ring:
		n.w, n.h = 200, 200
	case choice:
		n.w, n.h = 300, 300
	case bar:
		n.w, n.h = 700, 80
		if d := n.parent.direction; d == "LR" || d == "RL" {
			n.w, n.h = n.h, n.w
		}
	case table:
		n.measureRows()
	case stadium, subroutine, leaning, flag:
		n.w += 160
	case hexagon:
		n.w += 240
	case cylinder:
		n.h += 200
	case circle:
		n.w = max(n.w-80, n.h)
		n.h = n.w
	case diamond:
		n.w, n.h = n.w+n.h*3/4, max(n.h*2, n.h+n.w/5)
	}
}

// move sets where nodes are on the drawing.
func (d *drawing) move(g *graph, dx, dy int) {
	for _, route := range d.graphs[g] {
		route(dx, dy)
	}
	for _, n := range g.nodes {
		n.x, n.y = n.x+dx, n.y+dy
		if n.sub != nil {
			d.move(n.sub, n.x-n.sub.w/2, n.y-n.h/2+frameTop)
		}
	}
}

// frames draws the subgraphs.
func (d *drawing) frames(g *graph) {
	for _, n := range g.nodes {
		if n.sub != nil {
			d.rect("frame", n.x-n.w/2, n.y-n.h/2, n.w, n.h, 60)
			d.text("title", n.label, point{n.x, n.y - n.h/2 + frameTop/2})
			d.frames(n.sub)
		}
	}
}

// boxes draws the nodes.
func (d *drawing) boxes(g *graph) {
	for _, n := range g.nodes {
		if n.sub != nil {
			d.boxes(n.sub)
			continue
		}
		d.box(n)
		switch n.shape {
		case table:
			d.rows(n)
		case dot, ring, bar, choice:
		default:
			d.text("", n.label, point{n.x, n.y})
		}
	}
}

// box draws the outline of a node.
func (d *drawing) box(n *node) {
	l, r, t, b := n.x-n.w/2, n.x+n.w/2, n.y-n.h/2, n.y+n.h/2
	switch n.shape {
	case rectangle:
		d.rect("box", l, t, n.w, n.h, 30)
	case rounded:
		d.rect("box", l, t, n.w, n.h, 90)
	case table:
		d.rect("box", l, t, n.w, n.h, 30)
	case slip:
		d.rect("note", l, t, n.w, n.h, 0)
	case dot:
		d.rect("head", l, t, n.w, n.h, n.w/2)
	case ring:
		d.rect("box", l, t, n.w, n.h, n.w/2)
		d.rect("head", l+50, t+50, n.w-100, n.h-100, n.w/2-50)
	case bar:
		d.rect("head", l, t, n.w, n.h, 20)
	case stadium:
		d.rect("box", l, t, n.w, n.h, n.h/2)
	case circle:
		d.rect("box", l, t, n.w, n.h, n.w/2)
	case subroutine:
		d.rect("box", l, t, n.w, n.h, 0)
		d.path("line", line([]point{{l + 80, t}, {l + 80, b}})+line([]point{{r - 80, t}, {r - 80, b}}))
	case cylinder:
		arc := "A" + number(n.w/2) + " " + number(60) + " 0 0 "
		d.path("box", "M"+number(l)+" "+number(t+60)+arc+"1 "+number(r)+" "+number(t+60)+"V"+number(b-60)+arc+"1 "+number(l)+" "+number(b-60)+"Z")
		d.path("line", "M"+number(l)+" "+number(t+60)+arc+"0 "+number(r)+" "+number(t+60))
	case diamond, choice:
		d.polygon("box", point{n.x, t}, point{r, n.y}, point{n.x, b}, point{l, n.y})
	case hexagon:
		d.polygon("box", point{l + 120, t}, point{r - 120, t}, point{r, n.y}, point{r - 120, b}, point{l + 120, b}, point{l, n.y})
	case leaning:
		d.polygon("box", point{l + 120, t}, point{r, t}, point{r - 120, b}, point{l, b})
	case flag:
		d.polygon("box", point{l, t}, point{r, t}, point{r, b}, point{l, b}, point{l + 120, n.y})
	}
}

// edge draws a line from one node to another one.
func (d *drawing) edge(e *edge) {
	if e.hidden {
		return
	}
	if e.from == e.to {
		d.loop(e)
		return
	}
	across := false
	if g := common(e.from, e.to); g != nil {
		across = g.direction == "LR" || g.direction == "RL"
	}
	next, before := point{e.to.x, e.to.y}, point{e.from.x, e.from.y}
	if len(e.points) > 0 {
		next, before = e.points[0], e.points[len(e.points)-1]
	}
	start, end := e.from.port(next, across), e.to.port(before, across)
	points := append(append([]point{start}, e.points...), end)
	if len(e.points) == 0 {
		e.at = point{(start.x + end.x) / 2, (start.y + end.y) / 2}
	}
	d.path(strings.TrimSpace("line "+e.class), curve(points, across))
	last := len(points) - 2
	d.head(e.head, points[last], end, across)
	d.head(e.tail, points[1], start, across)
	e.endsAt = [2]point{e.ends[0].beside(points[1], start, across), e.ends[1].beside(points[last], end, across)}
}

// beside is where the text at the end of a line is, which comes from a point.
func (l label) beside(from, at point, across bool) point {
	back, side := along(from, at, across)
	if across {
		return point{at.x + back.x*(160+l.width/2), at.y - side.y*130}
	}
	return point{at.x + side.x*(110+l.width/2), at.y + back.y*(170+l.height()/2)}
}

// port is where a line to a point leaves a node: in the middle of the side that is
// nearest to it along the ranks.
func (n *node) port(to point, across bool) point {
	x, y := n.x, n.y
	if n.shape == table { // the ends of several lines would cover each other
		x, y = between(to.x, n.x, n.w/2-portSide), between(to.y, n.y, n.h/2-portSide)
	}
	switch {
	case across && to.x >= n.x:
		return point{n.x + n.w/2, y}
	case across:
		return point{n.x - n.w/2, y}
	case to.y >= n.y:
		return point{x, n.y + n.h/2}
	}
	return point{x, n.y - n.h/2}
}

// portSide is how far from the corner of a table a line begins at least.
const portSide = 170

// between is what is nearest to a number and at most so far from the middle.
func between(n, middle, most int) int {
	return max(middle-max(0, most), min(middle+max(0, most), n))
}

// curve is a smooth line through points that is along the ranks at both ends.
func curve(points []point, across bool) string {
	d := "M" + number(points[0].x) + " " + number(points[0].y)
	last := len(points) - 1
	for i := 1; i <= last; i++ {
		a, b := points[i-1], points[i]
		c, e := point{a.x, (a.y + b.y) / 2}, point{b.x, (a.y + b.y) / 2}
		if across {
			c, e = point{(a.x + b.x) / 2, a.y}, point{(a.x + b.x) / 2, b.y}
		}
		if i > 1 {
			c = point{a.x + (b.x-points[i-2].x)/6, a.y + (b.y-points[i-2].y)/6}
		}
		if i < last {
			e = point{b.x - (points[i+1].x-a.x)/6, b.y - (points[i+1].y-a.y)/6}
		}
		if last == 1 && (a.x == b.x || a.y == b.y) {
			d += "L" + number(b.x) + " " + number(b.y)
			continue
		}
		d += "C" + number(c.x) + " " + number(c.y) + " " + number(e.x) + " " + number(e.y) + " " + number(b.x) + " " + number(b.y)
	}
	return d
}

// head draws the end of a line that comes from a point.
func (d *drawing) head(kind byte, from, at point, across bool) {
	back, side := along(from, at, across)
	d.arrow(kind, at, back, side)
}

// along is which way a line that comes from a point leads back from its end, and which
// way is across it.
func along(from, at point, across bool) (back, side point) {
	switch {
	case across && from.x > at.x:
		return point{1, 0}, point{0, 1}
	case across:
		return point{-1, 0}, point{0, 1}
	case from.y > at.y:
		return point{0, 1}, point{1, 0}
	}
	return point{0, -1}, point{1, 0}
}

// The ends of lines of classes and entities, beside '>', 'o' and 'x'.
const (
	triangle   = 't' // is a kind of
	part       = 'd' // consists of
	member     = 'a' // has
	one        = '1' // exactly one
	oneOrNone  = '?'
	many       = '*' // or none
	oneOrMany  = '+'
	foot, ball = 110, 150 // where a crow's foot begins, and where what is before it is
)

// arrow draws the end of a line at a point: back leads along the line, side across it.
func (c canvas) arrow(kind byte, at, back, side point) {
	on := func(along, beside int) point {
		return point{at.x + back.x*along + side.x*beside, at.y + back.y*along + side.y*beside}
	}
	switch kind {
	case '>':
		c.polygon("head", on(0, 0), on(95, 45), on(95, -45))
	case 'o':
		middle := on(50, 0)
		c.rect("box", middle.x-50, middle.y-50, 100, 100, 50)
	case triangle:
		c.polygon("hollow", on(0, 0), on(140, 80), on(140, -80))
	case part:
		c.polygon("head", on(0, 0), on(90, 50), on(180, 0), on(90, -50))
	case member:
		c.polygon("hollow", on(0, 0), on(90, 50), on(180, 0), on(90, -50))
	case one, oneOrNone, many, oneOrMany:
		c.count(kind, on)
	case 'x':
		c.path("line", line([]point{on(10, 50), on(110, -50)})+line([]point{on(10, -50), on(110, 50)}))
	}
}

// count draws how many there are at the end of a line, as a crow's foot.
func (c canvas) count(kind byte, on func(along, beside int) point) {
	stroke := func(at int) string { return line([]point{on(at, 60), on(at, -60)}) }
	if kind == many || kind == oneOrMany {
		c.path("line", line([]point{on(0, 65), on(foot, 0)})+line([]point{on(0, -65), on(foot, 0)}))
	} else {
		c.path("line", stroke(70))
	}
	if kind == one || kind == oneOrMany {
		c.path("line", stroke(ball-20))
		return
	}
	middle := on(ball+15, 0)
	c.rect("hollow", middle.x-50, middle.y-50, 100, 100, 50)
}

// loop draws a line from a node to itself, at its right side.
func (d *drawing) loop(e *edge) {
	r, y := e.from.x+e.from.w/2, e.from.y
	d.path(strings.TrimSpace("line "+e.class), "M"+number(r)+" "+number(y-80)+"C"+number(r+250)+" "+number(y-200)+" "+number(r+250)+" "+number(y+200)+" "+number(r)+" "+number(y+80))
	d.arrow(e.head, point{r, y + 80}, point{1, 0}, point{0, 1})
	e.at = point{r + 200, y}
	e.endsAt = [2]point{{r + 150, y - 250}, {r + 150, y + 250}}
}
