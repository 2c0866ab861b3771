package lint

import (
	"bytes"
	"sort"
	"unicode"
	"unicode/utf8"
)

// span is a range of byte offsets.
type span struct{ start, end int }

// spans are in order of their start and do not overlap.
type spans []span

// find returns the span around an offset.
func (s spans) find(at int) (span, bool) {
	i := sort.Search(len(s), func(i int) bool { return s[i].start > at }) - 1
	if i < 0 || at >= s[i].end {
		return span{}, false
	}
	return s[i], true
}

// holds reports whether one span holds the whole range.
func (s spans) holds(start, end int) bool {
	found, ok := s.find(start)
	return ok && end <= found.end
}

// quoting says where a Markdown text quotes. It follows the forms closely enough
// for a scan and needs no parser: fences, code spans, block quotes and quotation
// marks within one paragraph, and comments, which readers never see.
type quoting struct {
	code, blocks, marks, comments spans
	body                          int // offset after the front matter, where quoting starts to mean something
}

// quoted reports whether a range is quoted.
func (c *quoting) quoted(start, end int) bool {
	return c.code.holds(start, end) || c.blocks.holds(start, end) || c.marks.holds(start, end)
}

// hidden reports whether a range stands in a comment that is not itself shown as
// code.
func (c *quoting) hidden(start, end int) bool {
	return c.comments.holds(start, end) && !c.code.holds(start, end)
}

// newQuoting reads a text once, line by line.
func newQuoting(text []byte) *quoting {
	c := &quoting{body: frontMatterEnd(text)}
	r := quotingReader{quoting: c, text: text, paragraph: c.body}
	for at := c.body; at < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		r.line(at, end)
		at = end
	}
	r.endParagraph(len(text))
	if r.fence != 0 {
		c.code = append(c.code, span{r.fenceStart, len(text)})
	}
	r.findComments()
	return c
}

// frontMatterEnd returns the offset after a leading block between two lines
// "---"; 0 when there is none. Quotation marks in it are YAML, not speech.
func frontMatterEnd(text []byte) int {
	if !bytes.HasPrefix(text, []byte("---\n")) {
		return 0
	}
	if i := bytes.Index(text, []byte("\n---\n")); i >= 0 {
		return i + 5
	}
	if bytes.HasSuffix(text, []byte("\n---")) {
		return len(text)
	}
	return 0
}

// quotingReader walks the lines of a text.
type quotingReader struct {
	*quoting
	text       []byte
	paragraph  int  // where the open paragraph starts
	fence      byte // character of the open fence; 0 outside
	fenceLen   int
	fenceStart int
}

// line takes in text[at:end], one line with its line end.
func (r *quotingReader) line(at, end int) {
	inner := bytes.TrimLeft(r.text[at:end], " \t>")
	mark, n := fenceMark(inner)
	switch {
	case r.fence != 0:
		if mark == r.fence && n >= r.fenceLen && len(bytes.TrimSpace(inner[n:])) == 0 {
			r.code = append(r.code, span{r.fenceStart, end})
			r.fence = 0
			r.paragraph = end
		}
		return
	case mark != 0:
		r.endParagraph(at)
		r.fence, r.fenceLen, r.fenceStart = mark, n, at
		return
	}
	if len(bytes.TrimSpace(r.text[at:end])) == 0 {
		r.endParagraph(at)
		r.paragraph = end
		return
	}
	if isBlockQuote(r.text[at:end]) {
		if n := len(r.blocks); n > 0 && r.blocks[n-1].end == at {
			r.blocks[n-1].end = end
		} else {
			r.blocks = append(r.blocks, span{at, end})
		}
	}
}

// fenceMark returns the character and length of a fence that a line opens or
// closes; 0 when it is no fence.
func fenceMark(line []byte) (mark byte, n int) {
	if len(line) < 3 || line[0] != '`' && line[0] != '~' {
		return 0, 0
	}
	for n < len(line) && line[n] == line[0] {
		n++
	}
	if n < 3 || line[0] == '`' && bytes.IndexByte(line[n:], '`') >= 0 {
		return 0, 0
	}
	return line[0], n
}

