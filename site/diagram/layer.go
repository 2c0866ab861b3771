package diagram

import (
	"cmp"
	"slices"
)

// Distances of a flowchart, in tenths of a pixel.
const (
	rankGap   = 500 // between ranks
	nodeGap   = 360 // between nodes of a rank
	lineGap   = 200 // beside a line that passes a rank
	maxPlaces = 3000
	sweeps    = 12
	passes    = 60
)

// place is a node in its rank, or where an edge passes a rank.
type place struct {
	node  *node // nil where an edge passes
	label bool  // of that edge
	rank  int
	at    int // of its middle, across the ranks
	width int // across the ranks
	depth int // along them
	up    []*place
	down  []*place
	order int
	key   int
}

// route is how an edge passes the ranks.
type route struct {
	edge     *edge
	from, to *place // from is of the lower rank
	turned   bool   // against the direction of the edge
	through  []*place
}

// layers places the nodes of one graph in ranks: a node is below those with an edge to
// it, edges that would close a circle left out.
type layers struct {
	graph  *graph
	across bool // ranks go from left to right
	places []*place
	routes []*route
	ranks  [][]*place
	starts []int // the middles of the ranks, along them
	depths []int // how deep their boxes are, along them
}

// newLayers makes places of the nodes and routes of the edges; reps says which node of
// the graph an end of an edge is in.
func newLayers(g *graph, reps func(*edge) (from, to *node)) *layers {
	l := &layers{graph: g, across: g.direction == "LR" || g.direction == "RL"}
	byNode := map[*node]*place{}
	for _, n := range g.nodes {
		p := &place{node: n, width: n.w, depth: n.h}
		if l.across {
			p.width, p.depth = n.h, n.w
		}
		byNode[n] = p
		l.places = append(l.places, p)
	}
	for _, e := range g.edges {
		from, to := reps(e)
		l.routes = append(l.routes, &route{edge: e, from: byNode[from], to: byNode[to]})
	}
	return l
}

// turn turns the routes that close a circle.
func (l *layers) turn() {
	out := map[*place][]*route{}
	for _, r := range l.routes {
		out[r.from] = append(out[r.from], r)
	}
	const open, done = 1, 2
	state := map[*place]int{}
	var visit func(p *place)
	visit = func(p *place) {
		state[p] = open
		for _, r := range out[p] {
			switch state[r.to] {
			case open:
				r.turned = true
			case 0:
				visit(r.to)
			}
		}
		state[p] = done
	}
	for _, p := range l.places {
		if state[p] == 0 {
			visit(p)
		}
	}
	for _, r := range l.routes {
		if r.turned {
			r.from, r.to = r.to, r.from
		}
	}
}

// rank gives each place its rank: below all that lead to it, and sources as near to
// what they lead to as they can be.
func (l *layers) rank(scale int) {
	for range len(l.places) {
		changed := false
		for _, r := range l.routes {
			if least := r.from.rank + r.edge.length*scale; r.to.rank < least {
				r.to.rank, changed = least, true
			}
		}
		if !changed {
			break
		}
	}
	for _, p := range l.places {
		nearest, source := -1, true
		for _, r := range l.routes {
			source = source && r.to != p
			if at := r.to.rank - r.edge.length*scale; r.from == p && (nearest < 0 || at < nearest) {
				nearest = at
			}
		}
		if source && nearest > p.rank {
			p.rank = nearest
		}
	}
}

// split gives each route a place in every rank that it passes; false when there are too
// many.
func (l *layers) split() bool {
	last := 0
	for _, p := range l.places {
		last = max(last, p.rank)
	}
	if last > maxPlaces {
		return false
	}
	l.ranks = make([][]*place, last+1)
	for _, p := range l.places {
		l.ranks[p.rank] = append(l.ranks[p.rank], p)
	}
	for _, r := range l.routes {
		previous := r.from
		middle := (r.from.rank + r.to.rank) / 2
		for rank := r.from.rank + 1; rank < r.to.rank; rank++ {
			p := &place{rank: rank}
			if t := r.edge.label; rank == middle && len(t.lines) > 0 {
				p.label, p.width, p.depth = true, t.width+80, t.height()
				if l.across {
					p.width, p.depth = t.height()+40, t.width+80
				}
			}
			if l.places = append(l.places, p); len(l.places) > maxPlaces {
				return false
			}
			l.ranks[rank] = append(l.ranks[rank], p)
			r.through = append(r.through, p)
			join(previous, p)
			previous = p
		}
		join(previous, r.to)
	}
	return true
}

func join(a, b *place) {
	a.down = append(a.down, b)
	b.up = append(b.up, a)
}

// sort orders the places of each rank so that few edges cross.
func (l *layers) sort() {
	number := func() {
		for _, rank := range l.ranks {
			for i, p := range rank {
				p.order = i
			}
		}
	}
	number()
	best, fewest := l.orders(), l.crossings()
	for sweep := range sweeps {
		for i := range l.ranks {
			rank, near := l.ranks[i], func(p *place) []*place { return p.up }
			if sweep%2 == 1 {
				rank, near = l.ranks[len(l.ranks)-1-i], func(p *place) []*place { return p.down }
			}
			for _, p := range rank {
				p.key = p.order * 1000
				if list := near(p); len(list) > 0 {
					sum := 0
					for _, other := range list {
						sum += other.order * 1000
					}
					p.key = sum / len(list)
				}
			}
			slices.SortStableFunc(rank, func(a, b *place) int { return cmp.Compare(a.key, b.key) })
			for i, p := range rank {
				p.order = i
			}
		}
		if n := l.crossings(); n < fewest {
			best, fewest = l.orders(), n
		}
	}
	l.ranks = best
	number()
}

