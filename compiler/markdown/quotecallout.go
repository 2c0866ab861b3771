package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// calloutAttribute is the attribute of a block quote that is a callout.
const calloutAttribute = "callout"

// CalloutOf returns what a node is as a callout; nil if it is not one.
func CalloutOf(n ast.Node) *Callout {
	switch n := n.(type) {
	case *CalloutNode:
		return &n.Callout
	case *ast.Blockquote:
		if n.Attributes() != nil {
			if v, ok := n.AttributeString(calloutAttribute); ok {
				c, _ := v.(*Callout)
				return c
			}
		}
	}
	return nil
}

// quoteCallout turns a block quote that starts with "[!NOTE]" into a callout.
type quoteCallout struct{}

// Transform implements parser.ParagraphTransformer.
func (quoteCallout) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	if node.Lines().Len() == 0 || node.Parent() == nil {
		return
	}
	first := node.Lines().At(0)
	line := first.Value(reader.Source())
	quote, ok := node.Parent().(*ast.Blockquote)
	if !ok || node.PreviousSibling() != nil {
		return
	}
	indent := len(line) - len(bytes.TrimLeft(line, " \t"))
	c, size := readCalloutHead(line[indent:])
	if size == 0 {
		return
	}
	quote.SetAttributeString(calloutAttribute, c)
	start := first.Start + indent + size - first.Padding
	stop := first.Stop
	source := reader.Source()
	for start < stop && (source[start] == ' ' || source[start] == '\t') {
		start++
	}
	for stop > start && util.IsSpace(source[stop-1]) {
		stop--
	}
	if c.Title = stop > start; c.Title {
		quote.InsertBefore(quote, node, titleAt(start, stop))
	}
	lines := text.NewSegments()
	for i := 1; i < node.Lines().Len(); i++ {
		lines.Append(node.Lines().At(i))
	}
	node.SetLines(lines)
	if lines.Len() == 0 {
		quote.RemoveChild(quote, node)
	}
}

// readCalloutHead reads the "[!kind]" that starts a line, with its fold mark, and
// returns its length; 0 when there is none.
func readCalloutHead(line []byte) (*Callout, int) {
	if !bytes.HasPrefix(line, []byte("[!")) {
		return nil, 0
	}
	end := bytes.IndexByte(line, ']')
	if end < 0 || end > maxKind {
		return nil, 0
	}
	kind, _, _ := strings.Cut(string(line[2:end]), "|") // Obsidian: metadata
	kind = strings.ToLower(strings.TrimSpace(kind))
	if !isKind(kind) {
		return nil, 0
	}
	c := &Callout{Kind: kind}
	size := end + 1
	if size < len(line) && (line[size] == '+' || line[size] == '-') {
		c.Fold = line[size]
		size++
	}
	if size < len(line) && !util.IsSpace(line[size]) {
		return nil, 0
	}
	return c, size
}
