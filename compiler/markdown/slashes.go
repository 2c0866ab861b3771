package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// slashKinds are the kinds of callouts of blocks between slashes, beside those of
// templateNotes:
//
//	/// details | Title
//	    type: warning
//
//	Text.
//	///
var slashKinds = map[string]string{
	"admonition": "note", "details": "details", "tab": "tab", "caption": "caption", "figure-caption": "caption", "table-caption": "caption",
	"html": "container", "define": "container", "abstract": "abstract", "bug": "bug", "failure": "failure", "quote": "quote", "summary": "summary",
}

// openSlashes reads the head of a block between slashes.
func openSlashes(line []byte, at int, parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	_, segment := reader.PeekLine()
	n := &CalloutNode{sign: '/', options: true}
	n.fence = countByte(line[at:], '/')
	head := line[at+n.fence:]
	if n.fence < 3 || len(head) == 0 || head[0] != ' ' {
		return nil, parser.NoChildren
	}
	name, title, titled := bytes.Cut(head, []byte("|"))
	kind := strings.ToLower(string(bytes.TrimSpace(name)))
	known, ok := slashKinds[kind]
	if ok {
		kind = known
	}
	if !ok && !slices.Contains(templateNotes, kind) || !stateOf(pc).closes("/", segment.Stop) || tooDeep(parent, reader, pc) {
		return nil, parser.NoChildren
	}
	n.Callout.Kind = kind
	if text := bytes.TrimSpace(title); titled && kind != "container" && kind != "caption" {
		from := segment.Start - segment.Padding + at + n.fence + len(name) + 1 + len(title) - len(bytes.TrimLeft(title, " \t\r\n"))
		n.Title = true
		n.AppendChild(n, titleAt(from, from+len(text)))
	}
	skipLine(reader)
	return n, parser.HasChildren
}

// slashOption reports a line that says how such a block looks; its type may be what the
// block is.
func (n *CalloutNode) slashOption(line []byte) bool {
	key, value, ok := strings.Cut(strings.TrimSpace(string(line)), ":")
	if !ok || !bytes.HasPrefix(line, []byte("    ")) || strings.ContainsAny(key, " *`[") {
		return false
	}
	value = strings.Trim(value, " '\"")
	switch {
	case key == "type" && n.Callout.Kind != "tab" && isKind(value):
		if n.Callout.Kind == "details" {
			n.Callout.Fold = '-'
		}
		n.Callout.Kind = strings.ToLower(value)
	case key == "open" && strings.EqualFold(value, "true"):
		n.Callout.Fold = '+'
	}
	return true
}
