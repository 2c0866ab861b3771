package editor

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/repo"
)

// maxItems is how many completions an editor gets; it asks again as more is typed.
const maxItems = 500

// openings are what is completed after, up to the place.
var openings = sync.OnceValue(func() []opening {
	return []opening{
		{regexp.MustCompile(`\[\[([^\[\]|#]*)#([^\[\]|]*)$`), func(c *completer, m []string) { c.anchors(c.named(m[1]), m[2]) }},
		{regexp.MustCompile(`\[\[([^\[\]|#]*)$`), func(c *completer, m []string) { c.pages(m[1]) }},
		{regexp.MustCompile(`\[(?:source|来源)[:：]\s*(?:[^\]]*[;；]\s*)?([^\];#]*)#([^\];]*)$`), func(c *completer, m []string) { c.anchors(strings.TrimSpace(m[1]), m[2]) }},
		{regexp.MustCompile(`\[(?:source|来源)[:：]\s*(?:[^\]]*[;；]\s*)?([^\];#]*)$`), func(c *completer, m []string) { c.files("sources", m[1]) }},
		{regexp.MustCompile(`\]\(([^()\s#]*)#([^()\s]*)$`), func(c *completer, m []string) { c.anchors(c.linked(m[1]), m[2]) }},
		{regexp.MustCompile(`\]\(([^()\s#]*)$`), func(c *completer, m []string) { c.links(m[1]) }},
	}
})

type opening struct {
	pattern *regexp.Regexp
	offer   func(c *completer, m []string)
}

// completer collects completions at a place.
type completer struct {
	at    *place
	items []completionItem
	more  bool
}

// offer adds a completion that replaces what is typed of it.
func (c *completer) offer(kind int, label, detail, typed string) {
	if !strings.Contains(strings.ToLower(label), strings.ToLower(typed)) {
		return
	}
	if len(c.items) == maxItems {
		c.more = true
		return
	}
	start := c.at.at
	start.Character -= unitsOf(typed)
	c.items = append(c.items, completionItem{Label: label, Kind: kind, Detail: detail, FilterText: label, TextEdit: &textEdit{span{start, c.at.at}, label}})
}

// complete answers what may come at a place: names of pages, paths, anchors, sources; in
// front matter and YAML files keys and values.
func (s *session) complete(at *place) (any, *rpcError) {
	c := &completer{at: at, items: []completionItem{}}
	line := at.lines.line(at.at.Line)
	before := line[:bytesOf(line, at.at.Character)]
	if name, path, ok := schemaAt(at); ok {
		if isJSON(at.name) {
			c.json(name)
		} else {
			c.keys(name, path, before)
		}
		return completionList{c.more, c.items}, nil
	}
	if at.view.pack != nil && strings.HasSuffix(at.path, ".md") {
		for _, o := range openings() {
			if m := o.pattern.FindStringSubmatch(before); m != nil {
				o.offer(c, m)
				break
			}
		}
	}
	return completionList{c.more, c.items}, nil
}

// pages offers the names of pages.
func (c *completer) pages(typed string) {
	for _, name := range c.at.view.pages() {
		if doc := c.at.view.document(name); doc != nil && name != pack.EntryName {
			c.offer(kindReference, stemOf(name), titleOf(doc, name), typed)
		}
	}
}

// files offers the files of a folder by their pack paths.
func (c *completer) files(dir, typed string) {
	for _, f := range c.at.view.pack.List(dir) {
		c.offer(kindFile, f.Path, "", typed)
	}
}

// links offers pages by their paths from this one.
func (c *completer) links(typed string) {
	for _, name := range c.at.view.pages() {
		if name != c.at.path {
			c.offer(kindFile, reference.Rewrite(c.at.path, "", asOnDisk(name)), "", typed)
		}
	}
}

// named is the page that a wikilink names.
func (c *completer) named(name string) string {
	if name == "" {
		return c.at.path
	}
	return c.at.view.table.Named(c.at.view.names(), c.at.path, name).Path
}

// linked is the page that a link leads to.
func (c *completer) linked(dest string) string {
	if dest == "" {
		return c.at.path
	}
	return c.at.view.table.Resolve(c.at.path, reference.Join(c.at.path, dest)).Path
}

