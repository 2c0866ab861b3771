package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// kindAttributes is the kind of an Attributes.
var kindAttributes = ast.NewNodeKind("Attributes")

// Attributes is a list such as { #id .class width=300 } after a link, a picture, a
// heading or alone on its line, as MkDocs and Kramdown read it. It is not shown.
type Attributes struct {
	ast.BaseInline
	ID     string            // after "#" or "id="; "" when there is none
	Values map[string]string // key=value, keys in lower case; nil when there are none
}

// Kind returns kindAttributes.
func (n *Attributes) Kind() ast.NodeKind { return kindAttributes }

// Dump prints the node for debugging.
func (n *Attributes) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// AttributesOf returns the attributes that follow an inline node; nil when there are
// none.
func AttributesOf(n ast.Node) *Attributes {
	a, _ := n.NextSibling().(*Attributes)
	return a
}

// maxAttributes is the longest list of attributes, in bytes.
const maxAttributes = 512

// parseAttributes reads an Attributes where it belongs to something.
func parseAttributes(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	end := bytes.IndexByte(line[:min(len(line), maxAttributes)], '}')
	if end < 2 {
		return nil
	}
	last := parent.LastChild()
	rest := bytes.TrimSpace(line[end+1:])
	heading := parent.Kind() == ast.KindHeading && len(rest) == 0
	first := bytes.TrimLeft(line[1:end], " ")
	alone := len(rest) == 0 && len(first) > 0 && bytes.IndexByte([]byte(":.#"), first[0]) >= 0 && (last == nil || isLineEnd(last))
	if !heading && !alone && !takesAttributes(last) && block.PrecendingCharacter() != ':' { // after an icon
		return nil
	}
	if heading && line[1] == '#' {
		return nil // {#id}, which every heading may end in (agent-knowledge section 6.3)
	}
	n := &Attributes{}
	if !n.read(string(line[1:end])) {
		return nil
	}
	block.Advance(end + 1)
	return n
}

// takesAttributes reports an inline node that attributes may follow.
func takesAttributes(n ast.Node) bool {
	if n == nil {
		return false
	}
	switch n.Kind() {
	case ast.KindLink, ast.KindImage, ast.KindCodeSpan, ast.KindEmphasis, ast.KindAutoLink, kindWikiLink:
		return true
	}
	return false
}

func isLineEnd(n ast.Node) bool {
	t, ok := n.(*ast.Text)
	return ok && (t.SoftLineBreak() || t.HardLineBreak())
}

// read reads the inside of the braces; false when it is not a list of attributes.
func (n *Attributes) read(inside string) bool {
	inside = strings.TrimSpace(strings.TrimPrefix(inside, ":"))
	if inside == "" {
		return false
	}
	for inside != "" {
		word := inside
		if i := strings.IndexAny(inside, " \t"); i > 0 {
			word = inside[:i]
		}
		switch {
		case len(word) > 1 && word[0] == '#':
			n.ID = word[1:]
		case len(word) > 1 && word[0] == '.' && util.IsAlphaNumeric(word[1]):
		default:
			key, value, ok := strings.Cut(inside, "=")
			if !ok || key == "" || strings.ContainsAny(key, " \t\"'{.:#") {
				if strings.HasPrefix(word, "data-") { // a flag of MkDocs
					break
				}
				return false
			}
			word, value = readValue(key, value)
			if strings.EqualFold(key, "id") {
				n.ID = value
				break
			}
			if n.Values == nil {
				n.Values = map[string]string{}
			}
			n.Values[strings.ToLower(key)] = value
		}
		inside = strings.TrimLeft(inside[len(word):], " \t")
	}
	return true
}

// readValue reads the value after "key=" and returns both as written, too.
func readValue(key, rest string) (written, value string) {
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		if end := strings.IndexByte(rest[1:], rest[0]); end >= 0 {
			return key + "=" + rest[:end+2], rest[1 : end+1]
		}
	}
	if i := strings.IndexAny(rest, " \t"); i >= 0 {
		rest = rest[:i]
	}
	return key + "=" + rest, rest
}