// orders is a copy of the ranks.
func (l *layers) orders() [][]*place {
	list := make([][]*place, len(l.ranks))
	for i, rank := range l.ranks {
		list[i] = slices.Clone(rank)
	}
	return list
}

// crossings counts the pairs of edges between neighbouring ranks that cross.
func (l *layers) crossings() int {
	n := 0
	for _, rank := range l.ranks {
		var ends []int
		for _, p := range rank {
			orders := make([]int, len(p.down))
			for i, q := range p.down {
				orders[i] = q.order
			}
			slices.Sort(orders)
			ends = append(ends, orders...)
		}
		for i, a := range ends {
			for _, b := range ends[i+1:] {
				if b < a {
					n++
				}
			}
		}
	}
	return n
}

// spread gives each place where it is across the ranks: as near to the middle of its
// neighbours as the others of its rank leave room.
func (l *layers) spread() {
	for _, rank := range l.ranks {
		at := 0
		for i, p := range rank {
			if i > 0 {
				at += gap(rank[i-1], p)
			}
			p.at = at
		}
	}
	for pass := range passes {
		for i := range l.ranks {
			rank := l.ranks[i]
			if pass%2 == 1 {
				rank = l.ranks[len(l.ranks)-1-i]
			}
			wanted := make([]int, len(rank))
			for j, p := range rank {
				list := p.up
				if pass%2 == 1 {
					list = p.down
				}
				if pass >= passes/2 {
					list = append(slices.Clone(p.up), p.down...)
				}
				wanted[j] = p.at
				if len(list) > 0 {
					wanted[j] = middleOf(list)
				}
			}
			settle(rank, wanted)
		}
	}
}

// middleOf is the median of where places are.
func middleOf(list []*place) int {
	at := make([]int, len(list))
	for i, p := range list {
		at[i] = p.at
	}
	slices.Sort(at)
	return (at[(len(at)-1)/2] + at[len(at)/2]) / 2
}

// gap is how far the middles of two neighbours are from each other at least.
func gap(a, b *place) int {
	between := nodeGap
	if a.node == nil || b.node == nil {
		between = lineGap
	}
	return (a.width+b.width)/2 + between
}

// settle moves the places of a rank as near as can be to where they are wanted, in
// their order and with the gaps between them: neighbours that are too near become a
// group, which is where its places are wanted on average.
func settle(rank []*place, wanted []int) {
	type group struct{ first, n, sum int }
	offset := 0
	offsets := make([]int, len(rank))
	var groups []group
	for i, p := range rank {
		if i > 0 {
			offset += gap(rank[i-1], p)
		}
		offsets[i] = offset
		g := group{i, 1, wanted[i] - offset}
		for len(groups) > 0 {
			last := groups[len(groups)-1]
			if last.sum*g.n < g.sum*last.n {
				break
			}
			g = group{last.first, last.n + g.n, last.sum + g.sum}
			groups = groups[:len(groups)-1]
		}
		groups = append(groups, g)
	}
	for _, g := range groups {
		for i := g.first; i < g.first+g.n; i++ {
			rank[i].at = g.sum/g.n + offsets[i]
		}
	}
}

// arrange does all of it, and sets the size of the graph and where its nodes are in it.
func (l *layers) arrange() bool {
	scale, between := 1, rankGap
	if slices.ContainsFunc(l.routes, func(r *route) bool { return len(r.edge.label.lines) > 0 }) {
		scale, between = 2, rankGap/2 // a rank for the labels between two of nodes
	}
	l.turn()
	l.rank(scale)
	if !l.split() {
		return false
	}
	l.sort()
	l.spread()

	least, most := 0, 0
	for i, p := range l.places {
		if low := p.at - p.width/2; i == 0 || low < least {
			least = low
		}
		if high := p.at + p.width/2; i == 0 || high > most {
			most = high
		}
	}
	along := 0
	for i, rank := range l.ranks {
		deepest, boxes := 0, 0
		for _, p := range rank {
			deepest = max(deepest, p.depth)
			if p.node != nil {
				boxes = max(boxes, p.depth)
			}
		}
		if i > 0 {
			along += between
		}
		l.starts, l.depths = append(l.starts, along+deepest/2), append(l.depths, boxes)
		along += deepest
	}
	for _, p := range l.places {
		p.at -= least
	}
	l.graph.w, l.graph.h = most-least, along
	if l.across {
		l.graph.w, l.graph.h = along, most-least
	}
	for _, p := range l.places {
		if p.node != nil {
			at := l.point(p)
			p.node.x, p.node.y = at.x, at.y
		}
	}
	return true
}

// point is where a place is in its graph.
func (l *layers) point(p *place) point { return l.beside(p, 0) }

// beside is where the rank of a place begins (side -1) or ends (1), at the place.
func (l *layers) beside(p *place, side int) point {
	along := l.starts[p.rank] + side*l.depths[p.rank]/2
	switch l.graph.direction {
	case "BT":
		return point{p.at, l.graph.h - along}
	case "LR":
		return point{along, p.at}
	case "RL":
		return point{l.graph.w - along, p.at}
	}
	return point{p.at, along}
}
