package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Pages of GitBook, Jekyll and Hugo hold tags of templates. Those that say how the text
// between two of them is to look are read as callouts:
//
//	{% hint style="info" %} … {% endhint %}          GitBook
//	{% highlight ruby %} … {% endhighlight %}        Jekyll
//	{{< note >}} … {{< /note >}}                     Hugo, also {{% note %}}
//	```{note} … ```                                  MyST
//
// All others are text. Links that a template makes are links:
//
//	[text]({{< ref "page.md" >}})                    Hugo, also relref
//	[text]({{ site.baseurl }}{% link page.md %})     Jekyll, also post_url

// templateTag is one tag.
type templateTag struct {
	name      string
	arguments []byte
	closer    string // the tag that ends its text
	size      int    // bytes
}

// tagForms are how tags are written.
var tagForms = []struct{ open, close string }{{"{{<", ">}}"}, {"{{%", "%}}"}, {"{%", "%}"}}

// maxTag is the longest tag, in bytes.
const maxTag = 512

// readTag reads the tag that a line starts with.
func readTag(line []byte) (t templateTag, ok bool) {
	for _, form := range tagForms {
		if !bytes.HasPrefix(line, []byte(form.open)) {
			continue
		}
		end := bytes.Index(line[:min(len(line), maxTag)], []byte(form.close))
		if end < len(form.open) {
			return t, false
		}
		inside := bytes.Trim(line[len(form.open):end], " \t-")
		name, arguments, _ := bytes.Cut(inside, []byte(" "))
		t.name, t.arguments, t.size = string(name), bytes.TrimSpace(arguments), end+len(form.close)
		t.closer = "/" + t.name
		if form.open == "{%" {
			t.closer = "end" + t.name
		}
		return t, true
	}
	return t, false
}

// argument returns where a named argument is in the arguments of a tag: name="value".
// Without a name it is the first in quotes.
func (t *templateTag) argument(name string) (from, to int, ok bool) {
	start := 0
	if name != "" {
		i := bytes.Index(t.arguments, []byte(name+"="))
		if i < 0 || i > 0 && util.IsAlphaNumeric(t.arguments[i-1]) {
			return 0, 0, false
		}
		start = i + len(name) + 1
	}
	for start < len(t.arguments) && t.arguments[start] != '"' && t.arguments[start] != '\'' {
		if name != "" {
			return 0, 0, false
		}
		start++
	}
	if start >= len(t.arguments) {
		return 0, 0, false
	}
	end := bytes.IndexByte(t.arguments[start+1:], t.arguments[start])
	if end < 0 {
		return 0, 0, false
	}
	return start + 1, start + 1 + end, true
}

// The names of tags around a text, by what the text is.
var (
	templateNotes = []string{"note", "tip", "warning", "caution", "info", "important", "danger", "success", "attention", "seealso", "hint", "error", "example", "question"}
	templateKinds = []string{"hint", "notice", "alert", "callout", "admonition", "admonish"} // their first argument says what they are
	templateBoxes = []string{"tabs", "tabpane", "code", "content-ref", "stepper", "step", "columns", "column", "steps", "cards"}
)

// templateBlock reads a text between two tags.
type templateBlock struct{ plainBlock }

// Trigger implements parser.BlockParser.
func (templateBlock) Trigger() []byte { return []byte{'{', '`'} }

// Open implements parser.BlockParser.
func (b templateBlock) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := pc.BlockOffset()
	if at < 0 {
		return nil, parser.NoChildren
	}
	if line[at] == '`' {
		return b.openFence(line[at:], parent, reader, pc)
	}
	t, ok := readTag(line[at:])
	if !ok || len(bytes.TrimSpace(line[at+t.size:])) > 0 {
		return nil, parser.NoChildren
	}
	start := segment.Start - segment.Padding + at
	if t.name == "highlight" {
		return b.openHighlight(t, start, reader, pc)
	}
	if tag := tagLine(&t, start, reader, pc); tag != nil {
		skipLine(reader)
		return tag, parser.NoChildren
	}
	n := &CalloutNode{closer: t.closer}
	titles := []string{"title", "label", "name", "header"}
	switch {
	case slices.Contains(templateKinds, t.name):
		n.Callout.Kind = t.kind()
	case slices.Contains(templateNotes, t.name):
		n.Callout.Kind = t.name
	case t.name == "tab":
		n.Callout.Kind, titles = "tab", append(titles, "")
	case t.name == "details", t.name == "expand":
		n.Callout.Kind, titles = "details", append(titles, "summary", "")
	case slices.Contains(templateBoxes, t.name):
		n.Callout.Kind = "container"
		if t.name != "code" {
			titles = nil
		}
	default:
		return nil, parser.NoChildren
	}
	if !stateOf(pc).closes(t.closer, segment.Stop) || tooDeep(parent, reader, pc) {
		return nil, parser.NoChildren
	}
	offset := start + bytes.Index(line[at:], t.arguments)
	for _, name := range titles {
		if from, to, ok := t.argument(name); ok && len(t.arguments) > 0 {
			n.Title = true
			n.AppendChild(n, titleAt(offset+from, offset+to))
			break
		}
	}
	skipLine(reader)
	return n, parser.HasChildren
}

