package diagram

import (
	"strings"

	"github.com/packgen/packgen/templates"
)

// branches reads the commits of a Git graph.
type branches struct {
	*flow
	heads   map[string]*node // the last commit of each branch
	current string
	commits int
}

// drawBranches draws a Git graph: its commits from left to right.
func drawBranches(m *templates.Markup, name string, s *source) bool {
	b := &branches{flow: newFlow("LR"), heads: map[string]*node{"main": nil}, current: "main"}
	return s.each(b.line) && b.whole() && b.draw(m, name)
}

func (b *branches) line(line string) bool {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	name := strings.Trim(rest, `"`)
	switch word {
	case "title", "accTitle:", "accDescr:":
		return true
	case "commit":
		return b.commit(rest, nil)
	case "branch":
		name, _, _ = strings.Cut(name, " order:")
		if name = strings.Trim(name, `" `); name == "" || len(b.heads) >= maxActors {
			return false
		}
		b.heads[name] = b.heads[b.current]
		b.current = name
		return true
	case "checkout", "switch":
		_, known := b.heads[name]
		if known {
			b.current = name
		}
		return known
	case "merge":
		name, rest, _ = strings.Cut(rest, " ")
		other := b.heads[strings.Trim(name, `"`)]
		return other != nil && b.commit(rest, other)
	case "cherry-pick":
		return b.commit(rest, nil)
	}
	return false
}

// commit adds a commit to the current branch, with another parent when it merges one.
func (b *branches) commit(attributes string, other *node) bool {
	b.commits++
	n := b.named("commit " + decimal(b.commits))
	if n == nil {
		return false
	}
	id, message, tag := gitValue(attributes, "id:"), gitValue(attributes, "msg:"), gitValue(attributes, "tag:")
	text := id
	switch {
	case message != "":
		text = message
	case text == "" && other != nil:
		text = "merge"
	case text == "":
		text = decimal(b.commits)
	}
	if tag != "" {
		text += "<br>" + tag
	}
	n.label, n.shape = newLabel(text), stadium
	last := b.heads[b.current]
	for _, from := range []*node{last, other} {
		if from == nil {
			continue
		}
		e := &edge{from: from, to: n, length: 1}
		if from == other && other != last {
			e.class = "dotted"
		}
		if !b.connect(e) {
			return false
		}
	}
	if b.current != "main" && !b.shown(b.current) {
		n.label.lines = append([]string{b.current + ":"}, n.label.lines...)
		n.label.width = max(n.label.width, textWidth(b.current+":"))
	}
	b.heads[b.current] = n
	return true
}

// shown reports whether a commit of a branch has been drawn: the first has its name.
func (b *branches) shown(branch string) bool {
	for name, head := range b.heads {
		if name != branch && head == b.heads[branch] {
			return false
		}
	}
	return b.heads[branch] != nil
}

// gitValue is the value of an attribute of a commit: id: "x".
func gitValue(s, key string) string {
	_, rest, ok := strings.Cut(s, key)
	if !ok {
		return ""
	}
	rest = strings.TrimSpace(rest)
	if inside, ok := strings.CutPrefix(rest, `"`); ok {
		value, _, _ := strings.Cut(inside, `"`)
		return value
	}
	value, _, _ := strings.Cut(rest, " ")
	return value
}
