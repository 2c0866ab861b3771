package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
)

// Hugo and Zola write front matter as TOML between two lines "+++". Of it the lines
// "key = value" above the first table are read: texts, numbers, true and false, and
// lists of texts in one line. That is what a page says of itself there.

var tomlMarker = []byte("+++")

// tomlBlock finds such front matter. End is 0 when there is none.
func tomlBlock(text []byte, path string) (block frontmatter.Block, faults []diag.Diagnostic) {
	line, rest, ok := bytes.Cut(text, []byte("\n"))
	if !ok || !bytes.Equal(bytes.TrimRight(line, " \t"), tomlMarker) {
		return block, nil
	}
	at := len(text) - len(rest)
	for at < len(text) && at < frontmatter.MaxPageBytes {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if bytes.Equal(bytes.TrimRight(text[at:end], " \t\n"), tomlMarker) {
			block.End = end
			block.Node = tomlMeta(text[:at])
			return block, nil
		}
		at = end
	}
	return frontmatter.UnclosedBlock(text, path)
}

// tomlMeta reads the lines of a block, the marker before them included, up to its first table.
func tomlMeta(block []byte) *yaml.Node {
	if i := bytes.Index(block, []byte("\n[")); i >= 0 {
		block = block[:i+1]
	}
	return metaLines(block, "=", func(value string) *yaml.Node { return tomlValue(strings.TrimSpace(value)) })
}

// tomlValue reads a value; nil for one of another kind.
func tomlValue(value string) *yaml.Node {
	inside, ok := strings.CutPrefix(value, "[")
	if !ok {
		node, rest := tomlScalar(value)
		if rest = strings.TrimSpace(rest); rest != "" && rest[0] != '#' {
			return nil
		}
		return node
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for {
		inside = strings.TrimLeft(inside, " \t,")
		if inside == "" {
			return nil
		}
		if inside[0] == ']' {
			return list
		}
		item, rest := tomlScalar(inside)
		if item == nil {
			return nil
		}
		list.Content, inside = append(list.Content, item), rest
	}
}

// tomlScalar reads the scalar that a text starts with, and returns what follows it.
func tomlScalar(s string) (node *yaml.Node, rest string) {
	if s == "" || strings.HasPrefix(s, `"""`) || strings.HasPrefix(s, "'''") {
		return nil, s
	}
	text := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle}
	switch s[0] {
	case '"':
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			return nil, s
		}
		text.Value, _ = strconv.Unquote(quoted) // it is quoted: QuotedPrefix has seen to that
		return text, s[len(quoted):]
	case '\'':
		value, rest, ok := strings.Cut(s[1:], "'")
		if !ok {
			return nil, s
		}
		text.Value = value
		return text, rest
	}
	end := strings.IndexAny(s, " \t,]#")
	if end < 0 {
		end = len(s)
	}
	plain := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s[:end]}
	if plain.Value == "true" || plain.Value == "false" {
		plain.Tag = "!!bool"
	} else if _, err := strconv.ParseFloat(plain.Value, 64); err == nil {
		plain.Tag = "!!float"
		if _, err := strconv.Atoi(plain.Value); err == nil {
			plain.Tag = "!!int"
		}
	}
	return plain, s[end:]
}
