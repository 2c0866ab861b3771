package diagram

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shape is the outline of a node.
type shape byte

// The shapes.
const (
	rectangle shape = iota
	rounded
	stadium
	subroutine
	cylinder
	circle
	flag
	diamond
	hexagon
	leaning
	slip   // a note
	dot    // where states begin
	ring   // where they end
	bar    // where they part or join
	choice // a diamond without text
	table  // a class or an entity: its name, and rows
)

// forms are how shapes are written, the longest first.
var forms = []struct {
	open, close string
	shape       shape
}{
	{"(((", ")))", circle}, {"((", "))", circle}, {"([", "])", stadium}, {"[[", "]]", subroutine}, {"[(", ")]", cylinder},
	{"{{", "}}", hexagon}, {"[/", "/]", leaning}, {"[/", `\]`, leaning}, {`[\`, `\]`, leaning}, {`[\`, "/]", leaning},
	{"(", ")", rounded}, {"[", "]", rectangle}, {"{", "}", diamond}, {">", "]", flag},
}

// node is a box of a flowchart, or a subgraph.
type node struct {
	id     string
	label  label
	shape  shape
	rows   []row // of a table
	parent *graph
	sub    *graph // of a subgraph; nil of a box

	w, h int
	x, y int // its middle: in its graph, then on the drawing
}

// edge is a line between two nodes.
type edge struct {
	from, to   *node
	label      label
	length     int  // in ranks
	head, tail byte // one of those that arrow draws, or 0
	class      string
	hidden     bool
	points     []point  // between the nodes, on the drawing
	at         point    // of the label
	ends       [2]label // at its tail and at its head
	endsAt     [2]point
}

// graph is a flowchart, or a subgraph of one.
type graph struct {
	owner     *node // the subgraph; nil of the whole
	direction string
	nodes     []*node
	edges     []*edge // those whose ends are in different nodes of this graph
	w, h      int
}

// flow reads a flowchart.
type flow struct {
	top   *graph
	open  []*graph // the one that statements belong to is the last
	nodes map[string]*node
	edges []*edge
}

// ignored are statements that say how things look or what a click does.
var ignored = []string{"style", "classDef", "class", "linkStyle", "click", "accTitle:", "accDescr:", "title"}

// splitStatements yields the statements of a line, which semicolons outside of quotes
// and brackets separate.
func splitStatements(line string) func(func(string) bool) {
	return func(yield func(string) bool) {
		quoted, depth, from := false, 0, 0
		for i := range len(line) {
			switch c := line[i]; {
			case c == '"':
				quoted = !quoted
			case quoted:
			case c == '[' || c == '(' || c == '{':
				depth++
			case c == ']' || c == ')' || c == '}':
				depth--
			case c == ';' && depth <= 0:
				if s := strings.TrimSpace(line[from:i]); s != "" && !yield(s) {
					return
				}
				from = i + 1
			}
		}
		if s := strings.TrimSpace(line[from:]); s != "" {
			yield(s)
		}
	}
}

func (f *flow) statement(s string) bool {
	word, rest, _ := strings.Cut(s, " ")
	switch {
	case slices.Contains(ignored, word):
		return true
	case word == "direction":
		f.turn(rest)
		return true
	case word == "end" && rest == "":
		return f.leave()
	case word == "subgraph":
		return f.subgraph(strings.TrimSpace(rest))
	}
	return f.chain(s)
}

// subgraph opens a subgraph: "id [Title]", "Title" or "id".
func (f *flow) subgraph(s string) bool {
	id, title := s, s
	if i := strings.IndexByte(s, '['); i > 0 && strings.HasSuffix(s, "]") {
		id, title = strings.TrimSpace(s[:i]), s[i+1:len(s)-1]
	}
	id = strings.Trim(id, `"`)
	if id == "" {
		id = "subgraph " + decimal(len(f.nodes))
	}
	if f.nodes[id] != nil {
		return false
	}
	n := f.named(id)
	if n == nil {
		return false
	}
	n.label = newLabel(title)
	return f.enter(n)
}

// chain reads "a & b --> c --> d".
func (f *flow) chain(s string) bool {
	from, s, ok := f.group(s)
	for ok && s != "" {
		var e edge
		if e, s, ok = readLink(s); !ok {
			return false
		}
		var to []*node
		if to, s, ok = f.group(s); !ok {
			return false
		}
		for _, a := range from {
			for _, b := range to {
				one := e
				if one.from, one.to = a, b; !f.connect(&one) {
					return false
				}
			}
		}
		from = to
	}
	return ok
}

// group reads "a & b[Text]".
func (f *flow) group(s string) (nodes []*node, rest string, ok bool) {
	for {
		var n *node
		if n, s, ok = f.node(strings.TrimLeft(s, " \t")); !ok {
			return nil, s, false
		}
		nodes = append(nodes, n)
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, "&") {
			return nodes, s, true
		}
		s = s[1:]
	}
}

// node reads a node with its shape and class.
func (f *flow) node(s string) (n *node, rest string, ok bool) {
	size := idSize(s)
	if size == 0 {
		return nil, s, false
	}
	if n = f.named(s[:size]); n == nil {
		return nil, s, false
	}
	s = s[size:]
	for _, form := range forms {
		inside, after, found := cutShape(s, form.open, form.close)
		if found {
			n.label, n.shape, s = newLabel(inside), form.shape, after
			break
		}
	}
	if class, ok := strings.CutPrefix(s, ":::"); ok {
		s = class[idSize(class):]
	}
	return n, s, !strings.HasPrefix(s, "@") && !strings.HasPrefix(s, "[") && !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "(")
}

