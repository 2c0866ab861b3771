package memory

import (
	"strings"

	"github.com/packgen/packgen/resolver/loadout/javascript"
)

// Section is a heading of a MEMORY.md and what it refers to (loadout section
// 19.1). Lines count from 0.
type Section struct {
	Heading            string
	Level              int
	Entries            []Ref
	StartLine, EndLine int // the heading's line and the section's last
}

// Document is a parsed MEMORY.md.
type Document struct {
	Sections []Section
	Refs     []Ref
	// Prose holds the lines that end in an arrow and a word which names no
	// file. They are references only in compatibility mode, and then are in
	// Refs (loadout section 28, D16).
	Prose []Ref
}

// parse reads a MEMORY.md. It never fails: what is neither a heading nor a reference
// is text.
func parse(content string, compat bool) *Document {
	doc := &Document{}
	open := -1
	number := 0
	for line := range strings.SplitSeq(content, "\n") {
		text := javascript.Trim(line)
		if level, heading := headingOf(text, 6); level > 0 {
			if open >= 0 {
				doc.Sections[open].EndLine = number - 1
			}
			open = len(doc.Sections)
			doc.Sections = append(doc.Sections, Section{Heading: javascript.Trim(heading), Level: level, StartLine: number})
		} else if ref, ok, prose := parseRef(text, compat); ok {
			ref.Line = number
			if prose && !compat {
				doc.Prose = append(doc.Prose, ref)
			} else {
				doc.Refs = append(doc.Refs, ref)
				if open >= 0 {
					doc.Sections[open].Entries = append(doc.Sections[open].Entries, ref)
				}
			}
		}
		number++
	}
	if open >= 0 {
		doc.Sections[open].EndLine = number - 1
	}
	return doc
}

// headingOf reads an ATX heading of at most that level from the start of a
// line; level is 0 for other lines.
func headingOf(line string, most int) (level int, text string) {
	for level < len(line) && line[level] == '#' {
		level++
	}
	text = strings.TrimLeftFunc(line[level:], javascript.IsSpace)
	if level == 0 || level > most || len(text) == len(line)-level || text == "" {
		return 0, ""
	}
	return level, text
}
