package article

import (
	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
)

// maxFeatures is how many features and actions of a front page are shown.
const maxFeatures = 40

// hero writes what the front page of VitePress or Starlight says in its front matter: its
// name, a sentence, its first links, and its features.
func (r *renderer) hero() {
	meta := r.doc.Meta
	hero, features := field(meta, "hero"), field(meta, "features")
	if hero == nil && features == nil {
		return
	}
	r.heroText("<p><strong>", "</strong>\n", hero, "name", "title")
	r.heroText("<p>", "\n", hero, "text")
	r.heroText("<p>", "\n", hero, "tagline")
	if actions := items(field(hero, "actions")); len(actions) > 0 {
		r.Raw("<ul>\n")
		for _, a := range actions {
			r.Raw("<li>")
			r.heroLink(scalar(a, "link"), scalar(a, "text"))
			r.Raw("\n")
		}
		r.Raw("</ul>\n")
	}
	for _, f := range items(features) {
		r.Raw("<p><strong>")
		r.heroLink(scalar(f, "link"), scalar(f, "title"))
		r.Raw("</strong><br>\n")
		r.heroText("", "\n", f, "details")
	}
}

// heroText writes the first of several values that is not empty.
func (r *renderer) heroText(before, after string, n *yaml.Node, keys ...string) {
	for _, key := range keys {
		if text := scalar(n, key); text != "" {
			r.Raw(before)
			r.Literal([]byte(text))
			r.Raw(after)
			return
		}
	}
}

// heroLink writes a text, which is a link when it has an address.
func (r *renderer) heroLink(link, text string) {
	if link == "" || !r.openLink(cleanDest([]byte(link)), nil, 0) {
		r.Literal([]byte(text))
		return
	}
	r.Literal([]byte(text))
	r.Raw("</a>")
}

// field is the value of a key of a mapping; nil when there is none.
func field(n *yaml.Node, key string) *yaml.Node {
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

// items are the values of a list.
func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content[:min(len(n.Content), maxFeatures)]
}

// scalar is a text of a mapping; "" when there is none.
func scalar(n *yaml.Node, key string) string {
	v := field(n, key)
	if v == nil || v.Kind != yaml.ScalarNode {
		return ""
	}
	return diag.Clip(v.Value, maxValue)
}
