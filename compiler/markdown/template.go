package markdown

import (
	"bytes"
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

// openTag opens what a tag of a template that is alone on its line begins.
func (l headLine) openTag() (ast.Node, parser.State) {
	t, ok := readTag(l.text)
	if !ok || len(bytes.TrimSpace(l.text[t.size:])) > 0 {
		return nil, parser.NoChildren
	}
	if t.name == "highlight" {
		return l.single(l.highlight(&t))
	}
	if n := l.tag(&t); n != nil {
		return l.single(n)
	}
	n, from, to := t.callout()
	offset := bytes.Index(l.text, t.arguments)
	return l.open(n, offset+from, offset+to)
}

// callout is the callout that a tag opens, and where its title is in its arguments; nil when it
// opens none.
func (t *templateTag) callout() (n *CalloutNode, from, to int) {
	kind, known := kindOf(templates, t.name)
	if !known {
		return nil, 0, 0
	}
	n = &CalloutNode{closer: t.closer}
	if n.Callout.Kind = kind; kind == "" {
		n.Callout.Kind = t.kind()
	}
	titles := []string{"title", "label", "name", "header"}
	switch {
	case kind == "tab":
		titles = append(titles, "")
	case kind == "details":
		titles = append(titles, "summary", "")
	case kind == "container" && t.name != "code", len(t.arguments) == 0:
		titles = nil
	}
	for _, name := range titles {
		if from, to, n.Title = t.argument(name); n.Title {
			break
		}
	}
	return n, from, to
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

// highlight reads {% highlight ruby %}, which is a block of code.
func (l headLine) highlight(t *templateTag) ast.Node {
	_, segment := l.reader.PeekLine()
	if !stateOf(l.pc).closes(t.closer, segment.Stop) {
		return nil
	}
	var info *ast.Text
	if word, _, _ := bytes.Cut(t.arguments, []byte(" ")); len(word) > 0 {
		from := l.start + bytes.Index(l.text, word)
		info = ast.NewTextSegment(text.NewSegment(from, from+len(word)))
	}
	n := ast.NewFencedCodeBlock(info)
	n.SetAttributeString("closer", t.closer)
	return n
}

// templateLogic are the tags that decide what a page shows, or take a piece of the design
// into it: what is between them is shown, they are not. Other tags are for the program that
// makes the site alone.
const (
	templateLogic = "if elsif elif else endif unless endunless for endfor case when endcase assign capture endcapture" +
		" include include_relative include_cached increment decrement cycle tablerow endtablerow seo feed_meta set endset"
	templateMarks = "raw endraw endembed endfile openapi endopenapi toc children openapi-operation endopenapi-operation updates endupdates"
)

// tag reads a tag that says something, or says nothing to a reader; nil for others.
func (l headLine) tag(t *templateTag) ast.Node {
	value := func(names ...string) string {
		for _, name := range names {
			if from, to, ok := t.argument(name); ok {
				return Unescape(t.arguments[from:to])
			}
		}
		return ""
	}
	_, segment := l.reader.PeekLine()
	if isIn(t.name, templateMarks) || isIn(t.name, templateLogic) && stateOf(l.pc).fronted {
		return &tagBlock{end: segment.Stop}
	}
	n := &ComponentTag{Name: t.name, Alone: true}
	switch t.name {
	case "embed":
		n.Link = value("url")
	case "file":
		n.Link = value("src")
	case "youtube":
		if id := strings.Trim(string(t.arguments), `"' `); id != "" && !strings.ContainsAny(id, " =\"'<>/") {
			n.Link = "https://www.youtube.com/watch?v=" + id
		}
	case "figure":
		n.Picture, n.Label = value("src", "link"), value("alt", "title", "caption")
	}
	if !n.says() {
		return nil
	}
	return blockOf(n, l.start, segment.Stop)
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

// parseTemplateLink reads a link whose address a template makes.
func parseTemplateLink(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
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
	label := Unescape(line[1:middle])
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

// parseTemplateText reads a tag in a line that is replaced by a text, as
// {{< glossary_tooltip text="Pod" term_id="pod" >}} does.
func parseTemplateText(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
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
