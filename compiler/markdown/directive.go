package markdown

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// directiveKinds are the kinds of callouts of the directives of MyST that hold text, beside
// those of templateNotes.
var directiveKinds = map[string]string{
	"admonition": "note", "dropdown": "details", "tab-set": "container", "tab-item": "tab", "grid": "grid", "grid-item": "container",
	"grid-item-card": "card", "card": "card", "list-table": "list-table", "glossary": "container", "margin": "container", "sidebar": "container", "topic": "container", "epigraph": "quote",
}

// untitled are those whose argument is not a title.
var untitled = []string{"tab-set", "grid", "grid-item"}

// directiveKind is what kind of callout a directive is; false when it is not one.
func directiveKind(name string) (kind string, ok bool) {
	if slices.Contains(templateNotes, name) {
		return name, true
	}
	kind, ok = directiveKinds[name]
	return kind, ok
}

// IsOption reports a line that says how a directive of MyST looks: ":width: 50%".
func IsOption(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) < 3 || line[0] != ':' {
		return false
	}
	end := bytes.IndexByte(line[1:], ':')
	if end < 1 || end+2 < len(line) && !util.IsSpace(line[end+2]) {
		return false
	}
	for _, c := range line[1 : 1+end] {
		if !util.IsAlphaNumeric(c) && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// option takes an option off the head of a directive, and reports whether the line is one.
// The class of an admonition says what it is.
func (n *CalloutNode) option(line []byte) bool {
	if !n.options {
		return false
	}
	if n.sign == '/' {
		n.options = n.slashOption(line)
		return n.options
	}
	if n.options = IsOption(line); !n.options {
		return false
	}
	key, value, _ := strings.Cut(strings.TrimSpace(string(line))[1:], ":")
	if key == "header-rows" {
		n.Callout.HeadRows, _ = strconv.Atoi(strings.TrimSpace(value))
	}
	for _, class := range strings.Fields(value) {
		if key == "class" && n.Callout.Kind == "note" && slices.Contains(templateNotes, class) {
			n.Callout.Kind = class
		}
	}
	return true
}

// templateLogic are the tags that decide what a page shows, or take a piece of the design
// into it: what is between them is shown, they are not.
var templateLogic = []string{
	"if", "elsif", "elif", "else", "endif", "unless", "endunless", "for", "endfor", "case", "when", "endcase", "assign", "capture", "endcapture",
	"include", "include_relative", "include_cached", "increment", "decrement", "cycle", "tablerow", "endtablerow", "seo", "feed_meta", "set", "endset",
}

// tagLine reads a tag of a template that is alone on its line and says something, or says
// nothing to a reader; nil for others.
func tagLine(t *templateTag, start int, reader text.Reader, pc parser.Context) ast.Node {
	_, segment := reader.PeekLine()
	value := func(names ...string) string {
		for _, name := range names {
			if from, to, ok := t.argument(name); ok {
				return plainDest(t.arguments[from:to])
			}
		}
		return ""
	}
	n := &ComponentTag{Name: t.name, Alone: true}
	n.SetPos(start)
	if slices.Contains(templateLogic, t.name) && stateOf(pc).fronted {
		return &tagBlock{end: segment.Stop}
	}
	switch t.name {
	case "raw", "endraw", "endembed", "endfile", "openapi", "endopenapi", "toc", "children", "openapi-operation", "endopenapi-operation", "updates", "endupdates":
		return &tagBlock{end: segment.Stop}
	case "embed":
		n.Link = value("url")
	case "file":
		n.Link = value("src")
	case "youtube":
		if id := strings.Trim(string(t.arguments), `"' `); id != "" && !strings.ContainsAny(id, " =\"'<>/") {
			n.Link = "https://www.youtube.com/watch?v=" + id
		}
	case "figure":
		n.Picture, n.Label = value("src", "link"), value("alt", "title", "caption")
	}
	if !n.says() {
		return nil
	}
	p := &tagBlock{end: segment.Stop}
	p.SetPos(start)
	p.AppendChild(p, n)
	return p
}
