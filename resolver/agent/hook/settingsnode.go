package hook

import (
	"bytes"
	"slices"

	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// node is a value of a JSON text and where it is.
type node struct {
	key        string
	from       int // offset of its key, of the value itself in a list
	start, end int // offsets of the value
	depth      int // of containers around it
	items      []*node
	value      loadout.Value // of texts, otherwise only its first character counts
}

func (n *node) kind() loadout.Kind {
	if n == nil {
		return loadout.Missing
	}
	return n.value.Kind()
}

// member returns the member of an object with a key, nil without one. Of
// several the last counts, as for an agent.
func (n *node) member(key string) *node {
	if n.kind() != loadout.Object {
		return nil
	}
	var found *node
	for _, m := range n.items {
		if m.key == key {
			found = m
		}
	}
	return found
}

// twice reports whether an object has a key more than once.
func (n *node) twice(key string) bool {
	first := slices.IndexFunc(n.items, func(m *node) bool { return m.key == key })
	return first >= 0 && n.member(key) != n.items[first]
}

// scanner finds the values of a text that is known to be JSON.
type scanner struct {
	text []byte
	at   int
}

func (s *scanner) space() {
	for s.at < len(s.text) && bytes.IndexByte([]byte(" \t\r\n"), s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *scanner) value(depth int) *node {
	s.space()
	n := &node{from: s.at, start: s.at, depth: depth}
	switch s.text[s.at] {
	case '{', '[':
		s.container(n)
	case '"':
		n.value = s.str()
	default:
		for s.at < len(s.text) && bytes.IndexByte([]byte(",]} \t\r\n"), s.text[s.at]) < 0 {
			s.at++
		}
		n.value = loadout.Value(s.text[n.start:s.at])
	}
	n.end = s.at
	return n
}

// container reads an object or a list.
func (s *scanner) container(n *node) {
	open := s.text[s.at]
	n.value = loadout.Value(s.text[s.at : s.at+1])
	s.at++
	for {
		s.space()
		switch s.text[s.at] {
		case '}', ']':
			s.at++
			return
		case ',':
			s.at++
			continue
		}
		from, key := s.at, ""
		if open == '{' {
			key, _ = s.str().Str()
			s.space()
			s.at++ // the colon
		}
		item := s.value(n.depth + 1)
		item.key, item.from = key, from
		n.items = append(n.items, item)
	}
}

// str reads a text.
func (s *scanner) str() loadout.Value {
	start := s.at
	for s.at++; s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
	v, err := indexjson.Parse(s.text[start:s.at])
	if err != nil {
		return `""`
	}
	return v
}
