package article

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/site/diagram"
	"github.com/packgen/packgen/templates"
)

// fenceInfo is what the line that opens a code block says.
type fenceInfo struct {
	language string
	title    string
	marks    map[int]string // classes of lines, 1-based; nil when none is marked
}

// Classes of marked lines.
const (
	lineMarked = "hl"
	lineAdded  = "add"
	lineCut    = "gone"
	lineError  = "err"
	lineWarned = "warn"
	lineAway   = "dim" // around lines that have the focus
)

// maxInfo is how much of that line is read, in bytes, and maxMarked the last line that
// can be marked.
const (
	maxInfo   = 1 << 10
	maxMarked = 10_000
)

// readFence reads the text after the opening fence: the language, and what Docusaurus,
// MkDocs, Starlight, mdBook and others write after it.
func readFence(info string) fenceInfo {
	var f fenceInfo
	info = strings.TrimSpace(info[:min(len(info), maxInfo)])
	if inside, ok := strings.CutPrefix(info, "{"); ok { // { .python title="x" }, {python}
		inside, rest, _ := strings.Cut(inside, "}")
		if strings.ContainsAny(inside, "0123456789") && strings.Trim(inside, "0123456789,- ") == "" {
			f.mark(inside, lineMarked)
			inside = ""
		}
		info = strings.TrimLeft(inside, " .") + " " + rest
	}
	end := strings.IndexAny(info, " \t,{:[")
	if end < 0 {
		f.language = info
		return f
	}
	f.language = info[:end]
	info = info[end:]
	if name, ok := strings.CutPrefix(info, ":"); ok { // js:file.js, ts:line-numbers=2
		end := strings.IndexAny(name, " \t{[")
		if end < 0 {
			end = len(name)
		}
		name, info = name[:end], name[end:]
		if option, _, _ := strings.Cut(name, "="); option != "line-numbers" && option != "no-line-numbers" {
			f.title = name
		}
	}
	f.readRest(info)
	return f
}

// readRest reads what follows the language.
func (f *fenceInfo) readRest(rest string) {
	for rest != "" {
		switch c := rest[0]; {
		case c == '{':
			inside, after, ok := strings.Cut(rest[1:], "}")
			if !ok {
				return
			}
			f.mark(inside, lineMarked)
			rest = after
		case c == '[':
			inside, after, ok := strings.Cut(rest[1:], "]")
			if !ok {
				return
			}
			if f.title == "" {
				f.title = inside
			}
			rest = after
		case c == ' ' || c == '\t' || c == ',':
			rest = rest[1:]
		default:
			rest = f.readOption(rest)
		}
	}
}

// readOption reads one key=value, or word, and returns what follows it.
func (f *fenceInfo) readOption(rest string) string {
	end := strings.IndexAny(rest, " \t=")
	if end < 0 {
		return ""
	}
	key := rest[:end]
	if rest[end] != '=' {
		return rest[end:]
	}
	rest = rest[end+1:]
	value := rest
	if rest != "" && strings.IndexByte(`"'{`, rest[0]) >= 0 {
		closing := rest[0]
		if closing == '{' {
			closing = '}'
		}
		i := strings.IndexByte(rest[1:], closing)
		if i < 0 {
			return ""
		}
		value, rest = rest[1:1+i], rest[i+2:]
	} else {
		value, rest, _ = strings.Cut(rest, " ")
	}
	switch strings.ToLower(key) {
	case "title", "filename", "file", "name", "label":
		f.title = value
	case "hl_lines", "mark", "highlight", "emphasize-lines":
		f.mark(value, lineMarked)
	case "ins", "add":
		f.mark(value, lineAdded)
	case "del", "rem", "remove":
		f.mark(value, lineCut)
	}
	return rest
}

