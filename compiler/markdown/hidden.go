package markdown

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/htmltag"
)

// Hidden are the parts of a text that no reader of its page sees: comments of HTML and of
// the systems whose Markdown we read. They are in order and do not overlap.
type Hidden []hiddenPart

type hiddenPart struct {
	start, end int
	block      bool // what is before and after it are blocks, not words of a paragraph
}

// hiddenMarks are what a text without anything hidden has none of, so that it need not be
// looked through.
var hiddenMarks = [...]string{"<!", "<?", "%%", "/*", "comment", "]:", "{% #", "{%- #", "<script", "<style", "\n%", "{#"}

// HiddenIn returns what a page hides. What is written in code is not hidden.
func HiddenIn(d *Document) Hidden {
	if !mayHide(d.Text[d.Body:]) {
		return nil
	}
	var h Hidden
	ast.Walk(d.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if entering {
			h = h.take(d, n)
		}
		return ast.WalkContinue, nil
	})
	slices.SortStableFunc(h, func(a, b hiddenPart) int { return a.start - b.start })
	kept := h[:0]
	for _, p := range h {
		if n := len(kept); p.end > p.start && (n == 0 || p.start >= kept[n-1].end) {
			kept = append(kept, p)
		}
	}
	return kept
}

// take adds what a node hides.
func (h Hidden) take(d *Document, n ast.Node) Hidden {
	switch n := n.(type) {
	case *Comment:
		return append(h, hiddenPart{n.start, n.end, false})
	case *CommentBlock:
		return append(h, hiddenPart{n.start, n.end, true})
	case *ast.RawHTML:
		first, last := n.Segments.At(0), n.Segments.At(n.Segments.Len()-1)
		if t := htmltag.Next(d.Text[:last.Stop], first.Start); t.Kind == htmltag.Comment && !hidesNothing(d.Text[first.Start:last.Stop]) {
			return append(h, hiddenPart{first.Start, last.Stop, false})
		}
	case *ast.HTMLBlock:
		return h.takeHTML(d, n)
	case *ast.LinkReferenceDefinition:
		if lines := n.Lines(); lines.Len() > 0 && isCommentDefinition(n) {
			return append(h, hiddenPart{lines.At(0).Start, lines.At(lines.Len() - 1).Stop, true})
		}
	}
	return h
}

// takeHTML adds the comments of an HTML block.
func (h Hidden) takeHTML(d *Document, n *ast.HTMLBlock) Hidden {
	source, offset := htmlSource(d, n)
	if IsProgram(source) {
		return append(h, hiddenPart{offset(0), offset(len(source)-1) + 1, true})
	}
	if len(source) == 0 || n.HTMLBlockType == ast.HTMLBlockType1 && !bytes.HasPrefix(bytes.ToLower(bytes.TrimSpace(source)), []byte("<pre")) || MacroWord(source) != "" {
		return h
	}
	alone := OnlyComments(source) // in an element a blank line would end the block
	elements := hiddenElements(source)
	for at := 0; at < len(source); {
		t := htmltag.Next(source, at)
		if end, ok := elements[t.Start]; ok && t.Kind == htmltag.Open {
			at = cmp.Or(end, len(source))
			h = append(h, hiddenPart{offset(t.Start), offset(at-1) + 1, false})
			continue
		}
		if at = t.End; t.Kind == htmltag.Comment && !hidesNothing(source[t.Start:t.End]) {
			h = append(h, hiddenPart{offset(t.Start), offset(t.End-1) + 1, alone})
		}
	}
	return h
}

// IsProgram reports HTML that is a script or a style sheet and nothing else: a page
// of VitePress and its like begins with one.
func IsProgram(source []byte) bool {
	t := htmltag.Next(source, 0)
	if t.Kind != htmltag.Open || t.Start != 0 || t.Name != "script" && t.Name != "style" {
		return false
	}
	closing := []byte("</" + t.Name + ">")
	before, ends := bytes.CutSuffix(bytes.ToLower(bytes.TrimSpace(source)), closing)
	return ends && !bytes.Contains(before, closing)
}

