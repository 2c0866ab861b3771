package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/packgen/packgen/compiler/htmltag"
)

// MkDocs and Kramdown read Markdown in elements that ask for it:
//
//	<div class="grid" markdown>
//	  ![Picture](a.png)
//	</div>
//
// Such a tag alone on its line, and the one that closes it, are blocks of their own, so that
// what is between them is Markdown. One with text after it starts a paragraph.

// openMarkdownTag reads the lines of such tags.
func openMarkdownTag(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	open := stateOf(pc).tags.markdown
	if len(open) == 0 && !bytes.Contains(line[:min(len(line), maxTag)], []byte("markdown")) {
		return nil, parser.NoChildren
	}
	t, ok := lineTag(line, pc)
	if !ok || !util.IsBlank(line[t.End:]) {
		return nil, parser.NoChildren
	}
	switch {
	case t.Kind == htmltag.Open && asksForMarkdown(&t):
		open[t.Name]++
	case t.Kind == htmltag.Close && open[t.Name] > 0:
		open[t.Name]--
	default:
		return nil, parser.NoChildren
	}
	n := ast.NewHTMLBlock(ast.HTMLBlockType6)
	n.Lines().Append(segment)
	skipLine(reader)
	return n, parser.NoChildren
}

// lineTag reads the tag that a line starts with.
func lineTag(line []byte, pc parser.Context) (t htmltag.Token, ok bool) {
	at := pc.BlockOffset()
	if at < 0 || len(line) < at+3 || line[at] != '<' {
		return t, false
	}
	t = htmltag.Next(line, at)
	return t, t.Kind == htmltag.Open || t.Kind == htmltag.Close
}

// asksForMarkdown reports a tag with the attribute "markdown".
func asksForMarkdown(t *htmltag.Token) bool {
	value, ok := t.Get("markdown")
	return ok && value != "0"
}

// isMarkdownLine reports an HTML block that is to be a paragraph: its element asks for
// Markdown, and text follows the tag.
func isMarkdownLine(_ ast.Node, reader text.Reader, pc parser.Context) bool {
	line, _ := reader.PeekLine()
	if !bytes.Contains(line[:min(len(line), maxTag)], []byte("markdown")) {
		return false
	}
	t, ok := lineTag(line, pc)
	return ok && t.Kind == htmltag.Open && asksForMarkdown(&t)
}

// htmlBlock reads HTML blocks, which end before the tag that closes an element with
// Markdown around them, and do not end at a blank line in a comment. It hides the rest of an
// element that is not shown, after its block.
type htmlBlock struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (p htmlBlock) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	n, state := p.BlockParser.Open(parent, reader, pc)
	if n != nil {
		stateOf(pc).comments.hideFrom(line, segment)
	}
	return n, state
}

// Continue implements parser.BlockParser.
func (p htmlBlock) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	line, segment := reader.PeekLine()
	if open := stateOf(pc).tags.markdown; len(open) > 0 {
		trimmed := bytes.TrimSpace(line)
		if len(trimmed) > 3 && trimmed[1] == '/' {
			t := htmltag.Next(trimmed, 0)
			if t.Kind == htmltag.Close && t.End == len(trimmed) && open[t.Name] > 0 && !opens(node, reader.Source(), t.Name) {
				return parser.Close
			}
		}
	}
	if segment.Start < commentEnd(node, reader, pc) {
		node.Lines().Append(segment)
		skipLine(reader)
		return parser.Continue | parser.NoChildren
	}
	state := p.BlockParser.Continue(node, reader, pc)
	if state&parser.Continue != 0 {
		stateOf(pc).comments.hideFrom(line, segment)
	}
	return state
}

// noComment stands for no comment that ends in the rest of the document.
const noComment = -1

// commentEnd is the end of the comment that an HTML block is in at a blank line, which
// would end the block; 0 when it is in none, or the comment has no end.
func commentEnd(node ast.Node, reader text.Reader, pc parser.Context) int {
	line, segment := reader.PeekLine()
	tags := &stateOf(pc).tags
	end := tags.comment
	block, ok := node.(*ast.HTMLBlock)
	if segment.Start < end || end == noComment || !ok || block.HTMLBlockType < ast.HTMLBlockType6 || !util.IsBlank(line) || node.Lines().Len() == 0 {
		return end
	}
	source := reader.Source()
	before := source[node.Lines().At(0).Start:segment.Start]
	open := bytes.LastIndex(before, []byte("<!--"))
	if open < 0 || bytes.Contains(before[open:], []byte("-->")) {
		return 0
	}
	i := bytes.Index(source[segment.Start:], []byte("-->"))
	if i < 0 {
		tags.comment = noComment
		return 0
	}
	tags.comment = segment.Start + i
	return tags.comment
}

// opens reports whether an HTML block opens more elements of a name than it closes. Of a
// long block only the first lines are read.
func opens(node ast.Node, source []byte, name string) bool {
	depth := 0
	for i := range min(node.Lines().Len(), 200) {
		segment := node.Lines().At(i)
		line := bytes.ToLower(segment.Value(source))
		depth += bytes.Count(line, []byte("<"+name)) - bytes.Count(line, []byte("</"+name))
	}
	return depth > 0
}
