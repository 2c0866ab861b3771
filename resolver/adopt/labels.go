package adopt

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Files in which other systems keep the order and the names of what is in a folder: those of
// Docusaurus, Fumadocs and MkDocs, and those of Nextra, whose keys are the entries of the folder.
var (
	categories = []string{"_category_.json", "_category_.yml", "_category_.yaml", "meta.json", ".pages"}
	metas      = []string{"_meta.json", "_meta.js", "_meta.jsx", "_meta.ts", "_meta.tsx", "_meta.mjs"}
)

// category reads such a file.
func (l *looker) category(name string) {
	base, dir := path.Base(name), path.Dir(name)
	isMeta := slices.Contains(metas, base)
	if !isMeta && !slices.Contains(categories, base) {
		return
	}
	data, err := readSome(l.fsys, name, 1<<20)
	if err != nil {
		return
	}
	switch {
	case base == "_meta.json":
		l.place(dir, keysOf(data))
	case isMeta:
		l.place(dir, exportedKeys(data))
	default: // JSON is YAML
		var c struct {
			Label    string    `yaml:"label"`
			Title    string    `yaml:"title"`
			Position *float64  `yaml:"position"`
			Pages    []string  `yaml:"pages"`
			Nav      yaml.Node `yaml:"nav"`
		}
		if yaml.Unmarshal(data, &c) != nil {
			return
		}
		if c.Position != nil {
			l.ranks[dir] = *c.Position
		}
		l.label(dir, cmp.Or(c.Label, c.Title))
		var list []navigated
		for _, p := range c.Pages {
			list = append(list, navigated{path: p})
		}
		l.place(dir, append(list, listed(&c.Nav)...))
	}
}

// place gives the entries of a folder their places and names.
func (l *looker) place(dir string, list []navigated) {
	for i, n := range list {
		key := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(n.path, "/"), ".md"), ".mdx")
		if key == "" || key == "..." || strings.Contains(key, "://") || path.IsAbs(key) {
			continue
		}
		at := path.Join(dir, key)
		if _, known := l.ranks[at]; !known {
			l.ranks[at] = float64(i)
		}
		l.label(at, n.label)
	}
}

// label names a folder or page.
func (l *looker) label(at, label string) {
	if label = oneLine(label); label != "" {
		l.labels[at] = label
	}
}

// listed reads a list of names, each with a label or without one.
func listed(n *yaml.Node) (list []navigated) {
	if n.Kind != yaml.SequenceNode {
		return nil
	}
	for _, item := range n.Content {
		switch {
		case item.Kind == yaml.ScalarNode:
			list = append(list, navigated{path: item.Value})
		case item.Kind == yaml.MappingNode && len(item.Content) == 2 && item.Content[1].Kind == yaml.ScalarNode:
			list = append(list, navigated{item.Content[1].Value, item.Content[0].Value})
		}
	}
	return list
}

// keysOf lists the keys of an object in their order, with the texts that they have as
// values, or as "title" in them.
func keysOf(data []byte) (list []navigated) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return list
		}
		n := navigated{path: key.(string)}
		if json.Unmarshal(value, &n.label) != nil {
			var o struct {
				Title string `json:"title"`
			}
			_ = json.Unmarshal(value, &o) // another value has no title
			n.label = o.Title
		}
		list = append(list, n)
	}
	return list
}

// exportedKeys lists the keys of the object that a module exports, line by line, with the
// texts that they have as values, or as "title" in them. Nothing is run.
func exportedKeys(data []byte) (list []navigated) {
	depth := 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		key, value, ok := strings.Cut(line, ":")
		key, value = strings.Trim(strings.TrimSpace(key), `'"`), strings.TrimSpace(value)
		isKey := ok && key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == ""
		switch {
		case isKey && depth == 1:
			list = append(list, navigated{key, inQuotes(strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(value, "{")), "title:"))})
		case isKey && depth == 2 && key == "title" && len(list) > 0:
			list[len(list)-1].label = inQuotes(value)
		}
		depth += strings.Count(line, "{") - strings.Count(line, "}")
	}
	return list
}

// inQuotes is the text in the quotes that a value of JavaScript starts with.
func inQuotes(value string) string {
	value = strings.TrimSpace(value)
	if value == "" || strings.IndexByte("'\"`", value[0]) < 0 {
		return ""
	}
	text, _, ok := strings.Cut(value[1:], value[:1])
	if !ok {
		return ""
	}
	return text
}