// kind is what a tag such as hint or notice says that it is.
func (t *templateTag) kind() string {
	for _, name := range []string{"style", "type", "color", "level"} {
		if from, to, ok := t.argument(name); ok {
			return strings.ToLower(string(t.arguments[from:to]))
		}
	}
	word, _, _ := bytes.Cut(t.arguments, []byte(" "))
	if kind := strings.ToLower(strings.Trim(string(word), `"'`)); isKind(kind) {
		return kind
	}
	return "note"
}

// openHighlight reads {% highlight ruby %}, which is a block of code.
func (templateBlock) openHighlight(t templateTag, start int, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	if !stateOf(pc).closes(t.closer, segment.Stop) {
		return nil, parser.NoChildren
	}
	var info *ast.Text
	if word, _, _ := bytes.Cut(t.arguments, []byte(" ")); len(word) > 0 {
		from := start + bytes.Index(line[pc.BlockOffset():], word)
		info = ast.NewTextSegment(text.NewSegment(from, from+len(word)))
	}
	n := ast.NewFencedCodeBlock(info)
	n.SetAttributeString("closer", t.closer)
	skipLine(reader)
	return n, parser.NoChildren
}

// openFence reads ```{note}.
func (templateBlock) openFence(line []byte, parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	_, segment := reader.PeekLine()
	ticks := countByte(line, '`')
	head := bytes.TrimRight(line[ticks:], " \t\r\n")
	end := bytes.IndexByte(head, '}')
	if ticks < 3 || end < 2 || head[0] != '{' {
		return nil, parser.NoChildren
	}
	kind, known := directiveKind(string(head[1:end]))
	if !known {
		return nil, parser.NoChildren
	}
	closer := strings.Repeat("`", ticks)
	if string(head[1:end]) == "glossary" && !defines(reader.Source()[segment.Stop:], closer) {
		return nil, parser.NoChildren // its definitions are the lines that are indented
	}
	if !stateOf(pc).closes(closer, segment.Stop) || tooDeep(parent, reader, pc) {
		return nil, parser.NoChildren
	}
	n := &CalloutNode{closer: closer, options: true}
	n.Callout.Kind = kind
	if title := bytes.TrimSpace(head[end+1:]); len(title) > 0 && !slices.Contains(untitled, string(head[1:end])) {
		from := segment.Start - segment.Padding + pc.BlockOffset() + bytes.LastIndex(line, title)
		n.Title = true
		n.AppendChild(n, titleAt(from, from+len(title)))
	}
	skipLine(reader)
	return n, parser.HasChildren
}

// maxGlossary is how much of a glossary is looked through, in bytes.
const maxGlossary = 64 << 10

// defines reports whether a definition list is before a closer.
func defines(source []byte, closer string) bool {
	source = source[:min(len(source), maxGlossary)]
	inside, _, _ := bytes.Cut(source, []byte("\n"+closer))
	return bytes.Contains(inside, []byte("\n: "))
}

// closesTag reports whether a line is the closer of a tag, and nothing else.
func closesTag(line []byte, closer string) bool {
	line = bytes.TrimSpace(line)
	if closer[0] == '`' || closer[0] == '<' {
		return string(line) == closer
	}
	t, ok := readTag(line)
	return ok && t.name == closer && t.size == len(line)
}

// Continue implements parser.BlockParser. A closer closes the innermost block that it
// may close.
func (templateBlock) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	line, segment := reader.PeekLine()
	if code, ok := node.(*ast.FencedCodeBlock); ok {
		closer, _ := code.AttributeString("closer")
		if name, _ := closer.(string); closesTag(line, name) {
			skipLine(reader)
			return parser.Close
		}
		node.Lines().Append(segment)
		return parser.Continue | parser.NoChildren
	}
	n, ok := node.(*CalloutNode)
	if !ok {
		return componentBlock{}.Continue(node, reader, pc)
	}
	if n.option(line) {
		skipLine(reader)
		return parser.Continue | parser.HasChildren
	}
	if !closesTag(line, n.closer) {
		return parser.Continue | parser.HasChildren
	}
	inner := false
	for _, b := range pc.OpenedBlocks() {
		if c, ok := b.Node.(*CalloutNode); ok && inner && c.closer == n.closer {
			return parser.Continue | parser.HasChildren
		}
		if inner && b.Node.Kind() == ast.KindFencedCodeBlock && n.closer[0] != '`' {
			return parser.Continue | parser.HasChildren
		}
		inner = inner || b.Node == node
	}
	skipLine(reader)
	return parser.Close
}

