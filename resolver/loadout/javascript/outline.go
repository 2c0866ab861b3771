package javascript

import (
	"strings"
)

// LineKind is what a line of a Markdown text can be to a reader of headings.
type LineKind uint8

// The kinds.
const (
	Text      LineKind = iota // anything else, headings that start with # among it
	Inert                     // in front matter, a code fence or a comment, these included: never a heading
	Underline                 // makes a heading of level 2 of the line before it
)

// Outline follows the blocks of a Markdown text line by line, as far as headings
// need it. Make one with [NewOutline]; the zero value is for a text without front
// matter.
type Outline struct {
	fence  codeFence
	end    string // what ends the comment or raw HTML that is open; "" for none
	matter int    // lines of front matter to come

	paragraph int  // lines of the open paragraph; 0 when there is none
	nested    bool // the lines up to the next blank one are of a list or quotation
	list      bool // a list is open: indented lines are of it
}

// NewOutline returns an outline before the first line of a text.
func NewOutline(text string) *Outline { return &Outline{matter: frontMatter(text)} }

// frontMatter returns the number of lines of the front matter at the start of a text:
// between two lines of --- nothing but what YAML has, and a key. A line across the
// page may begin a text too.
func frontMatter(text string) int {
	n, keys := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		n++
		switch {
		case n == 1 && line != "---":
			return 0
		case n == 1, line == "", strings.IndexByte("# -", line[0]) >= 0 && line != "---":
		case line == "---" || line == "...":
			if keys == 0 {
				return 0
			}
			return n
		case !isKey(line):
			return 0
		default:
			keys++
		}
	}
	return 0
}

// isKey reports a line of YAML that begins with a key.
func isKey(line string) bool {
	key, value, ok := strings.Cut(line, ":")
	return ok && key != "" && !strings.ContainsAny(key, " \t#") && (value == "" || value[0] == ' ' || value[0] == '\t')
}

// Next says what the next line is, without its line feed.
func (o *Outline) Next(line string) LineKind {
	line = strings.TrimSuffix(line, "\r")
	switch {
	case o.matter > 0:
		o.matter--
		return Inert
	case o.end != "":
		if strings.Contains(strings.ToLower(line), o.end) {
			o.end = ""
		}
		return Inert
	case o.fence.Inside(line):
		o.leave()
		return Inert
	}
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	switch {
	case Trim(text) == "":
		o.paragraph, o.nested = 0, false
	case indent <= 3 && o.opens(text):
		return Inert
	case indent <= 3 && o.paragraph == 1 && isUnderline(text, '-'):
		o.leave()
		return Underline
	case indent <= 3 && (isUnderline(text, '=') && o.paragraph > 0 || isHeading(text) || isRule(text)):
		o.leave()
	case indent <= 3 && text[0] == '>':
		o.paragraph, o.nested, o.list = 0, true, false
	case indent <= 3 && isItem(text):
		o.paragraph, o.nested, o.list = 0, true, true
	case o.nested:
	case o.list && indent >= 2, o.paragraph == 0 && (indent > 3 || text[0] == '\t'):
		o.nested = true
	default:
		o.paragraph++
		o.list = false
	}
	return Text
}

// leave ends every open block.
func (o *Outline) leave() { o.paragraph, o.nested, o.list = 0, false, false }

// opens reports the start of a comment or of HTML that is read as it is, and keeps
// what ends it.
func (o *Outline) opens(text string) bool {
	rest, end := text, ""
	if after, ok := strings.CutPrefix(text, "<!--"); ok {
		rest, end = "--"+after, "-->" // <!--> is a whole comment
	} else if text[0] == '<' {
		for _, name := range [...]string{"pre", "script", "style", "textarea"} {
			if len(text) <= len(name) || !strings.EqualFold(text[1:1+len(name)], name) {
				continue
			}
			if after := text[1+len(name):]; after == "" || strings.ContainsRune(" \t>", rune(after[0])) {
				rest, end = strings.ToLower(after), "</"+name+">"
			}
		}
	}
	if end == "" {
		return false
	}
	o.leave()
	if !strings.Contains(rest, end) {
		o.end = end
	}
	return true
}

// isUnderline reports a line of one character, blanks at its end aside.
func isUnderline(text string, mark byte) bool {
	text = strings.TrimRight(text, " \t")
	return text != "" && strings.Trim(text, string(mark)) == ""
}

// isHeading reports a heading that starts with #.
func isHeading(text string) bool {
	n := len(text) - len(strings.TrimLeft(text, "#"))
	return n >= 1 && n <= 6 && (n == len(text) || text[n] == ' ' || text[n] == '\t')
}

// isRule reports a line across the page: three or more of one of - * _, with or
// without blanks between.
func isRule(text string) bool {
	n := 0
	var mark byte
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ' || c == '\t':
		case n > 0 && c == mark, n == 0 && strings.IndexByte("-*_", c) >= 0:
			n, mark = n+1, c
		default:
			return false
		}
	}
	return n >= 3
}

// isItem reports the start of an item of a list.
func isItem(text string) bool {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	mark := text[digits:]
	switch {
	case mark == "" || digits > 9:
		return false
	case digits == 0 && strings.IndexByte("-*+", mark[0]) < 0, digits > 0 && strings.IndexByte(".)", mark[0]) < 0:
		return false
	}
	return len(mark) == 1 || mark[1] == ' ' || mark[1] == '\t'
}

// HeadingText is the text of a heading without what Markdown takes off it: white
// space at its ends and a closing row of #.
func HeadingText(s string) string {
	s = Trim(s)
	if open := strings.TrimRight(s, "#"); open == "" || open != s && strings.ContainsRune(" \t", rune(open[len(open)-1])) {
		s = Trim(open)
	}
	return s
}
