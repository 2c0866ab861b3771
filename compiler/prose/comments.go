package prose

import "bytes"

// WithoutComments returns a Markdown text as a reader sees it: without the comments of HTML
// and of Obsidian (%% … %%) that are not in code. Lines that hold nothing else go as a
// whole. It needs no parser, for a program that has to start at once; compiler/markdown
// knows the comments of other systems too.
func WithoutComments(text []byte) []byte {
	if !bytes.Contains(text, []byte("<!--")) && !bytes.Contains(text, []byte("%%")) {
		return text
	}
	out := make([]byte, 0, len(text))
	at := 0
	for _, s := range joined(text, ReadQuoting(text).hiddenSpans(text)) {
		start, end := s.Start, s.End
		line := bytes.LastIndexByte(text[:start], '\n') + 1
		rest := lineEnd(text, end)
		switch {
		case line >= at && isBlankLine(text[line:start]) && isBlankLine(text[end:rest]):
			start, end = line, rest
			if next := lineEnd(text, end); end < len(text) && isBlankLine(text[end:next]) && endsInBlankLine(text[at:start], out) {
				end = next
			}
		case start > at && text[start-1] == ' ' && end < len(text) && text[end] == ' ':
			end++
		}
		out = append(out, text[at:start]...)
		at = end
	}
	return append(out, text[at:]...)
}

// joined makes one of comments with nothing but blanks of one line between them.
func joined(text []byte, list Spans) Spans {
	var out Spans
	for _, s := range list {
		if n := len(out); n > 0 && len(bytes.Trim(text[out[n-1].End:s.Start], " \t")) == 0 {
			out[n-1].End = s.End
			continue
		}
		out = append(out, s)
	}
	return out
}

// lineEnd is the offset after the line that a byte is in.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

func isBlankLine(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// endsInBlankLine reports a text, which follows another, whose last line is blank.
func endsInBlankLine(text, before []byte) bool {
	if len(text) == 0 {
		text = before
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	return isBlankLine(text[bytes.LastIndexByte(text, '\n')+1:])
}

// hiddenSpans lists the comments of a text that are not in code, in order and apart.
func (c *Quoting) hiddenSpans(text []byte) Spans {
	var list Spans
	mark := []byte("%%")
	comments := c.Comments
	for at := c.body; at < len(text); {
		i := bytes.Index(text[at:], mark)
		limit := len(text)
		if i >= 0 {
			limit = at + i
		}
		for len(comments) > 0 && comments[0].Start <= limit {
			s := comments[0]
			comments = comments[1:]
			if s.Start >= at && s.Start >= c.body && !c.Code.Holds(s.Start, s.End) {
				list = append(list, s)
				at = s.End
			}
		}
		if i < 0 {
			break
		}
		if limit < at {
			continue // within the comment
		}
		at = limit + len(mark)
		if c.Code.Holds(limit, at) {
			continue
		}
		end := bytes.Index(text[at:], mark)
		if end < 0 {
			continue
		}
		list = append(list, Span{limit, at + end + len(mark)})
		at += end + len(mark)
	}
	return list
}
