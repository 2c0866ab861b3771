package diagram

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/templates"
)

// Limits of what is drawn. Beyond them a diagram stays text: nobody could read it.
const (
	maxSource   = 32 << 10 // bytes
	maxNodes    = 150
	maxEdges    = 300
	maxMessages = 300 // messages, notes and frames of a sequence diagram
	maxActors   = 30
	maxDepth    = 8   // frames or subgraphs in each other
	maxLabel    = 400 // bytes
	maxRows     = 60  // members of a class, attributes of an entity
	maxSlices   = 24
)

// source is a diagram as it is written.
type source struct {
	text  string
	head  string   // what follows the word that says what it is
	lines []string // those after that line, without comments and settings
}

// each hands the lines to a function until one of them is not known; then it is false.
func (s *source) each(known func(line string) bool) bool {
	for _, line := range s.lines {
		if !known(line) {
			return false
		}
	}
	return true
}

// kinds are what diagrams are called, by the word that they begin with, and how those are
// drawn that are.
var kinds = map[string]struct {
	name string
	draw func(m *templates.Markup, name string, s *source) bool
}{
	"graph": {"Flowchart", drawFlow}, "flowchart": {"Flowchart", drawFlow}, "flowchart-elk": {"Flowchart", drawFlow},
	"sequenceDiagram": {"Sequence diagram", drawSequence},
	"stateDiagram":    {"State diagram", drawStates}, "stateDiagram-v2": {"State diagram", drawStates},
	"classDiagram": {"Class diagram", drawClasses}, "classDiagram-v2": {"Class diagram", drawClasses},
	"erDiagram": {"Entity relationship diagram", drawEntities}, "pie": {"Pie chart", drawPie}, "mindmap": {"Mind map", drawMindmap},
	"gitGraph": {"Git graph", drawBranches}, "timeline": {"Timeline", drawTimeline}, "journey": {"Journey", drawJourney},
	"kanban": {"Board", drawBoard}, "gantt": {"Gantt chart", drawGantt},

	"quadrantChart": {"Quadrant chart", nil}, "requirementDiagram": {"Requirement diagram", nil}, "xychart": {"Chart", nil}, "xychart-beta": {"Chart", nil},
	"sankey": {"Flow diagram", nil}, "sankey-beta": {"Flow diagram", nil}, "block": {"Block diagram", nil}, "block-beta": {"Block diagram", nil},
	"packet": {"Packet diagram", nil}, "packet-beta": {"Packet diagram", nil}, "architecture": {"Architecture", nil}, "architecture-beta": {"Architecture", nil},
	"radar-beta": {"Radar chart", nil}, "treemap-beta": {"Tree map", nil}, "zenuml": {"Sequence diagram", nil}, "C4Context": {"Context diagram", nil},
	"C4Container": {"Container diagram", nil}, "C4Component": {"Component diagram", nil}, "C4Dynamic": {"Dynamic diagram", nil}, "C4Deployment": {"Deployment diagram", nil},
}

// Draw appends the drawing of a diagram to m; false when it is of a kind that is not
// drawn, and then m is as it was.
func Draw(m *templates.Markup, text string) bool {
	if len(text) > maxSource {
		return false
	}
	word, s := read(text)
	kind, before := kinds[word], len(m.B)
	if kind.draw == nil || !kind.draw(m, kind.name, s) {
		m.B = m.B[:before]
		return false
	}
	return true
}

// Kind is what a diagram is called; "Diagram" when its kind is not known.
func Kind(text string) string {
	word, _ := read(text[:min(len(text), maxSource)])
	return cmp.Or(kinds[word].name, "Diagram")
}

// read returns the word that says what a diagram is, and the diagram.
func read(text string) (kind string, s *source) {
	s = &source{text: text}
	if rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\n"), "---\n"); ok { // settings
		if _, after, ok := strings.Cut(rest, "\n---"); ok {
			text = after
		}
	}
	first := ""
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "%%") {
			continue
		}
		if first == "" {
			first, line, _ = strings.Cut(line, ";")
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
		}
		s.lines = append(s.lines, line)
	}
	kind, s.head, _ = strings.Cut(first, " ")
	s.head = strings.TrimSpace(s.head)
	return strings.TrimSuffix(kind, ":"), s
}

// Measures of text, in tenths of a pixel. The page's own font is not known, so that
// these are a little more than those of the common ones.
const (
	lineHeight = 190
	textRise   = 48 // from the middle of a line to its base
	padding    = 140
)

// textWidth estimates how wide a line is shown.
func textWidth(s string) int {
	width := 0
	for _, r := range s {
		switch {
		case strings.ContainsRune("iljtfrI.,:;|'!()[] ", r):
			width += 48
		case strings.ContainsRune("mwMW@%", r):
			width += 122
		case r >= 'A' && r <= 'Z':
			width += 98
		case r < 0x80:
			width += 82
		case r >= 0x1100 && r <= 0x115f || r >= 0x2e80 && r <= 0xd7ff || r >= 0xf900 && r <= 0xfaff || r >= 0xff00 && r <= 0xff60 || r >= 0x1f000:
			width += 145
		default:
			width += 92
		}
	}
	return width
}

// label is a text of a diagram, in lines.
type label struct {
	lines []string
	width int // of the widest line
}

func (l label) height() int { return lineHeight * len(l.lines) }

// maxLine is how many characters a line of a label has before it is broken.
const maxLine = 34

// newLabel reads a label as it is written: with quotes, <br>, and marks of emphasis.
func newLabel(s string) label {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		s = strings.TrimSpace(s[1 : len(s)-1])
		if len(s) >= 2 && s[0] == '`' && s[len(s)-1] == '`' {
			s = strings.ReplaceAll(s[1:len(s)-1], "**", "")
		}
	}
	if len(s) > maxLabel {
		cut := maxLabel
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	s = strings.NewReplacer("<br>", "\n", "<br/>", "\n", "<br />", "\n", "<BR>", "\n", `\n`, "\n", "#quot;", `"`, "#35;", "#", "#59;", ";",
		"#amp;", "&", "#lt;", "<", "#gt;", ">", "&quot;", `"`, "&lt;", "<", "&gt;", ">", "&amp;", "&", "&nbsp;", " ").Replace(s)
	for _, tag := range []string{"b", "i", "u", "em", "strong", "code", "small", "center"} {
		s = strings.NewReplacer("<"+tag+">", "", "</"+tag+">", "").Replace(s)
	}
	var l label
	for line := range strings.SplitSeq(s, "\n") {
		l.lines = append(l.lines, wrap(strings.Join(strings.Fields(line), " "))...)
	}
	for _, line := range l.lines {
		l.width = max(l.width, textWidth(line))
	}
	if len(l.lines) == 1 && l.lines[0] == "" {
		l.lines = nil
	}
	return l
}

// wrap breaks a line between words.
func wrap(line string) []string {
	if utf8.RuneCountInString(line) <= maxLine+6 {
		return []string{line}
	}
	var lines []string
	current := ""
	for word := range strings.FieldsSeq(line) {
		if current != "" && utf8.RuneCountInString(current)+1+utf8.RuneCountInString(word) > maxLine {
			lines, current = append(lines, current), ""
		}
		if current != "" {
			current += " "
		}
		current += word
	}
	return append(lines, current)
}