// mark notes lines such as "2,4-5".
func (f *fenceInfo) mark(lines, class string) {
	for part := range strings.FieldsFuncSeq(lines, func(r rune) bool { return r == ',' || r == ' ' }) {
		from, to, ranged := strings.Cut(part, "-")
		first, err := strconv.Atoi(from)
		last := first
		if err == nil && ranged {
			last, err = strconv.Atoi(to)
		}
		if err != nil || first < 1 || last > maxMarked {
			continue
		}
		for i := first; i <= last; i++ {
			if f.marks == nil {
				f.marks = map[int]string{}
			}
			f.marks[i] = class
		}
	}
}

// fenceOf returns what the line says that opens a code block.
func fenceOf(r *renderer, n *ast.FencedCodeBlock) fenceInfo {
	if n.Info == nil {
		return fenceInfo{}
	}
	return readFence(markdown.Unescape(n.Info.Segment.Value(r.doc.Text)))
}

// writeFenced writes a fenced code block.
func writeFenced(r *renderer, n *ast.FencedCodeBlock) {
	f := fenceOf(r, n)
	code := n.Lines().Value(r.doc.Text)
	if id := r.doc.FenceID(n); id != "" {
		writePlace(r, id)
		r.Raw("\n")
	}
	if writeDirective(r, n, code) {
		return
	}
	switch f.language {
	case "math", "latex-math":
		writeFormula(r, code)
		return
	case "mermaid":
		if writeDiagram(r, &f, code) {
			return
		}
		f.title = cmp.Or(f.title, diagram.Kind(string(code))+", as text")
	case "plantuml", "dot", "graphviz":
		if f.title == "" {
			f.title = strings.ToUpper(f.language[:1]) + f.language[1:] + " diagram, as text"
		}
	}
	if writeIncluded(r, n, code) {
		return
	}
	code = f.takeMarks(code, isNumbered(n.NextSibling()))
	if r.tabs.untitled {
		f.title = ""
	}
	writeTitledCode(r, f, code)
}

// takeMarks takes out of code what its system does not show. In code that a list explains,
// annotations are numbers.
func (f *fenceInfo) takeMarks(code []byte, explained bool) []byte {
	if explained && bytes.Contains(code, []byte(")!")) {
		code = withoutMarks(code)
	}
	if bytes.Contains(code, []byte("highlight-")) {
		code = f.takeMagic(code)
	}
	if bytes.Contains(code, []byte("[!code ")) {
		code = f.takeComments(code)
	}
	if f.language == "rust" && bytes.Contains(code, []byte("#")) {
		code = withoutHidden(code)
	}
	return code
}

// writeTitledCode writes a code block, with its title when it has one.
func writeTitledCode(r *renderer, f fenceInfo, code []byte) {
	if f.title == "" {
		writeCode(r, f.language, code, f.marks)
		return
	}
	r.Raw("<figure class=code>")
	r.textElement("figcaption", f.title)
	writeCode(r, f.language, code, f.marks)
	r.Raw("</figure>\n")
}

// maxDiagrams is how many diagrams of a page are drawn.
const maxDiagrams = 100

// writeDiagram draws a diagram, with its text below; false when it is not drawn.
func writeDiagram(r *renderer, f *fenceInfo, code []byte) bool {
	before := len(r.B)
	r.Raw("<figure class=drawn>\n")
	if f.title != "" {
		r.textElement("figcaption", f.title)
		r.Raw("\n")
	}
	r.Raw("<div class=scroll>")
	if r.diagrams >= maxDiagrams || !diagram.Draw(&r.Markup, string(code)) {
		r.B = r.B[:before]
		return false
	}
	r.diagrams++
	r.Raw("</div>\n<details><summary>The diagram as text</summary>\n")
	writeCode(r, "", code, nil)
	r.Raw("</details></figure>\n")
	return true
}

