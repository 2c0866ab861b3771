package markdown

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Property is a line of the front matter that says something about the subject of a
// page.
type Property struct {
	Key    string
	Values []Value
}

// Value is a text of a property.
type Value struct {
	Text         string
	Line, Column int // 1-based
}

// Limits of the properties of a page.
const (
	maxProperties = 40
	maxValues     = 50
)

// machinery are keys of front matter that say how a page is made, not what it is about.
var machinery = []string{
	"title", "description", "keywords", "patterns", "priority", "triggers", "summary", "status", "language", "trust",
	"aliases", "alias", "cssclasses", "cssclass", "publish", "permalink", "slug", "layout", "template",
	"sidebar_label", "sidebar_position", "sidebar", "weight", "nav_order", "order", "position", "redirect_from", "redirects",
	"draft", "id", "hide", "icon", "search", "pagination_next", "pagination_prev", "kanban-plugin", "excalidraw-plugin",
}

// Properties returns what the front matter says about the subject of a page. In a vault
// of Obsidian, where pages link as [[Page]], that is all that is not about the making of
// the page; elsewhere front matter is for the program that makes the site, tags left out.
func (d *Document) Properties() []Property {
	if d.Meta == nil || d.Meta.Kind != yaml.MappingNode {
		return nil
	}
	vault := slices.ContainsFunc(d.Links, func(l Link) bool { // not what other systems include
		return l.Wiki && bytes.HasPrefix(bytes.TrimPrefix(d.Text[l.Offset:], []byte("!")), []byte("[["))
	})
	var list []Property
	for i := 0; i+1 < len(d.Meta.Content); i += 2 {
		if values := propertyValues(d.Meta.Content[i+1]); len(values) > 0 {
			list = append(list, Property{d.Meta.Content[i].Value, values})
			vault = vault || slices.ContainsFunc(values, func(v Value) bool { return strings.Contains(v.Text, "[[") })
		}
	}
	list = slices.DeleteFunc(list, func(p Property) bool {
		key := strings.ToLower(p.Key)
		return key != "tags" && key != "tag" && (!vault || slices.Contains(machinery, key))
	})
	return list[:min(len(list), maxProperties)]
}

// propertyValues lists the texts of a value: its own, or those of a list.
func propertyValues(v *yaml.Node) []Value {
	items := []*yaml.Node{v}
	if v.Kind == yaml.SequenceNode {
		items = v.Content
	}
	var values []Value
	for _, item := range items {
		text := strings.TrimSpace(item.Value)
		if item.Kind == yaml.ScalarNode && item.Tag != "!!null" && text != "" && len(values) < maxValues {
			values = append(values, Value{text, item.Line, item.Column})
		}
	}
	return values
}
