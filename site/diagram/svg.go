package diagram

import (
	"strconv"

	"github.com/packgen/packgen/templates"
)

// point is a place on a drawing.
type point struct{ x, y int }

// number writes tenths of a pixel as pixels.
func number(n int) string {
	if n%10 == 0 {
		return strconv.Itoa(n / 10)
	}
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return sign + strconv.Itoa(n/10) + "." + strconv.Itoa(n%10)
}

// canvas writes the shapes of a drawing.
type canvas struct{ *templates.Markup }

// open starts a drawing.
func (c canvas) open(name string, width, height int) {
	c.Raw("<svg class=diagram role=img")
	c.Attr("aria-label", name)
	c.Attr("viewBox", "0 0 "+number(width)+" "+number(height))
	c.Attr("width", number(width))
	c.Attr("height", number(height))
	c.Raw(">\n")
}

func (c canvas) close() { c.Raw("</svg>\n") }

// numbers writes attributes that are numbers: "x", 10, "y", 20.
func (c canvas) numbers(pairs ...any) {
	for i := 0; i+1 < len(pairs); i += 2 {
		name, _ := pairs[i].(string)
		value, _ := pairs[i+1].(int)
		c.Attr(name, number(value))
	}
}

// rect writes a rectangle of a class.
func (c canvas) rect(class string, x, y, width, height, radius int) {
	c.Raw("<rect")
	c.Attr("class", class)
	c.numbers("x", x, "y", y, "width", width, "height", height)
	if radius > 0 {
		c.numbers("rx", radius)
	}
	c.Raw("></rect>\n") // "/" would belong to the value before it
}

// polygon writes a closed shape of a class.
func (c canvas) polygon(class string, points ...point) {
	c.path(class, line(points)+"Z")
}

// path writes a path of a class.
func (c canvas) path(class, d string) {
	c.Raw("<path")
	c.Attr("class", class)
	c.Attr("d", d)
	c.Raw("></path>\n")
}

// line is a path of straight lines.
func line(points []point) string {
	d := ""
	for i, p := range points {
		if i == 0 {
			d = "M"
		} else {
			d += "L"
		}
		d += number(p.x) + " " + number(p.y)
	}
	return d
}

// text writes the lines of a label around a point.
func (c canvas) text(class string, l label, at point) {
	for i, s := range l.lines {
		c.Raw("<text")
		if class != "" {
			c.Attr("class", class)
		}
		c.numbers("x", at.x, "y", at.y-l.height()/2+i*lineHeight+lineHeight/2+textRise)
		c.Raw(">")
		c.Literal([]byte(s))
		c.Raw("</text>\n")
	}
}

// onLine writes a label that is on a line, on the ground of the page.
func (c canvas) onLine(l label, at point) {
	if len(l.lines) == 0 {
		return
	}
	c.rect("ground", at.x-l.width/2-30, at.y-l.height()/2, l.width+60, l.height(), 0)
	c.text("on", l, at)
}