// withoutHidden takes out the lines "# code" with which examples in Rust become whole
// programs: mdBook and rustdoc do not show them. "##" at a start is "#".
func withoutHidden(code []byte) []byte {
	var out []byte
	for line := range bytes.Lines(code) {
		rest := bytes.TrimLeft(line, " \t")
		switch {
		case bytes.HasPrefix(rest, []byte("# ")), bytes.Equal(bytes.TrimSpace(rest), []byte("#")):
			continue
		case bytes.HasPrefix(rest, []byte("## ")):
			out = append(append(out, line[:len(line)-len(rest)]...), rest[1:]...)
		default:
			out = append(out, line...)
		}
	}
	if len(bytes.TrimSpace(out)) == 0 {
		return code
	}
	return out
}

// takeMagic takes out the comments with which Docusaurus marks lines, each in a line of
// its own: highlight-next-line, or highlight-start up to highlight-end.
func (f *fenceInfo) takeMagic(code []byte) []byte {
	var out []byte
	line, next, inside := 0, false, false
	for part := range bytes.Lines(code) {
		switch magicWord(part) {
		case "highlight-next-line":
			next = true
			continue
		case "highlight-start":
			inside = true
			continue
		case "highlight-end":
			inside = false
			continue
		}
		line++
		if (next || inside) && line <= maxMarked {
			f.mark(strconv.Itoa(line), lineMarked)
		}
		next = false
		out = append(out, part...)
	}
	return out
}

// magicWord is the only word of a comment that is alone in its line; "" of other lines.
func magicWord(line []byte) string {
	s := bytes.TrimSpace(line)
	for _, open := range []string{"//", "#", "--", "/*", "{/*", "<!--", "%", ";"} {
		if rest, ok := bytes.CutPrefix(s, []byte(open)); ok {
			return string(bytes.TrimRight(bytes.TrimSpace(rest), " */}->"))
		}
	}
	return ""
}

// writeCode writes a code block.
func writeCode(r *renderer, language string, code []byte, marks map[int]string) {
	r.Raw("<pre><code>")
	painted, ok := r.options.Paint.Paint(language, code)
	switch {
	case marks == nil && ok:
		r.B = append(r.B, painted...)
	case marks == nil:
		r.Literal(code)
	case ok:
		writeMarked(r, painted, marks)
	default:
		var w templates.Markup
		w.Literal(code)
		writeMarked(r, w.B, marks)
	}
	r.Raw("</code></pre>\n")
}

// writeMarked writes painted code with its marked lines in elements of their own. What is
// painted over a line end is closed before it and opened again after it.
func writeMarked(r *renderer, painted []byte, marks map[int]string) {
	line := 1
	var tags [][]byte // that are open
	start := func() {
		if class := marks[line]; class != "" {
			r.Raw("<span class=" + class + ">")
		}
		for _, t := range tags {
			r.B = append(r.B, t...)
		}
	}
	end := func() {
		for i := len(tags) - 1; i >= 0; i-- {
			r.Raw("</" + tagName(tags[i]) + ">")
		}
		if marks[line] != "" {
			r.Raw("</span>")
		}
	}
	painted = bytes.TrimSuffix(painted, []byte("\n"))
	start()
	for len(painted) > 0 {
		i := bytes.IndexAny(painted, "<\n")
		if i < 0 {
			i = len(painted)
		}
		r.B = append(r.B, painted[:i]...)
		if painted = painted[i:]; len(painted) == 0 {
			break
		}
		if painted[0] == '\n' {
			end()
			r.Raw("\n")
			line++
			start()
			painted = painted[1:]
			continue
		}
		size := bytes.IndexByte(painted, '>') + 1
		if size == 0 {
			break
		}
		if painted[1] == '/' {
			tags = tags[:max(0, len(tags)-1)]
		} else {
			tags = append(tags, painted[:size])
		}
		r.B = append(r.B, painted[:size]...)
		painted = painted[size:]
	}
	end()
	r.Raw("\n")
}

// tagName is the name of an opening tag.
func tagName(t []byte) string {
	name, _, _ := strings.Cut(strings.Trim(string(t), "<>"), " ")
	return name
}

