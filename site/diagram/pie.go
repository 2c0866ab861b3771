package diagram

import (
	"strconv"
	"strings"

	"github.com/packgen/packgen/templates"
)

// slice is a part of a pie.
type slice struct {
	label   label
	written string // its value
	value   int    // in millionths
}

// Measures of a pie, in tenths of a pixel.
const (
	radius   = 1100
	swatch   = 130
	pieStep  = 270 // from one line of the legend to the next
	percent  = 1000
	wholePie = 100 * percent
)

// sliceClasses is how many colours there are.
const sliceClasses = 8

// drawPie draws a pie, with what its parts are beside it.
func drawPie(m *templates.Markup, name string, d *source) bool {
	title, slices, values, ok := readPie(append([]string{d.head}, d.lines...))
	if !ok {
		return false
	}
	total, width := 0, 0
	for _, s := range slices {
		total += s.value
	}
	if total == 0 {
		return false
	}
	for i := range slices {
		s := &slices[i]
		text := strings.Join(s.label.lines, " ") + " " + strconv.Itoa((share(s.value, total)+percent/2)/percent) + "%"
		if values {
			text += " [" + s.written + "]"
		}
		s.label = label{[]string{text}, textWidth(text)}
		width = max(width, s.label.width)
	}
	top := margin
	if len(title.lines) > 0 {
		top += title.height() + 120
	}
	c := canvas{m}
	legend := margin + 2*radius + 400
	height := max(2*radius, len(slices)*pieStep)
	right := max(legend+swatch+100+width, title.width+margin) + margin
	c.open(name, right, top+height+margin)
	c.text("title", title, point{right / 2, margin + title.height()/2})
	middle := point{margin + radius, top + height/2}
	at := 0
	for i, s := range slices {
		c.slice(i%sliceClasses, middle, share(at, total), share(at+s.value, total))
		at += s.value
	}
	y := top + (height-len(slices)*pieStep)/2 + pieStep/2
	for i, s := range slices {
		c.rect("slice swatch s"+strconv.Itoa(i%sliceClasses), legend, y-swatch/2, swatch, swatch, 20)
		c.text("row", s.label, point{legend + swatch + 100, y})
		y += pieStep
	}
	c.close()
	return true
}

// share is a part of a whole in parts of wholePie. Large values are reduced first, since
// the product would be larger than any number.
func share(part, total int) int {
	for total > 1<<40 {
		part, total = part>>1, total>>1
	}
	return part * wholePie / max(1, total)
}

// slice draws the part of a pie from one share to another one: a dash of a circle that is
// as wide as its radius is long.
func (c canvas) slice(class int, middle point, from, to int) {
	c.Raw("<circle")
	c.Attr("class", "slice s"+strconv.Itoa(class))
	c.numbers("cx", middle.x, "cy", middle.y, "r", radius/2, "stroke-width", radius)
	c.Attr("pathLength", strconv.Itoa(wholePie))
	c.Attr("stroke-dasharray", strconv.Itoa(to-from)+" "+strconv.Itoa(wholePie))
	c.Attr("stroke-dashoffset", strconv.Itoa(-from))
	c.Attr("transform", "rotate(-90 "+number(middle.x)+" "+number(middle.y)+")")
	c.Raw("></circle>\n")
}

// readPie reads the lines of a pie; false when one of them is not known.
func readPie(lines []string) (title label, slices []slice, values, ok bool) {
	for _, text := range lines {
		if rest, shown := strings.CutPrefix(text, "showData"); shown {
			values, text = true, strings.TrimSpace(rest)
		}
		if rest, ok := strings.CutPrefix(text, "title "); ok {
			title = newLabel(rest)
			continue
		}
		if text == "" || strings.HasPrefix(text, "accTitle:") || strings.HasPrefix(text, "accDescr:") {
			continue
		}
		name, written, _ := strings.Cut(strings.TrimPrefix(text, `"`), `"`)
		written, colon := strings.CutPrefix(strings.TrimSpace(written), ":")
		s := slice{label: newLabel(name), written: strings.TrimSpace(written)}
		var known bool
		if s.value, known = decimalValue(s.written); !known || !colon || !strings.HasPrefix(text, `"`) || len(slices) == maxSlices {
			return title, nil, false, false
		}
		slices = append(slices, s)
	}
	return title, slices, values, len(slices) > 0
}

// decimalValue reads a number that is not negative, in millionths.
func decimalValue(s string) (int, bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	if len(whole) > 9 || len(fraction) > 6 || whole == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(whole+(fraction + "000000")[:6], 10, 63)
	return int(n), err == nil
}
