package memory

import (
	"strings"

	"github.com/packgen/packgen/resolver/loadout/javascript"
)

// parse reads the references of a MEMORY.md (loadout section 19.1). Prose are the lines that
// end in an arrow and a word which names no file (loadout section 28, D16). It never fails:
// what is neither a heading nor a reference is text.
func parse(content string) (refs, prose []Ref) {
	number := 0
	for line := range strings.SplitSeq(content, "\n") {
		number++
		text := javascript.Trim(line)
		level, _ := headingOf(text, 6)
		if ref, ok, isProse := parseRef(text); ok && level == 0 {
			ref.Line = number
			if isProse {
				prose = append(prose, ref)
			} else {
				refs = append(refs, ref)
			}
		}
	}
	return refs, prose
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
