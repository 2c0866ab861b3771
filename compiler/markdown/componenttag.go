package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// kindComponentTag is the kind of a ComponentTag.
var kindComponentTag = ast.NewNodeKind("ComponentTag")

// ComponentTag is a tag of a component in a line, or one that has no content, such as
// <Badge text="New" /> and <LinkCard title="Start" href="/start/" />.
type ComponentTag struct {
	ast.BaseInline
	Name    string // in lower case
	Link    string // where it leads to; "" when it does not
	Picture string // what it shows; "" when it is not a picture
	Label   string // its text, when it has no content
	About   string // what a link leads to
	Close   bool   // </Name>
	Alone   bool   // it has no content
	Written string // as written
}

// Kind returns kindComponentTag.
func (n *ComponentTag) Kind() ast.NodeKind { return kindComponentTag }

// IsRaw reports that there is nothing in it to parse.
func (n *ComponentTag) IsRaw() bool { return true }

// Dump prints the node for debugging.
func (n *ComponentTag) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// says reports whether a tag without content has something to say to a reader.
func (n *ComponentTag) says() bool { return n.Label != "" || n.Link != "" || n.Picture != "" }

// IsIcon reports a tag that draws a small picture from a set of its system.
func (n *ComponentTag) IsIcon() bool { return strings.HasSuffix(n.Name, "icon") }

// component is a tag of a component as it is read.
type component struct {
	name  string // as written
	attrs []componentAttr
	end   int  // offset after the ">"
	alone bool // it ends in "/>"
	close bool // </Name>

	items [2]int // where the list is that its attribute "items" is

	code    bool // it holds code of JavaScript
	unended bool // a quote or brace in it does not end
}

// componentAttr is an attribute whose value is a text: x="y", x='y', x={"y"}.
type componentAttr struct {
	name     string
	from, to int // of the value
}

// Limits of a tag; beyond them it is text.
const (
	maxComponent      = 32 << 10 // bytes
	maxComponentAttrs = 40
)

// readComponent reads the tag of a component, perhaps of several lines, that starts at an
// offset. A document with many tags that do not end has no more of them.
func readComponent(source []byte, at int, pc parser.Context) (c component, ok bool) {
	tags := &stateOf(pc).tags
	if tags.unended >= maxUnended {
		return c, false
	}
	if c, ok = scanComponent(source, at); !ok && c.unended {
		tags.unended++
	}
	return c, ok
}

// maxUnended is how many tags that do not end are looked through.
const maxUnended = 200

// scanComponent reads a tag from its bytes.
func scanComponent(source []byte, at int) (c component, ok bool) {
	line := source[at:min(len(source), at+maxComponent)]
	if bytes.HasPrefix(line, []byte("</")) {
		name, size := componentName(append([]byte("<"), line[2:min(len(line), 80)]...))
		if end := bytes.IndexByte(line, '>'); name != "" && end >= size+1 && len(bytes.TrimSpace(line[size+1:end])) == 0 {
			return component{name: name, close: true, end: at + end + 1}, true
		}
		return c, false
	}
	name, size := componentName(line)
	if name == "" {
		if name, size = elementName(line); name == "" {
			return c, false
		}
	}
	c.name = name
	for i := size; i < len(line); {
		switch b := line[i]; {
		case util.IsSpace(b):
			i++
		case b == '>':
			c.end = at + i + 1
			return c, true
		case b == '/' && i+1 < len(line) && line[i+1] == '>':
			c.end, c.alone = at+i+2, true
			return c, true
		case b == '{': // {...props}
			c.code = true
			if i = braceEnd(line, i); i < 0 {
				c.unended = true
				return c, false
			}
		default:
			if i = c.attribute(line, i, at); i < 0 || len(c.attrs) > maxComponentAttrs {
				return c, false
			}
		}
	}
	return c, false
}

// attribute reads an attribute, and returns the offset after it; -1 for anything else.
func (c *component) attribute(line []byte, i, base int) int {
	start := i
	for i < len(line) && (util.IsAlphaNumeric(line[i]) || strings.IndexByte("_-:.@#", line[i]) >= 0) {
		i++
	}
	if i == start || i == len(line) {
		return -1
	}
	name := string(line[start:i])
	if line[i] != '=' {
		return i
	}
	if i++; i == len(line) {
		return -1
	}
	from, end := i+1, 0
	switch line[i] {
	case '"', '\'':
		size := bytes.IndexByte(line[from:], line[i])
		if c.unended = size < 0; c.unended {
			return -1
		}
		end = from + size + 1
	case '{':
		end = braceEnd(line, i)
		if c.unended = end < 0; c.unended {
			return -1
		}
		c.code = true
		if start, stop, ok := textOf(line[i+1 : end-1]); ok {
			c.attrs = append(c.attrs, componentAttr{strings.ToLower(name), base + i + 1 + start, base + i + 1 + stop})
		} else if name == "items" {
			c.items = [2]int{base + i + 1, base + end - 1}
		}
		return end
	default:
		return -1
	}
	c.attrs = append(c.attrs, componentAttr{strings.ToLower(name), base + from, base + end - 1})
	return end
}

