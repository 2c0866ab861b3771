package diagram

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/packgen/packgen/templates"
)

// gantt reads a Gantt chart.
type gantt struct {
	title  label
	format string // of its dates, as the time package writes it
	rows   []ganttRow
	named  map[string]ganttRow
	last   time.Time // where the last task ends
}

// ganttRow is a task, or the name of a section.
type ganttRow struct {
	name     label
	section  bool
	from, to time.Time
	class    string
}

// Measures of a Gantt chart, in tenths of a pixel.
const (
	ganttWidth = 4800
	ganttRows  = 270
	ganttBar   = 170
)

// dateForms are the formats of dates that are read.
var dateForms = map[string]string{
	"YYYY-MM-DD": "2006-01-02", "YYYY-MM-DD HH:mm": "2006-01-02 15:04", "YYYY-MM-DDTHH:mm": "2006-01-02T15:04",
	"DD-MM-YYYY": "02-01-2006", "MM-DD-YYYY": "01-02-2006", "YYYY/MM/DD": "2006/01/02", "DD/MM/YYYY": "02/01/2006", "YYYY-MM": "2006-01",
}

// drawGantt draws a Gantt chart.
func drawGantt(m *templates.Markup, name string, s *source) bool {
	g := gantt{format: "2006-01-02", named: map[string]ganttRow{}}
	return s.each(g.line) && len(g.rows) <= maxNodes && g.draw(m, name)
}

func (g *gantt) line(line string) bool {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "title":
		g.title = newLabel(rest)
		return true
	case "dateFormat":
		g.format = dateForms[rest]
		return g.format != ""
	case "section":
		g.rows = append(g.rows, ganttRow{name: newLabel(rest), section: true})
		return true
	case "axisFormat", "tickInterval", "todayMarker", "click", "weekday", "weekend", "accTitle:", "accDescr:":
		return true
	case "excludes", "includes", "inclusiveEndDates": // they move what comes after
		return false
	}
	name, task, ok := strings.Cut(line, ":")
	return ok && g.task(name, task)
}

// task reads "done, id, 2024-01-01, 3d".
func (g *gantt) task(name, s string) bool {
	row := ganttRow{name: newLabel(name), class: "s0"}
	parts := strings.Split(s, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	for len(parts) > 0 && slices.Contains([]string{"active", "done", "crit", "milestone", "vert"}, parts[0]) {
		if class := map[string]string{"active": "s5", "done": "s2", "crit": "s4"}[parts[0]]; class != "" {
			row.class = class
		}
		parts = parts[1:]
	}
	id := ""
	if len(parts) == 3 {
		id, parts = parts[0], parts[1:]
	}
	ok := true
	row.from = g.last
	if len(parts) == 2 {
		row.from, ok = g.start(parts[0])
		parts = parts[1:]
	}
	if len(parts) != 1 || !ok || row.from.IsZero() {
		return false
	}
	if row.to, ok = g.end(row.from, parts[0]); !ok || row.to.Before(row.from) {
		return false
	}
	g.last = row.to
	g.rows = append(g.rows, row)
	if id != "" {
		g.named[id] = row
	}
	return true
}

// start reads a date, or "after a b".
func (g *gantt) start(s string) (at time.Time, ok bool) {
	ids, after := strings.CutPrefix(s, "after ")
	if !after {
		at, err := time.Parse(g.format, s)
		return at, err == nil
	}
	for id := range strings.FieldsSeq(ids) {
		row, known := g.named[id]
		if !known {
			return at, false
		}
		if row.to.After(at) {
			at = row.to
		}
	}
	return at, !at.IsZero()
}

// end reads a date, or how long a task is.
func (g *gantt) end(from time.Time, s string) (time.Time, bool) {
	if at, err := time.Parse(g.format, s); err == nil {
		return at, true
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	n, err := strconv.Atoi(s[:digits])
	if err != nil || n > 100_000 {
		return from, false
	}
	switch s[digits:] {
	case "m":
		return from.Add(time.Duration(n) * time.Minute), true
	case "h":
		return from.Add(time.Duration(n) * time.Hour), true
	case "d":
		return from.AddDate(0, 0, n), true
	case "w":
		return from.AddDate(0, 0, 7*n), true
	case "M":
		return from.AddDate(0, n, 0), true
	case "y":
		return from.AddDate(n, 0, 0), n < 1000
	}
	return from, false
}

// draw draws the tasks as bars below each other.
func (g *gantt) draw(m *templates.Markup, name string) bool {
	var first, last time.Time
	names := 0
	for _, row := range g.rows {
		names = max(names, row.name.width)
		if row.section {
			continue
		}
		if first.IsZero() || row.from.Before(first) {
			first = row.from
		}
		if row.to.After(last) {
			last = row.to
		}
	}
	whole := last.Unix() - first.Unix()
	if first.IsZero() || whole <= 0 || first.Year() < 1 || last.Year() > 9999 {
		return false
	}
	c := canvas{m}
	top := margin
	if len(g.title.lines) > 0 {
		top += g.title.height() + 120
	}
	left := margin + names + 2*padding
	bottom := top + len(g.rows)*ganttRows
	c.open(name, left+ganttWidth+6*padding, bottom+ganttRows+margin)
	c.text("title", g.title, point{left + ganttWidth/2, margin + g.title.height()/2})
	across := func(at time.Time) int { return left + int((at.Unix()-first.Unix())*ganttWidth/whole) }
	for i := range 5 {
		at := first.Add(time.Duration(i) * (last.Sub(first) / 4))
		x := across(at)
		c.path("life", line([]point{{x, top}, {x, bottom}}))
		c.text("on", newLabel(at.Format("2006-01-02")), point{x, bottom + ganttRows/2})
	}
	for i, row := range g.rows {
		y := top + i*ganttRows + ganttRows/2
		if row.section {
			c.text("row title", row.name, point{margin, y})
			continue
		}
		c.text("row", row.name, point{margin + padding, y})
		from, to := across(row.from), across(row.to)
		c.rect("slice swatch "+row.class, from, y-ganttBar/2, max(to-from, 60), ganttBar, 30)
	}
	c.close()
	return true
}
