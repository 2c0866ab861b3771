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

// Draw appends the drawing of a diagram to m; false when it is of a kind that is not
// drawn, and then m is as it was.
func Draw(m *templates.Markup, source string) bool {
	if len(source) > maxSource {
		return false
	}
	kind, lines := statements(source)
	before := len(m.B)
	ok := false
	switch word, rest, _ := strings.Cut(kind, " "); word {
	case "graph", "flowchart", "flowchart-elk":
		ok = drawFlow(m, strings.TrimSpace(rest), lines)
	case "sequenceDiagram":
		ok = drawSequence(m, lines)
	case "stateDiagram", "stateDiagram-v2":
		ok = drawStates(m, lines)
	case "classDiagram", "classDiagram-v2":
		ok = drawClasses(m, lines)
	case "erDiagram":
		ok = drawEntities(m, lines)
	case "pie":
		ok = drawPie(m, rest, lines)
	case "mindmap":
		ok = drawMindmap(m, source)
	case "gitGraph", "gitGraph:":
		ok = drawBranches(m, lines)
	case "timeline":
		ok = drawTimeline(m, lines)
	case "journey":
		ok = drawJourney(m, lines)
	case "kanban":
		ok = drawBoard(m, source)
	case "gantt":
		ok = drawGantt(m, lines)
	}
	if !ok {
		m.B = m.B[:before]
	}
	return ok
}

// kinds are what diagrams are called, by the word that they begin with.
var kinds = map[string]string{
	"graph": "Flowchart", "flowchart": "Flowchart", "sequenceDiagram": "Sequence diagram", "stateDiagram": "State diagram",
	"stateDiagram-v2": "State diagram", "classDiagram": "Class diagram", "erDiagram": "Entity relationship diagram", "pie": "Pie chart",
	"mindmap": "Mind map", "gitGraph": "Git graph", "timeline": "Timeline", "journey": "Journey", "kanban": "Board", "gantt": "Gantt chart",
	"quadrantChart": "Quadrant chart", "requirementDiagram": "Requirement diagram", "xychart": "Chart", "xychart-beta": "Chart",
	"sankey": "Flow diagram", "sankey-beta": "Flow diagram", "block": "Block diagram", "block-beta": "Block diagram", "packet": "Packet diagram",
	"packet-beta": "Packet diagram", "architecture": "Architecture", "architecture-beta": "Architecture", "radar-beta": "Radar chart",
	"treemap-beta": "Tree map", "zenuml": "Sequence diagram", "C4Context": "Context diagram", "C4Container": "Container diagram",
	"C4Component": "Component diagram", "C4Dynamic": "Dynamic diagram", "C4Deployment": "Deployment diagram",
}

// Kind is what a diagram is called; "Diagram" when its kind is not known.
func Kind(source string) string {
	line, _ := statements(source[:min(len(source), maxSource)])
	word, _, _ := strings.Cut(line, " ")
	return cmp.Or(kinds[strings.TrimSuffix(word, ":")], "Diagram")
}

// statements returns the line that says what a diagram is, and the lines after it,
// without comments and settings.
func statements(source string) (kind string, lines []string) {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(source, " \t\n"), "---\n"); ok { // settings
		if _, after, ok := strings.Cut(rest, "\n---"); ok {
			source = after
		}
	}
	for line := range strings.SplitSeq(source, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "%%") {
			continue
		}
		if kind == "" {
			kind, line, _ = strings.Cut(line, ";")
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
		}
		lines = append(lines, line)
	}
	return kind, lines
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