// codeMarks are the classes of lines with comments as Shiki and VitePress read them:
//
//	x := 1 // [!code ++]
//	// [!code highlight:3]
//
// A number is of how many lines, from that of the comment on, or the next when it is alone.
var codeMarks = map[string]string{
	"++": lineAdded, "--": lineCut, "hl": lineMarked, "highlight": lineMarked, "error": lineError, "warning": lineWarned, "focus": lineFocus,
}

// lineFocus is the class of lines that have the focus, which are shown as they are.
const lineFocus = "focus"

// readCodeMark finds such a comment in a line of code.
func readCodeMark(line []byte) (before []byte, class string, lines int, ok bool) {
	at := bytes.Index(line, []byte("[!code "))
	if at < 0 {
		return nil, "", 0, false
	}
	word, _, ok := bytes.Cut(line[at+len("[!code "):], []byte("]"))
	name, count, counted := strings.Cut(strings.TrimSpace(string(word)), ":")
	class, known := codeMarks[name]
	if !ok || !known && name != "word" {
		return nil, "", 0, false
	}
	if lines = 1; counted && known {
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 || n > maxMarked {
			return nil, "", 0, false
		}
		lines = n
	}
	return bytes.TrimRight(line[:at], " \t/#*<!-;%{"), class, lines, true
}

// takeComments takes out the comments that mark lines. Where lines have the focus, the
// others step back.
func (f *fenceInfo) takeComments(code []byte) []byte {
	var out []byte
	line, focus := 0, false
	for part := range bytes.Lines(code) {
		before, class, lines, ok := readCodeMark(part)
		if !ok {
			line++
			out = append(out, part...)
			continue
		}
		from := line + 1
		if len(bytes.TrimSpace(before)) > 0 {
			line++
			out = append(append(out, before...), '\n')
		}
		if class != "" && from+lines <= maxMarked {
			focus = focus || class == lineFocus
			f.mark(strconv.Itoa(from)+"-"+strconv.Itoa(from+lines-1), class)
		}
	}
	if focus {
		f.dim(line)
	}
	return out
}

// dim lets the lines step back that have no mark, and takes the focus, which then says
// nothing more, from the others.
func (f *fenceInfo) dim(lines int) {
	for i := 1; i <= min(lines, maxMarked); i++ {
		switch f.marks[i] {
		case "":
			f.marks[i] = lineAway
		case lineFocus:
			delete(f.marks, i)
		}
	}
}

// writeListTable writes a table of MyST that is a list of rows, which are lists of cells; false
// when it is not one.
func writeListTable(r *renderer, n ast.Node, c *markdown.Callout, title *markdown.CalloutTitle) bool {
	rows, ok := n.LastChild().(*ast.List)
	if !ok {
		return false
	}
	for row := rows.FirstChild(); row != nil; row = row.NextSibling() {
		if row.FirstChild() == nil || row.FirstChild() != row.LastChild() || row.FirstChild().Kind() != ast.KindList {
			return false
		}
	}
	r.Raw("<div class=scroll><table")
	if c.HeadRows == 0 {
		r.Raw(" role=presentation")
	}
	r.Raw(">\n")
	if title != nil && title.HasChildren() {
		r.Raw("<caption>")
		r.inlines(title)
		r.Raw("</caption>\n")
	}
	for row, at := rows.FirstChild(), 0; row != nil; row, at = row.NextSibling(), at+1 {
		tag := "td"
		if at < c.HeadRows {
			tag = "th"
		}
		r.Raw("<tr>")
		for cell := row.FirstChild().FirstChild(); cell != nil; cell = cell.NextSibling() {
			r.Raw("<" + tag + ">")
			r.apart(func() { r.blocks(cell) })
		}
		r.Raw("\n")
	}
	r.Raw("</table></div>\n")
	return true
}