// hidesNothing reports a comment without a word, such as one between two lists.
func hidesNothing(comment []byte) bool { return len(bytes.Trim(comment, "<>!?- \t\n")) == 0 }

// isCommentDefinition reports a link definition that is written as a comment, such as
// [//]: # (text): nothing can be reached by it.
func isCommentDefinition(n *ast.LinkReferenceDefinition) bool {
	dest := string(n.Destination)
	return (dest == "#" || dest == "" || dest == "-") && len(n.Title) > 0
}

// Visible returns a file as a reader of its page sees it: without hidden text, and without
// comments in its front matter. A file that has neither comes back as it is, and so does
// one that is not text. A source keeps its lines, which anchors count.
func Visible(path string, file []byte) []byte {
	if !mayHide(file) && !mayComment(file) {
		return file
	}
	text, ok := frontmatter.Decode(file)
	if !ok {
		return file
	}
	if visible, hides := VisibleOf(Parse(path, text)); hides {
		return visible
	}
	return file
}

// VisibleOf returns the text of a document as [Visible] does; false when it hides nothing.
func VisibleOf(d *Document) (text []byte, hides bool) {
	hidden := HiddenIn(d)
	head := visibleMeta(d.Text[:d.Body])
	if len(hidden) == 0 && len(head) == d.Body {
		return d.Text, false
	}
	if strings.HasPrefix(d.Path, "sources/") {
		return hidden.blank(d.Text, head, d.Body), true
	}
	return hidden.Append(slices.Clip(head), d.Text, d.Body, len(d.Text)), true
}

// blank is a text of the same lines without what is hidden in them, and with another head.
func (h Hidden) blank(text, head []byte, body int) []byte {
	empty := func(lines int) []byte { return bytes.Repeat([]byte("\n"), max(lines, 0)) }
	fence := bytes.LastIndexByte(bytes.TrimSuffix(head, []byte("\n")), '\n') + 1
	out := slices.Concat(head[:fence], empty(bytes.Count(text[:body], []byte("\n"))-bytes.Count(head, []byte("\n"))), head[fence:])
	at := body
	for _, p := range h {
		out = append(out, text[at:p.start]...)
		out = append(out, empty(bytes.Count(text[p.start:p.end], []byte("\n")))...)
		at = p.end
	}
	return append(out, text[at:]...)
}

// mayComment reports a file whose front matter may have comments. It looks no further than
// to the next line that may close it.
func mayComment(file []byte) bool {
	file = bytes.TrimPrefix(file, []byte("\ufeff"))
	if len(file) < 4 {
		return false
	}
	mark := file[:3]
	if string(mark) != "---" && string(mark) != "+++" {
		return false
	}
	head, _, _ := bytes.Cut(file[3:], append([]byte("\n"), mark...))
	return bytes.Contains(head, []byte("#"))
}

// visibleMeta is front matter without its comments, where its values stay what they are.
func visibleMeta(head []byte) []byte {
	head = visibleValues(head)
	if !bytes.Contains(head, []byte("#")) {
		return head
	}
	said := map[string]bool{} // comments after values, as the parser sees them
	var before yaml.Node
	toml := bytes.HasPrefix(head, tomlMarker)
	if !toml {
		if yaml.Unmarshal(head, &before) != nil {
			return head
		}
		lineComments(&before, said)
	} else if bytes.Contains(head, []byte("\"\"\"")) || bytes.Contains(head, []byte("'''")) {
		return head
	}
	out := make([]byte, 0, len(head))
	for line := range bytes.Lines(head) {
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			continue
		}
		if i := bytes.Index(line, []byte(" #")); i >= 0 && said[string(bytes.TrimSpace(line[i:]))] {
			line = append(bytes.TrimRight(line[:i:i], " \t"), '\n')
		}
		out = append(out, line...)
	}
	var after yaml.Node
	if !toml && (yaml.Unmarshal(out, &after) != nil || !sameValues(&before, &after)) {
		return head // a line of a text begins so
	}
	return out
}

