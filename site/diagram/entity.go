package diagram

import (
	"regexp"
	"strings"
	"sync"

	"github.com/packgen/packgen/templates"
)

// drawEntities draws an entity relationship diagram.
func drawEntities(m *templates.Markup, name string, s *source) bool {
	r := &entities{flow: newFlow("TB")}
	return s.each(r.line) && r.body == nil && r.whole() && r.draw(m, name)
}

// entities reads an entity relationship diagram.
type entities struct {
	*flow
	body *node // the entity that lines are attributes of; nil outside of one
}

// The forms of the lines: how two entities relate, and what an attribute is.
var (
	related = sync.OnceValue(func() *regexp.Regexp {
		const name = `("[^"]+"|[\p{L}\p{N}_-]+(?:\[[^\]]+\])?)`
		return regexp.MustCompile(`^` + name + `\s*(\|o|\|\||\}o|\}\|)(--|\.\.)(o\||\|\||o\{|\|\{)\s*` + name + `\s*(?::(.*))?$`)
	})
	attribute = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\S+)\s+(\S+)((?:\s*,?\s*(?:PK|FK|UK))*)\s*("[^"]*")?$`)
	})
)

// counts are the ends of relations.
var counts = map[string]byte{"|o": oneOrNone, "o|": oneOrNone, "||": one, "}o": many, "o{": many, "}|": oneOrMany, "|{": oneOrMany}

func (r *entities) line(line string) bool {
	line = strings.TrimSpace(strings.TrimSuffix(line, ";"))
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case line == "}":
		closed := r.body != nil
		r.body = nil
		return closed
	case r.body != nil:
		return r.attribute(line)
	case line == "", word == "style", word == "classDef", word == "class", word == "title", word == "accTitle:", word == "accDescr:":
		return true
	case word == "direction":
		r.turn(rest)
		return true
	}
	if m := related().FindStringSubmatch(line); m != nil {
		e := &edge{from: r.entity(m[1]), to: r.entity(m[5]), length: 1, tail: counts[m[2]], head: counts[m[4]], label: newLabel(m[6])}
		if m[3] == ".." {
			e.class = "dotted"
		}
		return r.connect(e)
	}
	name, opens := strings.CutSuffix(line, "{")
	n := r.entity(strings.TrimSpace(name))
	if opens {
		r.body = n
	}
	return n != nil
}

// entity is the entity that a text names: "A", "\"A b\"", "a[A b]"; nil when it is not the
// name of one.
func (r *entities) entity(name string) *node {
	id, text, labelled := strings.Cut(name, "[")
	id, _, _ = strings.Cut(id, ":::")
	quoted := strings.HasPrefix(id, `"`)
	if id = strings.Trim(id, `"`); id == "" || !quoted && strings.ContainsAny(id, " \t:|{}<>\"") {
		return nil
	}
	n := r.named(id)
	if n == nil {
		return nil
	}
	n.shape = table
	if labelled {
		n.label = newLabel(strings.TrimSuffix(text, "]"))
	}
	return n
}

// attribute reads "type name PK \"comment\"".
func (r *entities) attribute(line string) bool {
	if line == "" {
		return true
	}
	m := attribute().FindStringSubmatch(line)
	if m == nil || len(r.body.rows) >= maxRows {
		return false
	}
	cells := make([]label, 4)
	for i, text := range m[1:5] {
		cells[i] = newLabel(text)
	}
	r.body.rows = append(r.body.rows, row{cells: cells, rule: len(r.body.rows) == 0})
	return true
}
