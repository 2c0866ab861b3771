package exchange

import (
	"iter"

	"go.yaml.in/yaml/v3"
)

// valueOf returns the value of a key of a mapping; nil when there is none.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for k, v := range pairs(n) {
		if k == key {
			return v
		}
	}
	return nil
}

// pairs ranges over the keys and values of a mapping; over nothing for anything else.
func pairs(n *yaml.Node) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i].Value, n.Content[i+1]) {
				return
			}
		}
	}
}

// metadataText returns the text at a path of keys below metadata; "" when there is none.
func metadataText(n *yaml.Node, keys ...string) string {
	for _, key := range keys {
		n = valueOf(n, key)
	}
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// foreignMetadata are the entries of the metadata of a skill that a pack was made of,
// which packgen gives no meaning.
func foreignMetadata(n *yaml.Node) [][2]string {
	var list [][2]string
	for k, v := range pairs(valueOf(valueOf(n, "skill"), "metadata")) {
		if v.Kind == yaml.ScalarNode {
			list = append(list, [2]string{k, v.Value})
		}
	}
	return list
}
