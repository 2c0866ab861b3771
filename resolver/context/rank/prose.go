package rank

import (
	"slices"
	"strings"
	"unicode"
)

// Prose returns a Markdown text without its source anchors and status markers,
// whose words say nothing about the topic (agent-knowledge section 13.5). It
// reads brackets as section 7.1 does, without a parse of the whole text: not in
// code, not after a backslash, not before "(".
func Prose(text string) string {
	if !holdsBracket(text) {
		return text
	}
	var out strings.Builder
	from, ticks, fence := 0, 0, ""
	for i := 0; i < len(text); {
		if i == 0 || text[i-1] == '\n' {
			line, _, _ := strings.Cut(text[i:], "\n")
			if fence = nextFence(fence, line); fence != "" {
				i += len(line) + 1
				continue
			}
			if strings.TrimSpace(line) == "" {
				ticks = 0 // a code span ends with its paragraph
			}
		}
		switch text[i] {
		case '\\':
			i += 2
			continue
		case '`':
			n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
			switch {
			case ticks == n:
				ticks = 0
			case ticks == 0 && strings.Contains(text[i+n:], text[i:i+n]):
				ticks = n
			}
			i += n
			continue
		case '[':
			if n := bracket(text[i:]); n > 0 && ticks == 0 {
				out.WriteString(text[from:i])
				out.WriteByte(' ')
				i += n
				from = i
				continue
			}
		}
		i++
	}
	if from == 0 {
		return text
	}
	out.WriteString(text[from:])
	return out.String()
}

// holdsBracket reports whether a text may hold an anchor or marker.
func holdsBracket(text string) bool {
	for {
		at := strings.IndexByte(text, '[')
		if at < 0 {
			return false
		}
		if bracket(text[at:]) > 0 {
			return true
		}
		text = text[at+1:]
	}
}

// nextFence follows fenced code from line to line: the fence that is open after
// a line, "" outside.
func nextFence(open, line string) string {
	trimmed := strings.TrimLeft(line, " ")
	if len(line)-len(trimmed) > 3 {
		return open
	}
	for _, mark := range []string{"`", "~"} {
		n := len(trimmed) - len(strings.TrimLeft(trimmed, mark))
		switch {
		case n < 3:
		case open == "" && !(mark == "`" && strings.Contains(trimmed[n:], "`")):
			return trimmed[:n]
		case strings.HasPrefix(open, mark) && n >= len(open) && strings.TrimSpace(trimmed[n:]) == "":
			return ""
		}
	}
	return open
}

// maxBracket is the longest anchor or marker that is looked for, in bytes.
const maxBracket = 8192

// bracket returns the length of the source anchor or status marker that starts
// a text, or 0.
func bracket(text string) int {
	// Most brackets are links: the first letter shows it.
	if at := strings.TrimLeftFunc(text[1:min(len(text), 16)], unicode.IsSpace); at != "" && at[0]|0x20 != 's' {
		return 0
	}
	end := strings.IndexByte(text[:min(len(text), maxBracket)], ']')
	if end < 0 || strings.HasPrefix(text[end+1:], "(") {
		return 0
	}
	inside := text[1:end]
	if strings.Contains(inside, "[") {
		return 0
	}
	key, value, _ := strings.Cut(inside, ":")
	switch strings.ToLower(strings.TrimLeftFunc(key, unicode.IsSpace)) {
	case "source":
		if len(key) < len(inside) {
			return end + 1
		}
	case "status":
		switch strings.ToLower(strings.TrimSpace(value)) {
		case "confirmed", "inferred", "disputed", "stale", "missing", "source-required":
			return end + 1
		}
	}
	return 0
}

// belowTitle is the text of a section without the title of the document that it begins
// with: the words of that title are the same for all sections below it. A title that is
// the section's own, as that of a page in one piece, is left where it is.
func belowTitle(s *Section) string {
	line, rest := cutHeading(s.Text)
	if line == "" || headingLevel(line) != 1 || names(line, s.Title) {
		return s.Text
	}
	if next, _ := cutHeading(rest); next == "" {
		return s.Text
	}
	return rest
}

// cutHeading cuts the heading that a text begins with from the rest, which is without the
// blank lines below it. The line of a heading that is underlined begins with the marks of
// its level. It is "" for a text that begins with no heading.
func cutHeading(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	if !isHeading(line) {
		under, below, _ := strings.Cut(rest, "\n")
		level := underlined(line, under)
		if level == 0 {
			return "", text
		}
		line, rest = strings.Repeat("#", level)+" "+line, below
	}
	return line, strings.TrimLeft(rest, "\n")
}

// underlined is the level of the heading that a line is because of the line below it, 0
// for any other line.
func underlined(line, below string) int {
	if len(below) == 0 || below[0] != '=' && below[0] != '-' && below[0] != ' ' || strings.TrimSpace(line) == "" {
		return 0
	}
	marks := strings.Trim(below, " \t\r")
	switch {
	case marks == "" || len(below)-len(strings.TrimLeft(below, " ")) > 3:
	case len(line)-len(strings.TrimLeft(line, " ")) > 3 || strings.ContainsAny(line[:1], "#>|-*+=\t"), nextFence("", line) != "":
		// code, or the last line of something that is not a paragraph
	case strings.Trim(marks, "=") == "":
		return 1
	case strings.Trim(marks, "-") == "":
		return 2
	}
	return 0
}

// names reports whether a heading line is what a title says, or one of the headings that it
// names.
func names(line, title string) bool {
	said, in := NewWordSet(title), NewWordSet(line)
	if whole := commonWords(line); whole != "" {
		return slices.ContainsFunc(strings.Split(title, ": "), func(part string) bool { return commonWords(part) == whole })
	}
	return in.within(said) || len(said) > 0 && said.within(in)
}

// within reports whether a set holds all words of this one.
func (s WordSet) within(other WordSet) bool {
	for w := range s {
		if !other[w] {
			return false
		}
	}
	return true
}

// ownID is the id that a heading line gives itself, as in "## Care {#descale}"; "" when it
// gives none. Its words may be others than those of the heading: what the section was
// called before, say.
func ownID(line string) string {
	_, id, _ := strings.Cut(line, "{#")
	id, _, ok := strings.Cut(id, "}")
	if !ok {
		return ""
	}
	id, _, _ = strings.Cut(id, " ")
	return id
}
