package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/nearest"
)

// configReader reads the YAML of a configuration file strictly and collects
// every fault with its place.
type configReader struct {
	path   string
	faults []diag.Diagnostic
}

// fault reports what is wrong at a node.
func (r *configReader) fault(n *yaml.Node, hint, format string, args ...any) {
	d := diag.Diagnostic{
		ID: "config-invalid", Severity: diag.Error, Path: r.path,
		Message: fmt.Sprintf(format, args...), Hint: hint,
	}
	if n != nil {
		d.Line, d.Column = n.Line, n.Column
	}
	r.faults = append(r.faults, d)
}

// document parses the file and returns its mapping; nil when the file is empty
// or broken.
func (r *configReader) document(data []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		line, text := yamlError(err)
		r.fault(&yaml.Node{Line: line}, "", "not YAML: %s", text)
		return nil
	}
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		r.fault(nil, "Keep one document in the file.", "more than one YAML document")
		return nil
	}
	root := doc.Content[0]
	switch {
	case root.Kind == yaml.ScalarNode && frontmatter.Type(root) == frontmatter.Null:
		return nil
	case root.Kind != yaml.MappingNode:
		r.fault(root, "Write it as key: value.", "the file holds %s, not a mapping", kindOf(root))
		return nil
	}
	return root
}

// yamlError takes the line out of a YAML syntax error.
func yamlError(err error) (line int, text string) {
	text = strings.TrimPrefix(err.Error(), "yaml: ")
	if _, scanErr := fmt.Sscanf(text, "line %d:", &line); scanErr == nil {
		_, text, _ = strings.Cut(text, ": ")
	}
	return line, text
}

// mapping hands each value of a mapping to the reader of its key.
func (r *configReader) mapping(n *yaml.Node, prefix string, keys map[string]func(*yaml.Node)) {
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, known := keys[key.Value]
		switch first, twice := seen[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			r.fault(key, "", "a key must be a word, not %s", kindOf(key))
		case twice:
			r.fault(key, "Keep one of the two.", "key %q stands twice; first on line %d", prefix+key.Value, first)
		case !known:
			names := slices.Sorted(maps.Keys(keys))
			hint := "The keys are " + strings.Join(names, ", ") + "."
			if near := nearest.Name(key.Value, names); near != "" {
				hint = fmt.Sprintf("Did you mean %q?", prefix+near)
			}
			r.fault(key, hint, "unknown key %q", prefix+key.Value)
		case value.Kind == yaml.AliasNode:
			r.fault(value, "Write the value out.", "%q is an alias", prefix+key.Value)
		default:
			read(value)
		}
		if key.Kind == yaml.ScalarNode {
			if _, twice := seen[key.Value]; !twice {
				seen[key.Value] = key.Line
			}
		}
	}
}

// section reads a nested mapping.
func (r *configReader) section(name string, keys map[string]func(*yaml.Node)) func(*yaml.Node) {
	return func(n *yaml.Node) {
		switch {
		case n.Kind == yaml.ScalarNode && frontmatter.Type(n) == frontmatter.Null:
		case n.Kind != yaml.MappingNode:
			r.fault(n, "Write its keys below it, indented.", "%q holds %s, not a mapping", name, kindOf(n))
		default:
			r.mapping(n, name+".", keys)
		}
	}
}

// text reads a string.
func (r *configReader) text(field *string) func(*yaml.Node) {
	return r.checked(field, func(string) error { return nil })
}

// checked reads a string and refuses one that check refuses.
func (r *configReader) checked(field *string, check func(string) error) func(*yaml.Node) {
	return func(n *yaml.Node) {
		s, ok := r.scalar(n)
		if !ok {
			return
		}
		if err := check(s); err != nil {
			r.fault(n, diag.HintOf(err), "%v", err)
			return
		}
		*field = s
	}
}

// scalar returns the text of a string node.
func (r *configReader) scalar(n *yaml.Node) (string, bool) {
	if frontmatter.Type(n) != frontmatter.String {
		r.fault(n, "Write text; put it in quotes when it looks like something else.", "want text, found %s", kindOf(n))
		return "", false
	}
	return n.Value, true
}

// flag reads true or false.
func (r *configReader) flag(field *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if frontmatter.Type(n) != frontmatter.Bool {
			r.fault(n, "Write true or false.", "want true or false, found %s", kindOf(n))
			return
		}
		*field = strings.EqualFold(n.Value, "true")
	}
}

// list reads a list of strings; a single string is a list of one.
func (r *configReader) list(field *[]string, check func(string) error) func(*yaml.Node) {
	return func(n *yaml.Node) {
		nodes := n.Content
		if n.Kind == yaml.ScalarNode {
			nodes = []*yaml.Node{n}
		} else if n.Kind != yaml.SequenceNode {
			r.fault(n, "Write one a line, each after a dash.", "want a list, found %s", kindOf(n))
			return
		}
		if len(nodes) == 0 {
			r.fault(n, "Name at least one.", "the list is empty")
			return
		}
		items := make([]string, len(nodes))
		for i, item := range nodes {
			r.checked(&items[i], check)(item)
		}
		*field = items
	}
}

// kindOf names what a node holds, for messages.
func kindOf(n *yaml.Node) string {
	if n.Kind == yaml.AliasNode {
		return "an alias"
	}
	return frontmatter.Type(n).String()
}
