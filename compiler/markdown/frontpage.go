package markdown

import (
	"cmp"

	"go.yaml.in/yaml/v3"
)

// FrontPage is what the front page of VitePress or Starlight says in its front matter.
type FrontPage struct {
	Name    string
	Text    string
	Tagline string
	Links   []FrontLink // where a reader goes from here
	Parts   []FrontLink // features
}

// FrontLink is a link, or a text, of a front page.
type FrontLink struct{ Title, Dest, About string }

// maxFront is how many links and parts of a front page are shown.
const maxFront = 40

// FrontPage returns what the front matter says of a front page; nil for other pages.
func (d *Document) FrontPage() *FrontPage {
	hero, features := field(d.Meta, "hero"), field(d.Meta, "features")
	if hero == nil && features == nil {
		return nil
	}
	p := &FrontPage{Name: cmp.Or(scalar(hero, "name"), scalar(hero, "title")), Text: scalar(hero, "text"), Tagline: scalar(hero, "tagline")}
	for _, n := range items(field(hero, "actions")) {
		p.Links = append(p.Links, FrontLink{Title: scalar(n, "text"), Dest: scalar(n, "link")})
	}
	for _, n := range items(features) {
		p.Parts = append(p.Parts, FrontLink{scalar(n, "title"), scalar(n, "link"), scalar(n, "details")})
	}
	return p
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
	return n.Content[:min(len(n.Content), maxFront)]
}

// scalar is a text of a mapping; "" when there is none.
func scalar(n *yaml.Node, key string) string {
	v := field(n, key)
	if v == nil || v.Kind != yaml.ScalarNode {
		return ""
	}
	return v.Value
}
