package diagram

// row is a line of a class or an entity.
type row struct {
	cells []label
	rule  bool // with a line above
}

// Distances in a table, in tenths of a pixel.
const (
	rowHeight = 220
	ruleSide  = 60 // between a line and the rows beside it
	cellGap   = 140
)

// columns are how wide the columns of a table are.
func (n *node) columns() []int {
	var widths []int
	for _, r := range n.rows {
		for i, cell := range r.cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], cell.width)
		}
	}
	return widths
}

// headHeight is how high the name of a table is.
func (n *node) headHeight() int { return max(leastBox, n.label.height()+190) }

// measureRows finds how large a table is.
func (n *node) measureRows() {
	inner := 0
	for i, w := range n.columns() {
		if i > 0 {
			inner += cellGap
		}
		inner += w
	}
	n.w, n.h = max(n.label.width, inner)+2*padding, n.headHeight()
	for _, r := range n.rows {
		n.h += r.height()
		if r.rule {
			n.h += 2 * ruleSide // after the line, and at the end of what it begins
		}
	}
}

// height is that of the highest cell.
func (r row) height() int {
	lines := 1
	for _, cell := range r.cells {
		lines = max(lines, len(cell.lines))
	}
	return lines*lineHeight + rowHeight - lineHeight
}

// rows draws the name of a table and its rows.
func (d *drawing) rows(n *node) {
	l, r, y := n.x-n.w/2, n.x+n.w/2, n.y-n.h/2
	head := n.headHeight()
	if len(n.rows) == 0 {
		d.text("title", n.label, point{n.x, n.y})
		return
	}
	d.text("title", n.label, point{n.x, y + head/2})
	y += head
	widths := n.columns()
	for i, row := range n.rows {
		h := row.height()
		if row.rule {
			if i > 0 {
				y += ruleSide
			}
			d.path("line", line([]point{{l, y}, {r, y}}))
			y += ruleSide
		}
		x := l + padding
		for i, cell := range row.cells {
			d.text("row", cell, point{x, y + h/2})
			x += widths[i] + cellGap
		}
		y += h
	}
}