// named is the node of that id, which is made where it is named first; nil when there are
// too many.
func (f *flow) named(id string) *node {
	n := f.nodes[id]
	if n == nil && len(f.nodes) < maxNodes {
		here := f.open[len(f.open)-1]
		n = &node{id: id, label: newLabel(id), parent: here}
		f.nodes[id] = n
		here.nodes = append(here.nodes, n)
	}
	return n
}

// connect adds an edge; false when there are too many, or one of its ends is missing.
func (f *flow) connect(e *edge) bool {
	f.edges = append(f.edges, e)
	return e.from != nil && e.to != nil && len(f.edges) <= maxEdges
}

// turn gives the graph that statements belong to a direction.
func (f *flow) turn(direction string) { f.open[len(f.open)-1].direction = strings.TrimSpace(direction) }

// enter makes a node a graph of its own, which the statements after it belong to; false
// when it is one already, or too deep.
func (f *flow) enter(n *node) bool {
	if n == nil || n.sub != nil || len(f.open) > maxDepth {
		return false
	}
	n.sub = &graph{owner: n, direction: f.open[len(f.open)-1].direction}
	f.open = append(f.open, n.sub)
	return true
}

// leave ends the graph that was entered last; false when there is none.
func (f *flow) leave() bool {
	if len(f.open) == 1 {
		return false
	}
	f.open = f.open[:len(f.open)-1]
	return true
}

// whole reports whether there is something to draw, and every graph is closed.
func (f *flow) whole() bool { return len(f.nodes) > 0 && len(f.open) == 1 }

// newFlow returns a graph without nodes.
func newFlow(direction string) *flow {
	f := &flow{top: &graph{direction: direction}, nodes: map[string]*node{}}
	f.open = []*graph{f.top}
	return f
}

// cutShape takes the brackets of a shape off the front of a text.
func cutShape(s, open, closing string) (inside, rest string, ok bool) {
	s, ok = strings.CutPrefix(s, open)
	if !ok {
		return "", "", false
	}
	from := 0
	if trimmed := strings.TrimLeft(s, " "); strings.HasPrefix(trimmed, `"`) {
		if end := strings.IndexByte(trimmed[1:], '"'); end >= 0 {
			from = len(s) - len(trimmed) + end + 2
		}
	}
	end := strings.Index(s[from:], closing)
	if end < 0 || from == 0 && strings.ContainsAny(s[:end], "[]{}\"") {
		return "", "", false
	}
	return s[:from+end], s[from+end+len(closing):], true
}

// idSize is the length of the id that starts a text.
func idSize(s string) int {
	size := 0
	for i, r := range s {
		if r == utf8.RuneError {
			break
		}
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		inner := (r == '-' || r == '.' || r == '/') && i > 0 && (unicode.IsLetter(next) || unicode.IsDigit(next))
		if !inner && r != '_' && r != '*' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			break
		}
		size = i + utf8.RuneLen(r)
	}
	return size
}

// readLink reads what is between two nodes.
func readLink(s string) (e edge, rest string, ok bool) {
	s = strings.TrimLeft(s, " \t")
	if len(s) > 1 && (s[0] == '<' || (s[0] == 'o' || s[0] == 'x') && s[1] == '-') {
		e.tail, s = s[0], s[1:]
		if e.tail == '<' {
			e.tail = '>'
		}
	}
	body, dots := 0, 0
	var closing string
	switch {
	case strings.HasPrefix(s, "~~~"):
		e.hidden, e.length = true, 1
		return e, strings.TrimLeft(s, "~"), true
	case strings.HasPrefix(s, "-."):
		for body = 1; body < len(s) && s[body] == '.'; body++ {
		}
		e.class, closing, dots = "dotted", ".-", body-1
		if body < len(s) && s[body] == '-' {
			body++
		} else {
			dots = 0
		}
	case strings.HasPrefix(s, "--"), strings.HasPrefix(s, "=="):
		for body < len(s) && s[body] == s[0] {
			body++
		}
		if closing = "--"; s[0] == '=' {
			e.class, closing = "thick", "=="
		}
	default:
		return e, s, false
	}
	after := s[body:]
	head, width := headOf(after)
	e.length = max(1, body-1)
	if head == 0 {
		e.length = max(1, body-2)
	}
	if closing == ".-" {
		e.length = max(1, dots)
	}
	if head == 0 && body == 2 && dots == 0 { // -- text -->
		return e.withText(after, closing)
	}
	e.head, s = head, after[width:]
	s = strings.TrimLeft(s, " \t")
	if inside, ok := strings.CutPrefix(s, "|"); ok {
		text, after, found := strings.Cut(inside, "|")
		if !found {
			return e, s, false
		}
		e.label, s = newLabel(text), after
	}
	return e, s, true
}

// withText reads the text in a link, and the rest of the link.
func (e edge) withText(s, closing string) (edge, string, bool) {
	at := strings.Index(s, closing)
	if at < 0 {
		return e, s, false
	}
	e.label = newLabel(s[:at])
	s = s[at+len(closing):]
	e.length = 1
	for s != "" && s[0] == closing[1] {
		s = s[1:]
		e.length++
	}
	head, width := headOf(s)
	if head == 0 {
		e.length = max(1, e.length-1)
	}
	e.head = head
	return e, s[width:], true
}

// headOf reads the end of a link.
func headOf(s string) (head byte, width int) {
	if s == "" {
		return 0, 0
	}
	switch s[0] {
	case '>':
		return '>', 1
	case 'o', 'x':
		if len(s) == 1 || s[1] == ' ' || s[1] == '|' {
			return s[0], 1
		}
	}
	return 0, 0
}
