package rank

import (
	"slices"
	"strings"
)

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
