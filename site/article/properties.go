package article

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/markdown"
)

// Properties of a page are what its front matter says about its subject. In a vault of
// Obsidian they are a part of the page, and the links in them the way through the vault;
// elsewhere front matter is for the program that makes the site, tags left out.

// Limits of the properties that a page shows.
const (
	maxProperties = 40
	maxValues     = 50
	maxValue      = 400 // bytes
)

// machinery are keys of front matter that say how a page is made, not what it is about.
var machinery = []string{
	"title", "description", "keywords", "patterns", "priority", "triggers", "summary", "status", "language", "trust",
	"aliases", "alias", "cssclasses", "cssclass", "publish", "permalink", "slug", "layout", "template",
	"sidebar_label", "sidebar_position", "sidebar", "weight", "nav_order", "order", "position", "redirect_from", "redirects",
	"draft", "id", "hide", "icon", "search", "pagination_next", "pagination_prev", "kanban-plugin", "excalidraw-plugin",
}

// properties writes the properties of a page as a list.
func (r *renderer) properties() {
	meta := r.doc.Meta
	if meta == nil || meta.Kind != yaml.MappingNode || !strings.HasPrefix(r.doc.Path, "documents/") {
		return
	}
	vault := slices.ContainsFunc(r.doc.Links, func(l markdown.Link) bool { return l.Wiki })
	for i := 1; i < len(meta.Content) && !vault; i += 2 {
		vault = slices.ContainsFunc(valuesOf(meta.Content[i]), func(v *yaml.Node) bool { return strings.Contains(v.Value, "[[") })
	}
	shown := 0
	for i := 0; i+1 < len(meta.Content) && shown < maxProperties; i += 2 {
		key := meta.Content[i].Value
		tags := key == "tags" || key == "tag"
		values := valuesOf(meta.Content[i+1])
		if len(values) == 0 || !tags && (!vault || slices.Contains(machinery, strings.ToLower(key))) {
			continue
		}
		if shown == 0 {
			r.Raw("<dl class=properties>\n")
		}
		shown++
		r.Raw("<dt>")
		r.Literal([]byte(cutTo(key, maxValue)))
		r.Raw("<dd>")
		for i, v := range values {
			if i > 0 {
				r.Raw(", ")
			}
			r.property(v)
		}
		r.Raw("\n")
	}
	if shown > 0 {
		r.Raw("</dl>\n")
	}
}

// valuesOf lists the texts of a value: its own, or those of a list.
func valuesOf(v *yaml.Node) []*yaml.Node {
	list := []*yaml.Node{v}
	if v.Kind == yaml.SequenceNode {
		list = v.Content
	}
	var values []*yaml.Node
	for _, item := range list {
		if item.Kind == yaml.ScalarNode && item.Tag != "!!null" && strings.TrimSpace(item.Value) != "" && len(values) < maxValues {
			values = append(values, item)
		}
	}
	return values
}

// property writes a value: an address and [[Page]] as links.
func (r *renderer) property(v *yaml.Node) {
	value := cutTo(strings.TrimSpace(v.Value), maxValue)
	if s := scheme(value); (s == "http" || s == "https") && !strings.ContainsAny(value, " \t\n") && r.openLink(value, nil, 0) {
		r.Literal([]byte(value))
		r.Raw("</a>")
		return
	}
	for value != "" {
		before, rest, ok := strings.Cut(value, "[[")
		inside, after, closed := strings.Cut(rest, "]]")
		if !ok || !closed || strings.TrimSpace(inside) == "" {
			break
		}
		r.Literal([]byte(before))
		target, label, _ := strings.Cut(inside, "|")
		name, fragment, _ := strings.Cut(target, "#")
		link := markdown.WikiLink{Target: strings.TrimSpace(name), Fragment: strings.TrimSpace(fragment), Label: strings.TrimSpace(label)}
		if link.Target != "" {
			r.wiki = append(r.wiki, link.Target)
		}
		r.leaveRoom(Placeholder{Kind: Wiki, Target: link.Target, Fragment: link.Fragment, Line: v.Line, Column: v.Column})
		r.Literal([]byte(link.Shown()))
		r.Raw("</a>")
		value = after
	}
	r.Literal([]byte(value))
}

// cutTo returns the first bytes of a text, whole characters.
func cutTo(s string, size int) string {
	if len(s) <= size {
		return s
	}
	for size > 0 && s[size]&0xc0 == 0x80 {
		size--
	}
	return s[:size] + "…"
}
