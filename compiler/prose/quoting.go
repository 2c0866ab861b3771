package prose

import (
	"bytes"
	"sort"
	"unicode"
	"unicode/utf8"
)

// Span is a range of byte offsets.
type Span struct{ Start, End int }

// Spans are in order of their start and do not overlap.
type Spans []Span

// Find returns the span around an offset.
func (s Spans) Find(at int) (Span, bool) {
	i := sort.Search(len(s), func(i int) bool { return s[i].Start > at }) - 1
	if i < 0 || at >= s[i].End {
		return Span{}, false
	}
	return s[i], true
}

// Holds reports whether one span holds the whole range.
func (s Spans) Holds(start, end int) bool {
	found, ok := s.Find(start)
	return ok && end <= found.End
}

// Quoting says where a Markdown text quotes. It follows the forms closely enough
// for a scan and needs no parser: fences, code spans, block quotes and quotation
// marks within one paragraph, and comments, which readers never see.
type Quoting struct {
	Code     Spans // fences and code spans
	Fences   Spans // fences alone, from the line that opens one to the end of the line that closes it
	Comments Spans // HTML comments, those in code too

	blocks, marks Spans // block quotes, and text in quotation marks
	body          int   // offset after the front matter, where quoting starts to mean something
}

// Quoted reports whether a range is quoted.
func (c *Quoting) Quoted(start, end int) bool {
	return c.Code.Holds(start, end) || c.blocks.Holds(start, end) || c.marks.Holds(start, end)
}

// Hidden reports whether a range is in a comment that is not itself shown as
// code.
func (c *Quoting) Hidden(start, end int) bool {
	return c.Comments.Holds(start, end) && !c.Code.Holds(start, end)
}

// ReadQuoting reads a text once, line by line.
func ReadQuoting(text []byte) *Quoting {
	c := &Quoting{body: FrontMatterEnd(text)}
	r := quotingReader{Quoting: c, text: text, paragraph: c.body}
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
		c.Code = append(c.Code, Span{r.fenceStart, len(text)})
		c.Fences = append(c.Fences, Span{r.fenceStart, len(text)})
	}
	r.findComments()
	return c
}

// FrontMatterEnd returns the offset after a leading block between two lines
// "---"; 0 when there is none. Quotation marks in it are YAML, not speech.
func FrontMatterEnd(text []byte) int {
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
	*Quoting
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
			r.Code = append(r.Code, Span{r.fenceStart, end})
			r.Fences = append(r.Fences, Span{r.fenceStart, end})
			r.fence = 0
			r.paragraph = end
		}
		return
	case mark == 0:
		mark, n = fenceMark(afterBullets(inner))
	}
	if mark != 0 {
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
		if n := len(r.blocks); n > 0 && r.blocks[n-1].End == at {
			r.blocks[n-1].End = end
		} else {
			r.blocks = append(r.blocks, Span{at, end})
		}
	}
}

// afterBullets returns what follows the bullets and numbers of list items at the
// start of a line: a fence may open after them.
func afterBullets(line []byte) []byte {
	for {
		i := 0
		for i < len(line) && i < 9 && line[i] >= '0' && line[i] <= '9' {
			i++
		}
		switch {
		case i == 0 && len(line) > 1 && (line[0] == '-' || line[0] == '*' || line[0] == '+'):
		case i > 0 && i+1 < len(line) && (line[i] == '.' || line[i] == ')'):
		default:
			return line
		}
		if c := line[i+1]; c != ' ' && c != '\t' {
			return line
		}
		line = bytes.TrimLeft(line[i+1:], " \t>")
	}
}

// fenceMark returns the character and length of a fence that a line opens or
// closes; 0 when it is not a fence.
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
	var runs []Span
	for i := start; i < end; i++ {
		if r.text[i] != '`' {
			continue
		}
		first := i
		for i < end && r.text[i] == '`' {
			i++
		}
		runs = append(runs, Span{first, i})
	}
	next := make([]int, len(runs))
	last := map[int]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		n := runs[i].End - runs[i].Start
		next[i] = last[n]
		last[n] = i
	}
	for i := 0; i < len(runs); i++ {
		if closer := next[i]; closer > i {
			r.Code = append(r.Code, Span{runs[i].Start, runs[closer].End})
			i = closer
		}
	}
}

// maxQuotation is the longest text in quotation marks that counts as quoted, in
// bytes; a quotation that never ends is not a quotation.
const maxQuotation = 1000

// quotations pairs quotation marks. A mark opens where a word may start and
// closes where one may end, which keeps apostrophes and inches apart from it.
func (r *quotingReader) quotations(start, end int) {
	open := map[rune]int{} // where a quotation that this mark closes began
	before := ' '
	var found Spans
	for i := start; i < end; {
		c, size := utf8.DecodeRune(r.text[i:end])
		after, _ := utf8.DecodeRune(r.text[i+size : end])
		if i+size >= end {
			after = ' '
		}
		if from, ok := open[c]; ok && closes(c, before, after) {
			if i-from <= maxQuotation {
				found = append(found, Span{from, i + size})
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

// opens reports whether a mark between two characters may begin a quotation.
func opens(c, before, after rune) bool {
	if c == '"' || c == '\'' {
		return !IsWordRune(before) && !unicode.IsSpace(after)
	}
	return true
}

// closes reports whether a mark between two characters may end one.
func closes(c, before, after rune) bool {
	switch c {
	case '"', '\'', '’':
		return !unicode.IsSpace(before) && !IsWordRune(after)
	}
	return true
}

// outermost drops spans that lie in another one or cross it. They come in order
// of their ends.
func outermost(found Spans) Spans {
	sort.SliceStable(found, func(i, j int) bool { return found[i].Start < found[j].Start })
	var kept Spans
	for _, s := range found {
		if n := len(kept); n == 0 || s.Start >= kept[n-1].End {
			kept = append(kept, s)
		}
	}
	return kept
}

// findComments finds the HTML comments; one without an end runs to the end. None
// begins after a backslash.
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
		r.Comments = append(r.Comments, Span{start, end})
		at = end
	}
}
