package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Comments of Obsidian and of MDX are not shown:
//
//	text %%a comment%% text
//
//	%%
//	a comment of several blocks
//	%%
//
//	text {/* a comment */}
//	## A heading {/* #its-id */}

// The node kinds of comments.
var (
	kindComment      = ast.NewNodeKind("Comment")
	kindCommentBlock = ast.NewNodeKind("CommentBlock")
)

// Comment is a comment in a paragraph.
type Comment struct{ ast.BaseInline }

// Kind returns kindComment.
func (n *Comment) Kind() ast.NodeKind { return kindComment }

// Dump prints the node for debugging.
func (n *Comment) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// CommentBlock is a comment between two lines "%%".
type CommentBlock struct{ ast.BaseBlock }

// Kind returns kindCommentBlock.
func (n *CommentBlock) Kind() ast.NodeKind { return kindCommentBlock }

// IsRaw reports that the lines are not to be parsed.
func (n *CommentBlock) IsRaw() bool { return true }

// Dump prints the node for debugging.
func (n *CommentBlock) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

var commentMark = []byte("%%")

// commentParser reads a Comment. One word between the marks is a comment in a note of
// Obsidian alone: other systems write a variable so.
type commentParser struct{}

// Trigger implements parser.InlineParser.
func (commentParser) Trigger() []byte { return []byte{'%', '{'} }

// Parse implements parser.InlineParser.
func (commentParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, _ := block.PeekLine()
	if line[0] == '{' {
		return bracedComment(parent, block, pc)
	}
	if !bytes.HasPrefix(line, commentMark) || before < 0x80 && util.IsAlphaNumeric(byte(before)) {
		return nil
	}
	saved, position := block.Position()
	block.Advance(len(commentMark))
	space := isVault(block.Source(), pc)
	for {
		line, _ = block.PeekLine()
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
		return &Comment{}
	}
	block.SetPosition(saved, position)
	return nil
}

// bracedKey is where a document keeps the offset before which no comment in braces ends.
var bracedKey = parser.NewContextKey()

// bracedComment reads {/* a comment */}, which may give a heading its id.
func bracedComment(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	inside, ok := bytes.CutPrefix(line, []byte("{/*"))
	if open, known := pc.Get(bracedKey).(int); !ok || known && segment.Start < open {
		return nil
	}
	if id, rest, ends := bytes.Cut(inside, []byte("*/}")); ends {
		block.Advance(len(line) - len(rest))
		id = bytes.TrimSpace(id)
		if parent.Kind() == ast.KindHeading && util.IsBlank(rest) && len(id) > 1 && id[0] == '#' && !bytes.ContainsAny(id, " \t") {
			return &Attributes{ID: string(id[1:])}
		}
		return &Comment{}
	}
	saved, position := block.Position()
	for last := segment; ; {
		block.AdvanceLine()
		if line, segment = block.PeekLine(); line == nil {
			block.SetPosition(saved, position)
			pc.Set(bracedKey, last.Stop)
			return nil
		}
		if _, rest, ends := bytes.Cut(line, []byte("*/}")); ends {
			block.Advance(len(line) - len(rest))
			return &Comment{}
		}
		last = segment
	}
}

// commentBlockParser reads a CommentBlock. Without its second line it is text.
type commentBlockParser struct{ plainBlock }

// Trigger implements parser.BlockParser.
func (commentBlockParser) Trigger() []byte { return []byte{'%'} }

// commentsKey is where a document keeps the offset of its last line "%%".
var commentsKey = parser.NewContextKey()

// Open implements parser.BlockParser.
func (commentBlockParser) Open(_ ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	if at := pc.BlockOffset(); at < 0 || !bytes.Equal(bytes.TrimSpace(line[at:]), commentMark) {
		return nil, parser.NoChildren
	}
	last, known := pc.Get(commentsKey).(int)
	if !known {
		last = lastCommentLine(reader.Source())
		pc.Set(commentsKey, last)
	}
	if segment.Start >= last {
		return nil, parser.NoChildren
	}
	return &CommentBlock{}, parser.NoChildren
}

// lastCommentLine returns the offset of the last line that is a mark alone, or is in a
// quote or a list; -1 when there is none.
func lastCommentLine(source []byte) int {
	for end := len(source); end > 0; {
		at := bytes.LastIndex(source[:end], commentMark)
		if at < 0 {
			return -1
		}
		from := bytes.LastIndexByte(source[:at], '\n') + 1
		to := at + len(commentMark)
		for to < len(source) && source[to] != '\n' {
			to++
		}
		if bytes.Equal(bytes.Trim(source[from:to], " \t\r>"), commentMark) {
			return from
		}
		end = from
	}
	return -1
}

// Continue implements parser.BlockParser.
func (commentBlockParser) Continue(_ ast.Node, reader text.Reader, _ parser.Context) parser.State {
	line, _ := reader.PeekLine()
	if bytes.Equal(bytes.TrimSpace(line), commentMark) {
		skipLine(reader)
		return parser.Close
	}
	return parser.Continue | parser.NoChildren
}
