package jsonfile

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// Node is a value of a JSON text and where it is.
type Node struct {
	Items []*Node       // of an object or a list
	Value loadout.Value // of texts, otherwise only its first character counts

	key        string
	from       int // offset of its key, of the value itself in a list
	line       int // of from, 1-based
	start, end int // offsets of the value
	depth      int // of containers around it
}

// Kind is the type of a value; that of nil is Missing.
func (n *Node) Kind() loadout.Kind {
	if n == nil {
		return loadout.Missing
	}
	return n.Value.Kind()
}

// Member returns the member of an object with a key, nil without one. Of
// several the last counts, as for an agent.
func (n *Node) Member(key string) *Node {
	if n.Kind() != loadout.Object {
		return nil
	}
	var found *Node
	for _, m := range n.Items {
		if m.key == key {
			found = m
		}
	}
	return found
}

// Once returns an error when an object has a key more than once. It reads as
// diag.GivenTwice does; the programs that change settings do without that package.
func (n *Node) Once(key string) error {
	first := slices.IndexFunc(n.Items, func(m *Node) bool { return m.key == key })
	if first < 0 || n.Member(key) == n.Items[first] {
		return nil
	}
	return fmt.Errorf("key %q is given twice; the first is on line %d", key, n.Items[first].line)
}

// scanner finds the values of a text that is known to be JSON.
type scanner struct {
	text    []byte
	at      int
	lines   int // line ends before counted
	counted int
}

// line returns the 1-based line of an offset, which is not before that of the last call.
func (s *scanner) line(offset int) int {
	s.lines += bytes.Count(s.text[s.counted:offset], []byte("\n"))
	s.counted = offset
	return s.lines + 1
}

func (s *scanner) space() {
	for s.at < len(s.text) && bytes.IndexByte([]byte(" \t\r\n"), s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *scanner) value(depth int) *Node {
	s.space()
	n := &Node{from: s.at, start: s.at, depth: depth}
	switch s.text[s.at] {
	case '{', '[':
		s.container(n)
	case '"':
		n.Value = s.str()
	default:
		for s.at < len(s.text) && bytes.IndexByte([]byte(",]} \t\r\n"), s.text[s.at]) < 0 {
			s.at++
		}
		n.Value = loadout.Value(s.text[n.start:s.at])
	}
	n.end = s.at
	return n
}

// container reads an object or a list.
func (s *scanner) container(n *Node) {
	open := s.text[s.at]
	n.Value = loadout.Value(s.text[s.at : s.at+1])
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
		line := s.line(from)
		item := s.value(n.depth + 1)
		item.key, item.from, item.line = key, from, line
		n.Items = append(n.Items, item)
	}
}

// str reads a text.
func (s *scanner) str() loadout.Value {
	start := s.at
	s.at = closingQuote(s.text, s.at) + 1
	v, err := indexjson.Parse(s.text[start:s.at])
	if err != nil {
		return `""`
	}
	return v
}

// closingQuote is the offset of the quotation mark that ends the string which begins at one,
// or the end of the text.
func closingQuote(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return min(i, len(text))
}
