package markdown

import (
	"bytes"
	"regexp"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/packgen/packgen/compiler/htmltag"
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

// openComment reads a CommentBlock: a comment at the start of a line that is alone
// on its lines, or has blank lines in it, which a paragraph has not. It does not end
// with its list item or quote. Without its end it is text. A comment of HTML is
// an HTML block where nothing follows it on its last line.
func openComment(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	search := &stateOf(pc).comments
	if segment.Start < search.until { // its list item has ended
		skipLine(reader)
		return &CommentBlock{start: segment.Start, end: search.until}, parser.NoChildren
	}
	at := pc.BlockOffset()
	if at >= 0 && pc.BlockIndent() <= 3 && line[at] != '<' {
		search.hideFrom(line, segment)
	}
	if at < 0 || pc.BlockIndent() > 3 || line[at] != '%' && line[at] != '{' && line[at] != '<' {
		return nil, parser.NoChildren
	}
	start := segment.Start - segment.Padding + at
	if isLineComment(line[at:], pc) {
		skipLine(reader)
		return &CommentBlock{start: start, end: segment.Start + len(bytes.TrimRight(line, "\n"))}, parser.NoChildren
	}
	end := search.block(start, line[at:], parent, pc)
	if end < 0 {
		return nil, parser.NoChildren
	}
	skipLine(reader)
	return &CommentBlock{start: start, end: end}, parser.NoChildren
}

// continueComment reads the lines that follow. What follows the comment on its last line is
// read as a line.
func continueComment(node ast.Node, reader text.Reader, _ parser.Context) parser.State {
	n := node.(*CommentBlock)
	line, segment := reader.PeekLine()
	switch {
	case segment.Start >= n.end:
		return parser.Close
	case n.end >= segment.Stop || util.IsBlank(line[min(len(line), n.end-segment.Start+segment.Padding):]):
		skipLine(reader)
		return parser.Continue | parser.NoChildren
	}
	reader.Advance(n.end - segment.Start + segment.Padding)
	return parser.Close
}

// isLineComment reports a comment of MyST: a line after %.
func isLineComment(line []byte, pc parser.Context) bool {
	return line[0] == '%' && !bytes.HasPrefix(line, commentMark) && !bytes.HasPrefix(line, []byte("%}")) && stateOf(pc).isMyST()
}

// comments finds where comments end. It remembers what it has found, so that a
// document of marks is read once.
type comments struct {
	source []byte
	until  int            // the end of the last block, where nothing follows it on its line
	from   map[string]int // by mark: from here to ends no comment ends
	ends   map[string]int // by mark: the next end; after the source, when none is
	open   map[string]int // by mark: before here ends no comment of a paragraph
	blank  int            // of the next blank line
	looked int            // from here on
	hidden map[int]int    // what hiddenElements finds, once read is true
	read   bool
}

// block returns the end of the comment that starts there, when it is a block; -1 for
// anything else.
func (s *comments) block(start int, line []byte, parent ast.Node, pc parser.Context) int {
	if line[0] == '%' {
		return s.percents(start, line, pc)
	}
	if end := s.element(start, pc); line[0] == '<' && end > 0 {
		return end
	}
	open, mark := s.opening(line)
	if open == "" {
		return -1
	}
	end := s.end(start, len(open), mark)
	if end < 0 {
		return -1
	}
	alone := startsBlank(s.source[end:])
	_, inDocument := parent.(*ast.Document)
	switch {
	case line[0] == '<' && alone: // an HTML block, which would end with its list item
		if inDocument || end <= start+len(line) || bytes.Contains(s.source[start+1:end], []byte("<!--")) {
			return -1
		}
	case !s.spansBlank(start, end) && (!alone || ast.IsParagraph(pc.LastOpenedBlock().Node)):
		return -1
	}
	if alone {
		s.until = end
	}
	return end
}

// elements returns what [hiddenElements] finds in the document.
func (s *comments) elements() map[int]int {
	if !s.read {
		s.hidden, s.read = hiddenElements(s.source), true
	}
	return s.hidden
}

// element returns the end of an element that is not shown, where it starts a line that is
// not part of a paragraph; 0 for anything else. A paragraph that is never closed ends at a
// blank line, any other element with the document.
func (s *comments) element(start int, pc parser.Context) int {
	end, ok := s.elements()[start]
	if !ok {
		return 0
	}
	name := htmltag.Next(s.source, start).Name
	if end == 0 {
		end = len(s.source)
		if s.spansBlank(start, end) && optionalEnd().MatchString(name) {
			end = s.blank
		}
	}
	last := pc.LastOpenedBlock().Node
	if last != nil && ast.IsParagraph(last) && !blockElement().MatchString(name) && !s.spansBlank(start, end) {
		return 0
	}
	if startsBlank(s.source[end:]) {
		s.until = end
	}
	return end
}

// optionalEnd matches elements that end without a closing tag.
var optionalEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:dd|dt|li|option|p|td|th|tr)$`)
})

// blockElement matches the elements that end a paragraph.
var blockElement = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:address|article|aside|blockquote|center|details|dialog|dd|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)$`)
})