// lower reports an element of HTML.
func (c *component) lower() bool { return c.name[0] >= 'a' }

func isCapital(b byte) bool { return 'A' <= b && b <= 'Z' }

// elementName returns the name of the element of HTML that a line opens, with its length
// after "<"; "" when it opens none.
func elementName(line []byte) (name string, size int) {
	if len(line) < 2 || line[0] != '<' || line[1] < 'a' || line[1] > 'z' {
		return "", 0
	}
	size = 1
	for size < len(line) && util.IsAlphaNumeric(line[size]) {
		size++
	}
	return string(line[1:size]), size
}

// textOf finds the text that an expression is: "x", or a call that makes an address of it,
// such as require("x").default.
func textOf(s []byte) (from, to int, ok bool) {
	if call := bytes.IndexByte(s, '('); call > 0 && bytes.IndexByte([]byte("\"'"), s[min(call+1, len(s)-1)]) >= 0 {
		switch string(bytes.TrimSpace(s[:call])) {
		case "require", "useBaseUrl", "withBase":
			end := bytes.IndexByte(s[call+2:], s[call+1])
			return call + 2, call + 2 + end, end > 0
		}
	}
	if len(s) < 2 || strings.IndexByte("\"'`", s[0]) < 0 || s[len(s)-1] != s[0] || bytes.Contains(s, []byte("${")) {
		return 0, 0, false
	}
	return 1, len(s) - 1, true
}

// braceEnd returns the offset after the "}" that closes the "{" at an offset; -1 when
// none does.
func braceEnd(line []byte, i int) int {
	depth, quote := 0, byte(0)
	for ; i < len(line); i++ {
		switch b := line[i]; {
		case quote != 0:
			if b == '\\' {
				i++
			} else if b == quote || b == '\n' && quote != '`' {
				quote = 0
			}
		case b == '"' || b == '\'' || b == '`':
			quote = b
		case b == '{':
			depth++
		case b == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// get returns where the value of the first of several attributes is; false when the tag
// has none of them.
func (c *component) get(names ...string) (from, to int, ok bool) {
	for _, name := range names {
		for _, a := range c.attrs {
			if a.name == name && a.to > a.from {
				return a.from, a.to, true
			}
		}
	}
	return 0, 0, false
}

// text is the value of the first of several attributes on one line.
func (c *component) text(source []byte, names ...string) string {
	from, to, _ := c.get(names...)
	return string(collapse([]byte(Unescape(source[from:to]))))
}

// pictures are components that show a picture.
var pictures = map[string]bool{"image": true, "img": true, "picture": true, "zoomimage": true, "themedimage": true, "figure": true}

// tag is the node of a tag that starts at an offset.
func (c *component) tag(source []byte, at int) *ComponentTag {
	n := &ComponentTag{Name: strings.ToLower(c.name), Close: c.close, Alone: c.alone, Written: string(source[at:c.end])}
	n.SetPos(at)
	if pictures[n.Name] {
		n.Picture, n.Label = c.text(source, "src"), c.text(source, "alt", "title", "caption")
		return n
	}
	if c.lower() && c.name != "a" { // an element that code says something about
		return n
	}
	n.Link = c.text(source, "href", "to", "link", "url")
	n.Label = c.text(source, "title", "text", "label", "name")
	if n.IsIcon() {
		n.Label = c.text(source, "label", "title")
	}
	if n.Link != "" {
		n.About = c.text(source, "description")
		if n.Label == "" {
			n.Label, n.About = n.About, ""
		}
	}
	return n
}

// parseComponentTag reads a ComponentTag: on a page of MDX every tag of a component, on
// others those that have attributes or no content, since "a <T> b" is no tag.
func parseComponentTag(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	mdx, tags := stateOf(pc).mdx, &stateOf(pc).tags
	if len(line) < 4 || !mdx && !isCapital(bytes.TrimPrefix(line[1:], []byte("/"))[0]) {
		return nil
	}
	c, ok := readComponent(line, 0, pc)
	if !ok || c.lower() && !c.code {
		return nil
	}
	if sure := mdx || c.alone || len(c.attrs) > 0 || c.close && tags.last == c.name; !sure {
		return nil
	}
	if !c.alone && !c.close {
		tags.last = c.name
	}
	n := c.tag(line, 0)
	n.SetPos(segment.Start)
	block.Advance(c.end)
	return n
}