// anchors offers the headings of a file.
func (c *completer) anchors(name, typed string) {
	if doc := c.at.view.document(name); doc != nil {
		for _, h := range doc.Headings {
			c.offer(kindReference, h.ID, h.Text, typed)
		}
	}
}

// schemaAt is the schema of what is written at a place in YAML, and the path of keys
// around it; false in other text.
func schemaAt(at *place) (name string, keys []string, ok bool) {
	from := 0
	switch base := path.Base(strings.ReplaceAll(at.name, `\`, "/")); {
	case base == repo.ConfigName:
		name = "config"
	case base == roleName:
		name = "boot"
	case base == schema.LockName:
		name = "lock"
	case strings.HasPrefix(at.path, "evals/discovery.") && isJSON(at.path):
		name = "discovery-eval"
	case strings.HasSuffix(at.path, "evals/context.yaml"):
		name = "context-eval"
	case strings.HasSuffix(base, "routing.yaml"):
		name = "routing"
	case strings.HasSuffix(base, ".md") && at.lines.line(0) == "---":
		end := slices.Index(strings.Split(string(at.lines.text), "\n")[1:], "---")
		if end >= 0 && at.at.Line > end || at.at.Line == 0 {
			return "", nil, false
		}
		name, from = "page", 1
		if base == pack.EntryName {
			name = "knowledge"
		}
	default:
		return "", nil, false
	}
	return name, keysAbove(at.lines, from, at.at.Line), true
}

var keyOfLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([ ]*(?:- +)?)["']?([^"':#\s][^"':]*)["']?:(?:\s|$)`)
})

// keysAbove are the keys that a line is below, by its indentation.
func keysAbove(l *lines, from, line int) []string {
	text := l.line(line)
	indent := len(text) - len(strings.TrimLeft(text, " -"))
	var keys []string
	for n := line - 1; n >= from && indent > 0; n-- {
		if m := keyOfLine().FindStringSubmatch(l.line(n)); m != nil && len(m[1]) < indent {
			keys, indent = append(keys, m[2]), len(m[1])
		}
	}
	slices.Reverse(keys)
	return keys
}

// keys offers the keys of a mapping, or the values of a key.
func (c *completer) keys(name string, above []string, before string) {
	if typed, at, ok := scalarAt(before, above); ok && c.values(name, at, typed) {
		return
	}
	if key, typed, ok := strings.Cut(strings.TrimLeft(before, " -"), ":"); ok {
		c.enums(name, append(above, strings.Trim(key, `"'`)), strings.TrimLeft(typed, " "))
		return
	}
	typed := strings.TrimLeft(before, " -")
	switch {
	case name == "knowledge" && slices.Equal(above, []string{"metadata", "loadout"}) && c.at.view.pack != nil:
		for _, id := range c.at.view.splitIDs() {
			c.offer(kindReference, id, "split", typed)
		}
		return
	case name == "page" && slices.Equal(above, []string{"questions"}):
		c.anchors(c.at.path, typed)
		return
	}
	c.known(name, above, typed)
}

// known offers the keys that a schema has at a place.
func (c *completer) known(name string, above []string, typed string) {
	if p := said(name, above); p != nil {
		known := p.Keys()
		for _, key := range sortedKeys(known) {
			c.offer(kindProperty, key, known[key].Description, typed)
		}
	}
}

// enums offers the values that a schema lists for a key.
func (c *completer) enums(name string, keys []string, typed string) {
	p := said(name, keys)
	if p == nil {
		return
	}
	for _, form := range append([]*schema.Property{p}, p.AnyOf...) {
		for _, v := range form.Enum {
			if text := fmt.Sprint(v); v != nil && text != "" {
				c.offer(kindValue, text, "", typed)
			}
		}
	}
}

// said is what a schema says at a path of keys; nil for a key that it does not know.
func said(name string, keys []string) *schema.Property {
	root, err := schema.Find(name)
	if err != nil {
		return nil
	}
	p, err := root.At(keys...)
	if err != nil {
		return nil
	}
	return p
}

// aboutKey says what the key at a place means.
func aboutKey(at *place) string {
	name, above, ok := schemaAt(at)
	if !ok {
		return ""
	}
	m := keyOfLine().FindStringSubmatch(at.lines.line(at.at.Line))
	if m == nil {
		return ""
	}
	p := said(name, append(above, m[2]))
	if p == nil || p.Description == "" {
		return ""
	}
	return "`" + m[2] + "`: " + p.Description
}
