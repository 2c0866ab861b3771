package diagram

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/templates"
)

// drawClasses draws a class diagram.
func drawClasses(m *templates.Markup, name string, s *source) bool {
	c := &classes{flow: newFlow("TB")}
	if !s.each(c.line) || c.body != nil || !c.whole() {
		return false
	}
	for _, n := range c.nodes {
		if n.shape == table {
			n.settleMembers()
		}
	}
	return c.draw(m, name)
}

// classes reads a class diagram.
type classes struct {
	*flow
	body *node // the class that lines are members of; nil outside of one
}

// unlinked are statements about how classes look and what a click does.
var unlinked = []string{"style", "classDef", "cssClass", "click", "link", "callback", "accTitle:", "accDescr:", "title"}

// relation is "A \"1\" <|-- \"*\" B : text".
var relation = sync.OnceValue(func() *regexp.Regexp {
	const name = "(`[^`]+`|[\\p{L}\\p{N}_]+(?:~[^\\s]*~)?)"
	return regexp.MustCompile(`^` + name + `\s*("[^"]*")?\s*(<\||[*o<]|\(\))?(--|\.\.)(\|>|[*o>]|\(\))?\s*("[^"]*")?\s*` + name + `\s*(?::(.*))?$`)
})

// classEnds are the ends of relations.
var classEnds = map[string]byte{"<|": triangle, "|>": triangle, "*": part, "o": member, "<": '>', ">": '>', "()": 'o'}

func (c *classes) line(line string) bool {
	line = strings.TrimSpace(strings.TrimSuffix(line, ";"))
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case c.body != nil:
		if line == "}" {
			c.body = nil
			return true
		}
		return c.body.addMember(line)
	case line == "" || slices.Contains(unlinked, word):
		return true
	case line == "}":
		return c.leave()
	case word == "direction":
		c.turn(rest)
		return true
	case word == "namespace":
		name, opens := strings.CutSuffix(rest, "{")
		return opens && c.enter(c.named(strings.TrimSpace(name)))
	case word == "class":
		return c.declare(rest)
	case word == "note":
		return c.remark(rest)
	case strings.HasPrefix(line, "<<"):
		kind, name, _ := strings.Cut(line, ">>")
		n := c.class(strings.TrimSpace(name))
		return n != nil && n.addMember(kind+">>")
	}
	if m := relation().FindStringSubmatch(line); m != nil {
		e := &edge{from: c.class(m[1]), to: c.class(m[7]), length: 1, label: newLabel(m[8]), tail: classEnds[m[3]], head: classEnds[m[5]]}
		if m[4] == ".." {
			e.class = "dotted"
		}
		e.ends = [2]label{newLabel(m[2]), newLabel(m[6])}
		return c.connect(e)
	}
	name, member, ok := strings.Cut(line, ":")
	n := c.class(strings.TrimSpace(name))
	return ok && n != nil && n.addMember(strings.TrimSpace(member))
}

// class is the class that a text names, with the types it is made for: "List~int~"; nil
// when it is not the name of one.
func (c *classes) class(name string) *node {
	shown := strings.Trim(name, "`")
	id, _, generic := strings.Cut(shown, "~")
	if id == "" || name == shown && idSize(id) != len(id) {
		return nil
	}
	n := c.named(id)
	if n != nil && n.shape != table {
		n.shape = table
	}
	if n != nil && generic {
		n.label = newLabel(generics(shown))
	}
	return n
}

// generics writes types in angle brackets: List~List~int~~ as List<List<int>>.
func generics(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch next := strings.TrimLeft(s[i:], "~"); {
		case r != '~':
			b.WriteRune(r)
		case next == "" || strings.ContainsRune(" ,)", rune(next[0])):
			b.WriteByte('>')
		default:
			b.WriteByte('<')
		}
	}
	return b.String()
}

// declare reads what is after "class": "A", "A {", "A[\"Text\"]:::style".
func (c *classes) declare(rest string) bool {
	rest, opens := strings.CutSuffix(rest, "{")
	if empty, ok := strings.CutSuffix(rest, "{}"); ok {
		rest, opens = empty, false
	}
	rest, _, _ = strings.Cut(strings.TrimSpace(rest), ":::")
	name, text, labelled := strings.Cut(rest, "[")
	n := c.class(strings.TrimSpace(name))
	if n == nil {
		return false
	}
	if labelled {
		n.label = newLabel(strings.TrimSuffix(strings.TrimSpace(text), "]"))
	}
	if opens {
		c.body = n
	}
	return true
}

// remark reads what is after "note": "\"text\"", or "for A \"text\"".
func (c *classes) remark(rest string) bool {
	var n *node
	if about, ok := strings.CutPrefix(rest, "for "); ok {
		name, text, _ := strings.Cut(strings.TrimSpace(about), " ")
		if n = c.class(name); n == nil {
			return false
		}
		rest = strings.TrimSpace(text)
	}
	return strings.HasPrefix(rest, `"`) && c.pin(n, rest)
}

// addMember notes a line of a class as it is written; false when it has too many.
func (n *node) addMember(text string) bool {
	if text != "" {
		n.rows = append(n.rows, row{cells: []label{newLabel(generics(strings.TrimRight(text, "*$")))}})
	}
	return len(n.rows) <= maxRows
}

// settleMembers puts what kind of class it is above its name, and its methods below its
// other members.
func (n *node) settleMembers() {
	var kinds []string
	var fields, methods []row
	for _, r := range n.rows {
		text := strings.Join(r.cells[0].lines, " ")
		switch {
		case strings.HasPrefix(text, "<<"):
			kinds = append(kinds, "«"+strings.TrimSuffix(strings.TrimPrefix(text, "<<"), ">>")+"»")
		case strings.Contains(text, "("):
			methods = append(methods, r)
		default:
			fields = append(fields, r)
		}
	}
	for _, part := range [][]row{fields, methods} {
		if len(part) > 0 {
			part[0].rule = true
		}
	}
	for _, kind := range kinds {
		n.label.width = max(n.label.width, textWidth(kind))
	}
	n.label.lines = append(kinds, n.label.lines...)
	n.rows = append(fields, methods...)
}
