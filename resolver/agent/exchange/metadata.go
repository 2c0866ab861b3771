package exchange

import (
	"go.yaml.in/yaml/v3"
)

// valueOf returns the value of a key of a mapping; nil when there is none.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
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
	n = valueOf(valueOf(n, "skill"), "metadata")
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	var list [][2]string
	for i := 0; i+1 < len(n.Content); i += 2 {
		if v := n.Content[i+1]; v.Kind == yaml.ScalarNode {
			list = append(list, [2]string{n.Content[i].Value, v.Value})
		}
	}
	return list
}