// visibleValues is front matter without the comments in its texts.
func visibleValues(head []byte) []byte {
	text := string(head)
	out := frontmatter.WithoutComments(text)
	if out == text {
		return head
	}
	if strings.HasPrefix(text, string(tomlMarker)) {
		return []byte(out)
	}
	var before, after yaml.Node
	if yaml.Unmarshal(head, &before) != nil {
		return []byte(out)
	}
	frontmatter.HideComments(&before)
	if yaml.Unmarshal([]byte(out), &after) == nil && sameValues(&before, &after) {
		return []byte(out)
	}
	values, err := yaml.Marshal(&before) // a comment is in the way of a quote or a pattern
	if err != nil {
		return []byte(out)
	}
	return slices.Concat([]byte("---\n"), values, []byte("---\n"))
}

// lineComments collects the comments after values.
func lineComments(n *yaml.Node, said map[string]bool) {
	if n.LineComment != "" {
		said[n.LineComment] = true
	}
	for _, c := range n.Content {
		lineComments(c, said)
	}
}

// sameValues reports two trees that say the same.
func sameValues(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Tag == b.Tag && a.Value == b.Value && slices.EqualFunc(a.Content, b.Content, sameValues)
}

// mayHide reports a text that may have something hidden.
func mayHide(text []byte) bool {
	return bytes.HasPrefix(text, []byte("%")) || mayHideElement(text) || slices.ContainsFunc(hiddenMarks[:], func(mark string) bool { return bytes.Contains(text, []byte(mark)) })
}

// Comments is how many hidden parts of a text are comments of an author: one that
// switches a rule off is for packgen.
func (h Hidden) Comments(text []byte) int {
	n := 0
	for _, p := range h {
		if !bytes.HasPrefix(bytes.TrimLeft(text[p.start:p.end], "<!-/*{%# \t\n"), []byte("packgen-")) {
			n++
		}
	}
	return n
}

// Count is how many parts of a slice are hidden.
func (h Hidden) Count(from, to int) int {
	n := 0
	for _, p := range h {
		if p.start < to && p.end > from {
			n++
		}
	}
	return n
}

// Append appends what a reader sees of a slice of the text. A slice without anything
// hidden is appended as it is. Lines that hold nothing else go as a whole, and what was
// before and after them stays apart.
func (h Hidden) Append(out, text []byte, from, to int) []byte {
	return h.Continue(out, len(out), text, from, to)
}

// Continue is Append for a slice whose beginning is in out already, from the byte begin on.
func (h Hidden) Continue(out []byte, begin int, text []byte, from, to int) []byte {
	i, _ := slices.BinarySearchFunc(h, from, func(p hiddenPart, at int) int {
		if p.end <= at {
			return -1
		}
		return 1
	})
	for ; i < len(h) && h[i].start < to; i++ {
		p := h[i]
		if p.start > from {
			out = append(out, text[from:p.start]...)
		}
		var rest int
		out, rest = p.join(out, begin, text[:to])
		from = max(from, min(rest, to))
	}
	return append(out, text[from:to]...)
}