// templateLink reads a link whose address a template makes.
type templateLink struct{}

// Trigger implements parser.InlineParser.
func (templateLink) Trigger() []byte { return []byte{'['} }

// Parse implements parser.InlineParser.
func (templateLink) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	middle := bytes.Index(line[:min(len(line), maxTag)], []byte("]({"))
	if middle < 2 || bytes.ContainsAny(line[1:middle], "[]`") {
		return nil
	}
	rest := line[middle+2:]
	name, size := templateAddress(rest)
	if size == 0 || size >= len(rest) || rest[size] != ')' {
		return nil
	}
	block.Advance(middle + 2 + size + 1)
	label := plainDest(line[1:middle])
	if !strings.HasPrefix(name, "/:") {
		n := ast.NewLink()
		name, fragment, _ := strings.Cut(name, "#")
		if name = strings.TrimSuffix(name, ".html"); fragment != "" { // the site's own ending: it is right there
			name += "#" + fragment
		}
		n.Destination = []byte(name)
		n.AppendChild(n, ast.NewTextSegment(text.NewSegment(segment.Start+1, segment.Start+middle)))
		return n
	}
	target, fragment, _ := strings.Cut(strings.TrimPrefix(name, "/:"), "#")
	return &WikiLink{Target: target, Fragment: fragment, Label: label}
}

// templateAddress reads an address that tags make: one that a tag names by its file
// starts with "/:", since it may be anywhere, and one below the root of the site with
// "/".
func templateAddress(s []byte) (address string, size int) {
	at := 0
	if bytes.HasPrefix(s, []byte("{{")) && !bytes.HasPrefix(s, []byte("{{<")) && !bytes.HasPrefix(s, []byte("{{%")) {
		end := bytes.Index(s[:min(len(s), maxTag)], []byte("}}"))
		if end < 0 {
			return "", 0
		}
		inside := bytes.TrimSpace(s[2:end])
		at = end + 2
		switch {
		case bytes.HasSuffix(inside, []byte("relative_url")) || bytes.HasSuffix(inside, []byte("absolute_url")):
			t := templateTag{arguments: inside}
			if from, to, ok := t.argument(""); ok {
				return "/" + strings.TrimPrefix(string(inside[from:to]), "/"), at
			}
			return "", 0
		case !bytes.HasPrefix(inside, []byte("site.")) && !bytes.HasPrefix(inside, []byte("page.")):
			return "", 0
		}
		if !bytes.HasPrefix(s[at:], []byte("{%")) {
			end := bytes.IndexAny(s[at:], ") \t\n\"")
			if end < 2 || s[at] != '/' || bytes.IndexByte(s[at:at+end], '{') >= 0 {
				return "", 0
			}
			return string(s[at : at+end]), at + end
		}
	}
	t, ok := readTag(s[at:])
	if !ok {
		return "", 0
	}
	switch t.name {
	case "ref", "relref":
		from, to, ok := t.argument("path")
		if !ok {
			from, to, ok = t.argument("")
		}
		if !ok {
			return "", 0
		}
		return "/:" + strings.TrimPrefix(string(t.arguments[from:to]), "/"), at + t.size
	case "link", "post_url":
		if len(t.arguments) == 0 {
			return "", 0
		}
		return "/:" + strings.TrimPrefix(string(t.arguments), "/"), at + t.size
	}
	return "", 0
}

// templateText reads a tag in a line that is replaced by a text, as
// {{< glossary_tooltip text="Pod" term_id="pod" >}} does.
type templateText struct{}

// Trigger implements parser.InlineParser.
func (templateText) Trigger() []byte { return []byte{'{'} }

// Parse implements parser.InlineParser.
func (templateText) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	t, ok := readTag(line)
	if !ok {
		return nil
	}
	if (t.name == "raw" || t.name == "endraw") && stateOf(pc).fronted {
		block.Advance(t.size)
		return &Comment{}
	}
	from, to, ok := t.argument("text")
	if !ok || to == from {
		return nil
	}
	block.Advance(t.size)
	return ast.NewString(t.arguments[from:to])
}
