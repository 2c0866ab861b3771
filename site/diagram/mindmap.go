package diagram

import (
	"strings"

	"github.com/packgen/packgen/templates"
)

// indented is a line of a diagram in which the indentation says what belongs to what.
type indented struct {
	depth int // columns
	text  string
}

// indented returns the lines of a diagram with their indentation.
func (s *source) indented() []indented {
	var list []indented
	for line := range strings.SplitSeq(s.text, "\n") {
		text := strings.TrimSpace(line)
		if len(list) < len(s.lines) && text == s.lines[len(list)] {
			width := len(line) - len(strings.TrimLeft(line, " \t"))
			list = append(list, indented{width + strings.Count(line[:width], "\t")*3, text})
		}
	}
	return list
}

// mindForms are how the shapes of a mind map are written beside those of flowcharts: they
// are drawn as circles.
var mindForms = []struct{ open, close string }{{"))", "(("}, {")", "("}}

// drawMindmap draws a mind map: a tree from left to right.
func drawMindmap(m *templates.Markup, name string, s *source) bool {
	f := newFlow("LR")
	var above []*node
	var depths []int
	for _, line := range s.indented() {
		if strings.HasPrefix(line.text, "::") || strings.HasPrefix(line.text, "accTitle:") || strings.HasPrefix(line.text, "accDescr:") {
			continue
		}
		for len(depths) > 0 && depths[len(depths)-1] >= line.depth {
			above, depths = above[:len(above)-1], depths[:len(depths)-1]
		}
		n := f.leaf(line.text)
		if n == nil || len(above) == 0 && len(f.nodes) > 1 {
			return false
		}
		if len(above) > 0 && !f.connect(&edge{from: above[len(above)-1], to: n, length: 1}) {
			return false
		}
		above, depths = append(above, n), append(depths, line.depth)
	}
	return f.whole() && f.draw(m, name)
}

// leaf makes a node of a text such as "id[Text]", "((Text))" or "Text"; nil when there are
// too many.
func (f *flow) leaf(text string) *node {
	n := f.named("line " + decimal(len(f.nodes)))
	if n == nil {
		return nil
	}
	text, _, _ = strings.Cut(text, ":::")
	n.label, n.shape = newLabel(text), rounded
	after := text[idSize(text):]
	for _, form := range mindForms {
		if inside, ok := strings.CutPrefix(after, form.open); ok && strings.HasSuffix(inside, form.close) {
			n.label, n.shape = newLabel(strings.TrimSuffix(inside, form.close)), circle
			return n
		}
	}
	for _, form := range forms {
		if inside, rest, ok := cutShape(after, form.open, form.close); ok && rest == "" {
			n.label, n.shape = newLabel(inside), form.shape
			return n
		}
	}
	return n
}
