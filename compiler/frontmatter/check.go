package frontmatter

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
)

// maxFaults is how many faults of one block are reported.
const maxFaults = 20

// checker walks a parsed block and collects what strict reading refuses.
type checker struct {
	path   string
	faults []diag.Diagnostic
}

// check returns the faults of a mapping: duplicate keys, keys that are not
// text, anchors, aliases, foreign tags, and nesting beyond MaxDepth.
func check(root *yaml.Node, path string) []diag.Diagnostic {
	c := &checker{path: path}
	c.node(root, 1)
	return c.faults
}

func (c *checker) fault(n *yaml.Node, message, hint string) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, diag.Diagnostic{
			ID: ID, Severity: diag.Error, Path: c.path,
			Line: n.Line, Column: n.Column, Message: message, Hint: hint,
		})
	}
}

func (c *checker) node(n *yaml.Node, depth int) {
	switch {
	case n.Kind == yaml.AliasNode:
		c.fault(n, fmt.Sprintf("YAML alias *%s is not allowed in front matter.", n.Value), "write the value out")
		return
	case n.Anchor != "":
		c.fault(n, fmt.Sprintf("YAML anchor &%s is not allowed in front matter.", n.Anchor), "remove the anchor")
	}
	if n.Style&yaml.TaggedStyle != 0 && !knownTag(n.Tag) {
		c.fault(n, fmt.Sprintf("YAML tag %s is not allowed in front matter.", n.Tag), "remove the tag")
	}
	if depth > MaxDepth {
		p := deepProblem(n.Line, n.Column)
		c.fault(n, p.message, p.hint)
		return
	}
	if n.Kind == yaml.MappingNode {
		c.keys(n)
	}
	for _, child := range n.Content {
		c.node(child, depth+1)
	}
}

// keys reports keys that are not text and keys given twice.
func (c *checker) keys(n *yaml.Node) {
	seen := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind == yaml.AliasNode {
			continue
		}
		if key.Kind != yaml.ScalarNode || key.Value == "" {
			c.fault(key, "A key in front matter must be text.", "")
			continue
		}
		if first, ok := seen[key.Value]; ok {
			c.fault(key, fmt.Sprintf("Key %q is given twice; the first is on line %d.", key.Value, first.Line), "keep one of them")
			continue
		}
		seen[key.Value] = key
	}
}

// knownTag reports whether a short tag names a type of the core schema.
func knownTag(tag string) bool {
	switch tag {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!seq", "!!map":
		return true
	}
	return false
}

// byteColumns turns the library's columns, which count characters, into
// columns that count bytes.
func byteColumns(root *yaml.Node, block []byte) {
	ascii := true
	for _, b := range block {
		if b >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return
	}
	lines := strings.Split(string(block), "\n")
	// Values of one line come in order, so each line is walked once.
	type cursor struct{ line, runes, bytes int }
	at := cursor{}
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Line >= 1 && n.Line <= len(lines) {
			if at.line != n.Line || at.runes > n.Column-1 {
				at = cursor{line: n.Line}
			}
			text := lines[n.Line-1]
			for at.runes < n.Column-1 && at.bytes < len(text) {
				_, size := utf8.DecodeRuneInString(text[at.bytes:])
				at.bytes += size
				at.runes++
			}
			n.Column = at.bytes + 1
		}
		for _, child := range n.Content {
			walk(child)
		}
	}
	walk(root)
}
