package frontmatter

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/strictyaml"
)

// Map reads typed values from a mapping and collects a diagnostic (id [ID],
// error, with the place of the value) for each value of a wrong type. A nil
// node is an empty mapping, and so is the zero Map.
type Map struct {
	Node *yaml.Node
	Path string // file, for diagnostics
	At   string // dotted key path of the mapping itself, "" at the top
	sink *[]diag.Diagnostic

	values map[string]*yaml.Node // by their keys
}

// NewMap returns a reader for node that appends diagnostics to sink. A nil
// sink drops them.
func NewMap(path string, node *yaml.Node, sink *[]diag.Diagnostic) Map {
	return Map{Node: node, Path: path, sink: sink, values: valuesOf(node)}
}

// valuesOf returns the values of a mapping by their keys, the first of each name. A mapping of
// many keys may be asked for all of them.
func valuesOf(node *yaml.Node) map[string]*yaml.Node {
	if node == nil {
		return nil
	}
	values := make(map[string]*yaml.Node, len(node.Content)/2)
	for i := 0; i+1 < len(node.Content); i += 2 {
		if key := node.Content[i].Value; values[key] == nil {
			values[key] = node.Content[i+1]
		}
	}
	return values
}

// Keys returns the key nodes in file order.
func (m Map) Keys() []*yaml.Node {
	if m.Node == nil {
		return nil
	}
	keys := make([]*yaml.Node, 0, len(m.Node.Content)/2)
	for i := 0; i+1 < len(m.Node.Content); i += 2 {
		keys = append(keys, m.Node.Content[i])
	}
	return keys
}

// Value returns the value node of a key; nil when the key is absent or its
// value is null.
func (m Map) Value(key string) *yaml.Node {
	v := m.values[key]
	if v == nil || strictyaml.Type(v) == strictyaml.Null {
		return nil
	}
	return v
}

// String returns a string value; "" and false when it is absent or, with a
// diagnostic, of another type.
func (m Map) String(key string) (string, bool) {
	v := m.Value(key)
	if v == nil {
		return "", false
	}
	return m.text(key, v)
}

// text returns the value of a scalar that must be a string.
func (m Map) text(key string, v *yaml.Node) (string, bool) {
	if t := strictyaml.Type(v); t != strictyaml.String {
		m.wrongType(key, v, strictyaml.String, t)
		return "", false
	}
	return v.Value, true
}

// Strings returns a list of strings; nil and false when it is absent or, with
// a diagnostic for each fault, not such a list. An empty list is not nil.
func (m Map) Strings(key string) ([]string, bool) {
	v := m.Value(key)
	if v == nil {
		return nil, false
	}
	if t := strictyaml.Type(v); t != strictyaml.List {
		m.wrongType(key, v, strictyaml.List, t)
		return nil, false
	}
	list, ok := make([]string, 0, len(v.Content)), true
	for _, item := range v.Content {
		text, good := m.text(key, item)
		list, ok = append(list, text), ok && good
	}
	if !ok {
		return nil, false
	}
	return list, true
}

// StringOrStrings is Strings that also takes a single string, as a list of one.
func (m Map) StringOrStrings(key string) ([]string, bool) {
	if v := m.Value(key); v != nil && strictyaml.Type(v) == strictyaml.String {
		return []string{v.Value}, true
	}
	return m.Strings(key)
}

// Bool returns a boolean value, written true or false; never yes or on.
func (m Map) Bool(key string) (value, ok bool) {
	v := m.Value(key)
	if v == nil {
		return false, false
	}
	if t := strictyaml.Type(v); t != strictyaml.Bool {
		m.wrongType(key, v, strictyaml.Bool, t)
		return false, false
	}
	return v.Value[0] == 't' || v.Value[0] == 'T', true
}

// Map returns the mapping under key; an empty one when it is absent or, with a
// diagnostic, of another type.
func (m Map) Map(key string) Map {
	sub := Map{Path: m.Path, At: m.name(key), sink: m.sink}
	v := m.Value(key)
	if v == nil {
		return sub
	}
	if t := strictyaml.Type(v); t != strictyaml.Mapping {
		m.wrongType(key, v, strictyaml.Mapping, t)
		return sub
	}
	sub.Node, sub.values = v, valuesOf(v)
	return sub
}

// Place returns the 1-based line and column of the value of a key, of the
// mapping when the key is absent, or 0, 0.
func (m Map) Place(key string) (line, column int) {
	switch v := m.Value(key); {
	case v != nil:
		return v.Line, v.Column
	case m.Node != nil:
		return m.Node.Line, m.Node.Column
	}
	return 0, 0
}

// Report adds a diagnostic at the place of a key's value.
func (m Map) Report(key, id string, severity diag.Severity, message, hint string) {
	line, column := m.Place(key)
	m.add(diag.Diagnostic{ID: id, Severity: severity, Line: line, Column: column, Message: message, Hint: hint})
}

func (m Map) add(d diag.Diagnostic) {
	if m.sink != nil {
		d.Path = m.Path
		*m.sink = append(*m.sink, d)
	}
}

// name returns a key with the path of the mapping before it.
func (m Map) name(key string) string {
	if m.At == "" {
		return key
	}
	return m.At + "." + key
}

func (m Map) wrongType(key string, v *yaml.Node, want, got strictyaml.ValueType) {
	hint := "write " + want.String()
	switch {
	case want == strictyaml.String && (got == strictyaml.Number || got == strictyaml.Bool):
		hint = fmt.Sprintf("quote it: %q", v.Value)
	case want == strictyaml.List && got == strictyaml.String:
		hint = fmt.Sprintf("write it as a list: [%s]", v.Value)
	case want == strictyaml.Bool && got == strictyaml.String:
		hint = "write true or false, without quotes"
	}
	m.add(diag.Diagnostic{
		ID: ID, Severity: diag.Error, Line: v.Line, Column: v.Column,
		Message: fmt.Sprintf("key %q must be %s, not %s", m.name(key), want, got),
		Hint:    hint,
	})
}