// join returns what is before a hidden part as it is without that, and where the rest
// of the text starts.
func (p hiddenPart) join(out []byte, begin int, text []byte) (before []byte, rest int) {
	line := begin + bytes.LastIndexByte(out[begin:], '\n') + 1
	lead := out[line:]
	after := min(p.end, len(text))
	next := after
	for next < len(text) && (text[next] == ' ' || text[next] == '\t') {
		next++
	}
	ends := next == len(text) || text[next] == '\n' || text[after-1] == '\n'
	switch {
	case len(bytes.TrimSpace(lead)) == 0 && ends:
		if text[after-1] != '\n' {
			after = min(next+1, len(text))
		}
		out = out[:line]
		for p.block && endsBlank(out[begin:]) && after < len(text) && startsBlank(text[after:]) {
			if i := bytes.IndexByte(text[after:], '\n'); i >= 0 {
				after += i + 1
				continue
			}
			after = len(text)
		}
		if after == len(text) {
			for p.block && len(out) > begin+1 && endsBlank(out[begin:]) {
				out = out[:begin+bytes.LastIndexByte(out[begin:len(out)-1], '\n')+1]
			}
			return out, after
		}
		if p.block && line > begin && !endsBlank(out[begin:]) && !startsBlank(text[after:]) {
			out = append(out, '\n')
		}
		return out, after
	case ends:
		if text[after-1] == '\n' { // the line end is not the comment's
			next = after - 1
		}
		return bytes.TrimRight(out, " \t"), next
	case len(bytes.Trim(lead, " \t>-+*0123456789.)")) == 0:
		switch {
		case !p.block && startsBlock(text[next:]):
			return append(out, "<!-- -->"...), after
		case p.block && line > begin && !endsBlank(out[begin:line]):
			out = slices.Insert(out, line, '\n')
		}
		return out, next
	case len(lead) > 0 && (lead[len(lead)-1] == ' ' || lead[len(lead)-1] == '\t'):
		return out, next
	}
	return out, after
}

// endsBlank reports a text of lines whose last one is blank, or that has none.
func endsBlank(text []byte) bool {
	text = bytes.TrimSuffix(text, []byte("\n"))
	return len(bytes.TrimSpace(text[bytes.LastIndexByte(text, '\n')+1:])) == 0
}

// startsBlank reports a text whose first line is blank, or that has none.
func startsBlank(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return len(bytes.TrimSpace(line)) == 0
}

// startsBlock reports words of a paragraph that would be something else at the start of a
// line: a heading, a list item, a fence.
func startsBlock(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if len(line) == 0 {
		return false
	}
	word, _, spaced := bytes.Cut(line, []byte(" "))
	switch c := line[0]; c {
	case '>', '|':
		return true
	case '#', '+', '-', '*', '=', ':', '~', '`', '_':
		return spaced && len(word) < 2 || len(bytes.Trim(word, string(c))) == 0 || bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~"))
	}
	return isOrdinal(word)
}

// isOrdinal reports "1." or "1)".
func isOrdinal(word []byte) bool {
	n := len(word) - 1
	return n > 0 && (word[n] == '.' || word[n] == ')') && len(bytes.Trim(word[:n], "0123456789")) == 0
}

// mayHideElement reports a text that may have an element that is not shown.
func mayHideElement(text []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(text[at:], '<')
		if i < 0 {
			return false
		}
		at += i
		if at+1 < len(text) && text[at+1]|0x20 >= 'a' && text[at+1]|0x20 <= 'z' {
			break
		}
	}
	lower := bytes.ToLower(text)
	return bytes.Contains(lower, []byte("hidden")) || bytes.Contains(lower, []byte("<template")) || bytes.Contains(lower, []byte("display"))
}

// hiddenElements returns where the elements end that no reader sees, by the offsets of their
// tags: templates, those with the attribute hidden, and those with a style that displays
// none. The end of one that is never closed is 0.
func hiddenElements(text []byte) map[int]int {
	if !mayHideElement(text) {
		return nil
	}
	ends, open := map[int]int{}, map[string][]int{}
	var endless unclosed
	for at := 0; at < len(text); {
		if endless.startsAt(text, at) {
			at++
			continue
		}
		t := htmltag.Next(text, at)
		at = t.End
		switch list := open[t.Name]; t.Kind {
		case htmltag.Comment:
			if t.End == len(text) { // in code, it may be text
				at = t.Start + 1
				endless[commentKind(text[t.Start:])] = true
			}
		case htmltag.Open:
			hidden, end := hidesElement(text, &t), t.End
			if text[t.End-2] != '/' && !slices.Contains(voidElements, t.Name) {
				open[t.Name], end = append(list, t.Start), 0
			}
			if hidden {
				ends[t.Start] = end
			}
		case htmltag.Close:
			if len(list) == 0 {
				continue
			}
			last := list[len(list)-1]
			open[t.Name] = list[:len(list)-1]
			if _, ok := ends[last]; ok {
				ends[last] = t.End
			}
		}
	}
	return ends
}