// hideFrom looks in a line for an element that is not shown, and that continues after a blank
// line: what is parsed of it from there on is a CommentBlock. Code between backquotes is text.
func (s *comments) hideFrom(line []byte, segment text.Segment) {
	if !mayHideElement(line) {
		return
	}
	for at := segment.Start; at < segment.Stop; {
		t := htmltag.Next(s.source, at)
		at = t.End
		end := s.elements()[t.Start]
		if end > segment.Stop && s.spansBlank(t.Start, end) && bytes.Count(s.source[segment.Start:t.Start], []byte("`"))%2 == 0 {
			s.until, at = max(s.until, end), end
		}
	}
}

// opening returns how a comment that a line starts with begins and ends; "" when none does.
func (s *comments) opening(line []byte) (open, mark string) {
	if line[0] == '{' {
		return bracedEnd(line)
	}
	for _, m := range commentMarks[4:] {
		if bytes.HasPrefix(line, []byte(m.open)) && !bytes.HasPrefix(line, []byte("<!-->")) && !bytes.HasPrefix(line, []byte("<!--->")) && Include(line) == "" {
			return m.open, m.end
		}
	}
	return "", ""
}

// end returns the offset after the first mark that ends a comment from there.
func (s *comments) end(start, skip int, mark string) int {
	from, known := s.from[mark]
	if !known || start < from || start >= s.ends[mark] {
		at := endOf(s.source[min(start+skip, len(s.source)):], mark)
		if at < 0 {
			at = 1 << 62
		}
		s.from[mark], s.ends[mark] = start, start+skip+at
	}
	if s.ends[mark] > len(s.source) || s.ends[mark] < start+skip {
		return -1
	}
	return s.ends[mark]
}

// spansBlank reports a blank line in a slice; the marks of a quote are blank.
func (s *comments) spansBlank(start, end int) bool {
	if start < s.looked || start >= s.blank {
		s.looked, s.blank = start, len(s.source)
		for at := start; at < len(s.source); {
			i := bytes.IndexByte(s.source[at:], '\n')
			if i < 0 {
				break
			}
			at += i + 1
			line, _, _ := bytes.Cut(s.source[at:], []byte("\n"))
			if len(bytes.Trim(line, " \t>")) == 0 {
				s.blank = at
				break
			}
		}
	}
	return s.blank < end
}

// percents returns the end of a comment of Obsidian: after the next mark that starts or
// ends a line, where an even number of fences is between the two.
func (s *comments) percents(start int, line []byte, pc parser.Context) int {
	if !bytes.HasPrefix(line, commentMark) || start < s.from["%%"] {
		return -1
	}
	rest := line[len(commentMark):]
	alone := util.IsBlank(rest)
	if !alone && (bytes.Contains(rest, commentMark) || rest[0] != ' ' && rest[0] != '\t' && !stateOf(pc).isVault()) {
		return -1
	}
	fences := 0
	for at := start + len(line); at < len(s.source); {
		next := len(s.source)
		if i := bytes.IndexByte(s.source[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		text := bytes.Trim(s.source[at:next], " \t\r\n>")
		switch {
		case bytes.HasPrefix(text, []byte("```")), bytes.HasPrefix(text, []byte("~~~")):
			fences++
		case bytes.HasPrefix(text, commentMark) && fences%2 == 0:
			end := at + bytes.Index(s.source[at:next], commentMark) + len(commentMark)
			return s.percentsEnd(start, end, alone)
		case bytes.HasSuffix(text, commentMark) && fences%2 == 0:
			return s.percentsEnd(start, at+bytes.LastIndex(s.source[at:next], commentMark)+len(commentMark), alone)
		}
		at = next
	}
	s.from["%%"] = len(s.source) // no other one ends
	return -1
}

// percentsEnd returns the end of such a comment, unless a paragraph can hold it.
func (s *comments) percentsEnd(start, end int, alone bool) int {
	if !alone && !s.spansBlank(start, end) {
		return -1
	}
	if startsBlank(s.source[end:]) {
		s.until = end
	}
	return end
}

// textFollows reports an HTML block that is to be words of a paragraph: a comment, or
// another instruction that is not shown, with text after it on its last line.
func textFollows(_ ast.Node, reader text.Reader, pc parser.Context) bool {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	search := &stateOf(pc).comments
	if at < 0 || len(line) < at+2 || line[at+1] != '!' && line[at+1] != '?' {
		return false
	}
	open, mark := search.opening(line[at:])
	if open == "" && line[at+1] == '!' && !bytes.HasPrefix(line[at:], []byte("<!--")) {
		if open, mark = "<!", ">"; bytes.HasPrefix(line[at:], []byte("<![CDATA[")) {
			mark = "]]>"
		}
	}
	if open == "" {
		return false
	}
	start := segment.Start - segment.Padding + at
	end := search.end(start, len(open), mark)
	if end < 0 || search.spansBlank(start, end) {
		return false
	}
	rest, _, _ := bytes.Cut(search.source[end:], []byte("\n"))
	rest = bytes.TrimSpace(rest)
	return len(rest) > 0 && rest[0] != '<'
}