func isBlockQuote(line []byte) bool {
	line = bytes.TrimLeft(line, " ")
	return len(line) > 0 && line[0] == '>'
}

// endParagraph looks for code spans and quotation marks in text[paragraph:end].
func (r *quotingReader) endParagraph(end int) {
	if start := r.paragraph; start < end {
		r.codeSpans(start, end)
		r.quotations(start, end)
	}
	r.paragraph = end
}

// codeSpans pairs runs of backticks of equal length. Each run looks up the next
// of its length, so the work is linear in the paragraph.
func (r *quotingReader) codeSpans(start, end int) {
	var runs []span
	for i := start; i < end; i++ {
		if r.text[i] != '`' {
			continue
		}
		first := i
		for i < end && r.text[i] == '`' {
			i++
		}
		runs = append(runs, span{first, i})
	}
	next := make([]int, len(runs))
	last := map[int]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		n := runs[i].end - runs[i].start
		next[i] = last[n]
		last[n] = i
	}
	for i := 0; i < len(runs); i++ {
		if closer := next[i]; closer > i {
			r.code = append(r.code, span{runs[i].start, runs[closer].end})
			i = closer
		}
	}
}

// maxQuotation is the longest text in quotation marks that counts as quoted, in
// bytes; a quotation that never ends is no quotation.
const maxQuotation = 1000

// quotations pairs quotation marks. A mark opens where a word may start and
// closes where one may end, which keeps apostrophes and inches apart from it.
func (r *quotingReader) quotations(start, end int) {
	open := map[rune]int{} // where a quotation that this mark closes began
	before := ' '
	var found spans
	for i := start; i < end; {
		c, size := utf8.DecodeRune(r.text[i:end])
		after, _ := utf8.DecodeRune(r.text[i+size : end])
		if i+size >= end {
			after = ' '
		}
		if from, ok := open[c]; ok && closes(c, before, after) {
			if i-from <= maxQuotation {
				found = append(found, span{from, i + size})
			}
			delete(open, c)
		} else if closer := closerOf(c); closer != 0 && opens(c, before, after) {
			if from, ok := open[closer]; !ok || i-from > maxQuotation {
				open[closer] = i
			}
		}
		before = c
		i += size
	}
	r.marks = append(r.marks, outermost(found)...)
}

// closerOf returns the mark that ends a quotation begun with c; 0 for none.
func closerOf(c rune) rune {
	switch c {
	case '"', '\'':
		return c
	case '“':
		return '”'
	case '„':
		return '“'
	case '‘', '‚':
		return '’'
	case '«':
		return '»'
	case '»':
		return '«'
	case '‹':
		return '›'
	case '「':
		return '」'
	case '『':
		return '』'
	}
	return 0
}

func wordRune(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// opens reports whether a mark between two characters may begin a quotation.
func opens(c, before, after rune) bool {
	if c == '"' || c == '\'' {
		return !wordRune(before) && !unicode.IsSpace(after)
	}
	return true
}

// closes reports whether a mark between two characters may end one.
func closes(c, before, after rune) bool {
	switch c {
	case '"', '\'', '’':
		return !unicode.IsSpace(before) && !wordRune(after)
	}
	return true
}

// outermost drops spans that lie in another one or cross it. They come in order
// of their ends.
func outermost(found spans) spans {
	sort.SliceStable(found, func(i, j int) bool { return found[i].start < found[j].start })
	var kept spans
	for _, s := range found {
		if n := len(kept); n == 0 || s.start >= kept[n-1].end {
			kept = append(kept, s)
		}
	}
	return kept
}

// findComments finds the HTML comments; one without an end runs to the end. Behind
// a backslash none begins.
func (r *quotingReader) findComments() {
	for at := 0; ; {
		i := bytes.Index(r.text[at:], []byte("<!--"))
		if i < 0 {
			return
		}
		start, end := at+i, len(r.text)
		if before := r.text[at:start]; (len(before)-len(bytes.TrimRight(before, `\\`)))%2 == 1 {
			at = start + 1
			continue
		}
		if i = bytes.Index(r.text[start+4:], []byte("-->")); i >= 0 {
			end = start + 4 + i + 3
		}
		r.comments = append(r.comments, span{start, end})
		at = end
	}
}