// unclosed are the kinds of comments that a text does not close from here on.
type unclosed [256]bool

func (u *unclosed) startsAt(text []byte, at int) bool {
	return at+2 < len(text) && text[at] == '<' && (text[at+1] == '!' || text[at+1] == '?') && u[commentKind(text[at:])]
}

// commentKind is the byte by which comments differ in how they end: <!--, <![CDATA[, <!x, <?.
func commentKind(comment []byte) byte {
	if comment[1] == '?' {
		return '?'
	}
	return comment[2]
}

// voidElements have no content.
var voidElements = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}

// isComponentName reports the name of a component, such as TabItem: what its attributes
// mean is its own affair.
func isComponentName(name []byte) bool {
	return bytes.ContainsAny(name[:1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && !bytes.Equal(name, bytes.ToUpper(name))
}

// hidesElement reports a tag whose element is not shown. A template of a component is shown,
// where the component puts it, and so is one that is a shadow tree.
func hidesElement(text []byte, t *htmltag.Token) bool {
	if isComponentName(text[t.Start+1 : t.Start+1+len(t.Name)]) {
		return false
	}
	for _, a := range t.Attrs {
		switch a.Name {
		case "hidden":
			if isHiding(a.Value) {
				return true
			}
		case "style", ":style", "v-bind:style":
			if displaysNone(a.Value) {
				return true
			}
		}
	}
	return t.Name == "template" && !slices.ContainsFunc(t.Attrs, func(a htmltag.Attr) bool {
		return a.Name == "shadowrootmode" || a.Name == "slot" || strings.HasPrefix(a.Name, "v-") || strings.ContainsAny(a.Name[:1], "#:@")
	})
}

// isHiding reports a value of the attribute hidden by which an element is not shown. In braces
// that is true or a text: what an expression makes is not known.
func isHiding(value string) bool {
	if inner, ok := strings.CutPrefix(value, "{"); ok {
		inner = strings.TrimSpace(strings.TrimSuffix(inner, "}"))
		return inner == "true" || len(inner) > 2 && strings.ContainsRune("'\"`", rune(inner[0]))
	}
	return !strings.EqualFold(value, "false")
}

// displaysNone reports a style, as HTML, Vue or MDX writes it, by which an element is not seen:
// display: none or visibility: hidden.
func displaysNone(style string) bool {
	for part := range strings.FieldsFuncSeq(strings.ToLower(style), func(r rune) bool { return r == ';' || r == ',' || r == '{' || r == '}' }) {
		name, value, _ := strings.Cut(part, ":")
		value, _, _ = strings.Cut(value, "!")
		name, value = strings.Trim(name, quotedWord), strings.Trim(value, quotedWord)
		if name == "display" && value == "none" || name == "visibility" && value == "hidden" {
			return true
		}
	}
	return false
}

// quotedWord is what may be around a word of a style.
const quotedWord = " \t\n'\"`"

// withoutElements is HTML with white space in place of elements that are not shown.
func withoutElements(source []byte) []byte {
	elements := hiddenElements(source)
	if len(elements) == 0 {
		return source
	}
	out := slices.Clone(source)
	last := 0
	for _, start := range slices.Sorted(maps.Keys(elements)) {
		end := cmp.Or(elements[start], len(source))
		for i := max(start, last); i < end; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
		last = max(last, end)
	}
	return out
}
