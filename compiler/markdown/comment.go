package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Comments are not shown:
//
//	text %%a comment%% text                     Obsidian
//
//	%%
//	a comment of several blocks
//	%%
//
//	text {/* a comment */}                      MDX; {{/* a comment */}} of Hugo
//	## A heading {/* #its-id */}
//	{% comment %} text {% endcomment %}         Jekyll; {{< comment >}} of Hugo
//	text {# a comment #}                        Jinja, of the macros of MkDocs
//	{::comment} text {:/comment}                kramdown
//	<!-- a comment --> text                     HTML, whose text is a paragraph here
//	<p hidden>text</p>                          HTML, an element that is not shown

// The node kinds of comments.
var (
	kindComment      = ast.NewNodeKind("Comment")
	kindCommentBlock = ast.NewNodeKind("CommentBlock")
)

// Comment is a comment in a paragraph, or another mark that is not shown, which has no
// place.
type Comment struct {
	ast.BaseInline
	start, end int // offsets
}

// Kind returns kindComment.
func (n *Comment) Kind() ast.NodeKind { return kindComment }

// Dump prints the node for debugging.
func (n *Comment) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// CommentBlock is a comment on lines of its own, or one with blank lines in it.
type CommentBlock struct {
	ast.BaseBlock
	start, end int // offsets; of its last line only the comment is part of it
}

// Kind returns kindCommentBlock.
func (n *CommentBlock) Kind() ast.NodeKind { return kindCommentBlock }

// IsRaw reports that the lines are not to be parsed.
func (n *CommentBlock) IsRaw() bool { return true }

// Dump prints the node for debugging.
func (n *CommentBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// commentMarks are how comments begin and end.
var commentMarks = []struct{ open, end string }{{"%%", "%%"}, {"{/*", "*/}"}, {"{{/*", "*/}}"}, {"{{- /*", "*/ -}}"}, {"<!--", "-->"}, {"<?", "?>"}}

var commentMark = []byte("%%")

// kramdownComment begins a comment of kramdown, the Markdown of Jekyll. It ends with
// {:/comment} or {:/}.
const kramdownComment = "{::comment}"

// parseComment reads a Comment. One word between the marks of Obsidian is a comment in
// its notes alone: other systems write a variable so.
func parseComment(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	switch line[0] {
	case '{':
		return bracedComment(parent, block, pc)
	case '<':
		return hiddenInline(block, pc)
	}
	before := block.PrecendingCharacter()
	if !bytes.HasPrefix(line, commentMark) || before < 0x80 && util.IsAlphaNumeric(byte(before)) {
		return nil
	}
	saved, position := block.Position()
	start := segment.Start
	block.Advance(len(commentMark))
	space := stateOf(pc).isVault()
	for {
		line, segment = block.PeekLine()
		if line == nil {
			break
		}
		end := bytes.Index(line, commentMark)
		inside := line
		if end >= 0 {
			inside = line[:end]
		}
		space = space || bytes.ContainsAny(inside, " \t\n")
		if end < 0 {
			block.AdvanceLine()
			continue
		}
		after := end + len(commentMark)
		if !space || after < len(line) && util.IsAlphaNumeric(line[after]) {
			break
		}
		block.Advance(after)
		return &Comment{start: start, end: segment.Start + after}
	}
	block.SetPosition(saved, position)
	return nil
}

// hiddenInline reads an element in a paragraph that is not shown. It ends with its paragraph.
func hiddenInline(block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	start := segment.Start
	end, ok := stateOf(pc).comments.elements()[start]
	if !ok {
		return nil
	}
	stop := start
	for line != nil && (end == 0 || segment.Start < end) {
		stop = segment.Stop
		if end > 0 {
			stop = min(end, stop)
		}
		block.Advance(stop - segment.Start)
		line, segment = block.PeekLine()
	}
	return &Comment{start: start, end: stop}
}

// bracedEnd returns how a comment in braces that a line starts with begins and ends;
// "" when none does.
func bracedEnd(line []byte) (open, end string) {
	for _, mark := range commentMarks[1:4] {
		if bytes.HasPrefix(line, []byte(mark.open)) {
			return mark.open, mark.end
		}
	}
	if bytes.HasPrefix(line, []byte(kramdownComment)) {
		return kramdownComment, "{:/"
	}
	if isJinjaComment(line) {
		return "{#", "#}"
	}
	t, ok := readTag(line)
	if !ok {
		return "", ""
	}
	open = string(line[:t.size])
	switch {
	case t.name == "#" && bytes.HasPrefix(line, []byte("{%")): // of one line, in the tag itself
		return open[:2], "%}"
	case t.name != "comment":
		return "", ""
	case t.closer == "endcomment":
		return open, "endcomment"
	}
	return open, "/comment"
}

// isJinjaComment reports a line that starts with a comment of Jinja. What has no space after
// its mark may be the id of a heading, {#id}.
func isJinjaComment(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("{#")) || len(line) < 3 {
		return false
	}
	close := bytes.IndexByte(line, '}')
	return util.IsSpace(line[2]) || line[2] == '-' || close > 2 && line[close-1] == '#'
}

// endOf returns the offset after a comment whose inside starts a text; -1 when it does
// not end there. The end of a tag may have white space and dashes around its name.
func endOf(inside []byte, end string) int {
	at := bytes.Index(inside, []byte(end))
	if at < 0 {
		return -1
	}
	at += len(end)
	switch end {
	case "endcomment", "/comment", "{:/":
		close := bytes.IndexByte(inside[at:min(len(inside), at+maxTagEnd)], '}')
		if close < 0 {
			return -1
		}
		if at += close + 1; at < len(inside) && inside[at] == '}' {
			at++
		}
	}
	return at
}

// maxTagEnd is how far the end of a tag is from its name, in bytes.
const maxTagEnd = 16

// bracedComment reads {/* a comment */}, which may give a heading its id, and its like.
func bracedComment(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	start := segment.Start
	open, mark := bracedEnd(line)
	if open == "" {
		return nil
	}
	unended := stateOf(pc).comments.open
	if start < unended[mark] {
		return nil
	}
	saved, position := block.Position()
	block.Advance(len(open))
	for last := segment; ; {
		line, segment = block.PeekLine()
		if line == nil {
			block.SetPosition(saved, position)
			unended[mark] = last.Stop
			return nil
		}
		if end := endOf(line, mark); end >= 0 {
			block.Advance(end)
			if id := headingID(parent, line, end, open); id != "" && last.Start == start {
				return &Attributes{ID: id}
			}
			return &Comment{start: start, end: segment.Start + end}
		}
		last = segment
		block.AdvanceLine()
	}
}

// headingID is the id that a comment {/* #id */} at the end of a heading gives it; "" when
// it is another comment.
func headingID(parent ast.Node, inside []byte, end int, open string) string {
	if parent.Kind() != ast.KindHeading || open != "{/*" || !util.IsBlank(inside[end:]) {
		return ""
	}
	id := bytes.TrimSpace(inside[:end-len("*/}")])
	if len(id) < 2 || id[0] != '#' || bytes.ContainsAny(id, " \t") {
		return ""
	}
	return string(id[1:])
}
