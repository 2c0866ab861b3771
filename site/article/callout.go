package article

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/packgen/packgen/compiler/markdown"
)

// writeCallout writes a callout.
func writeCallout(r *renderer, n ast.Node, c *markdown.Callout) {
	title, _ := n.FirstChild().(*markdown.CalloutTitle)
	form, class := c.Look()
	if form == markdown.CodeTabs {
		writeCodeTabs(r, n)
		return
	}
	if form == markdown.ListTable && writeListTable(r, n, c, title) {
		return
	}
	folds := form == markdown.Details || form == markdown.Note && c.Fold != 0
	switch {
	case form == markdown.Tab:
		openTab(r, n)
		writeTabTitle(r, title)
	case form == markdown.Details:
		openDetails(r, "", c.Fold == '+', title, "Details")
	case folds:
		openDetails(r, "callout "+class, c.Fold == '+', title, calloutName(c.Kind))
	case form == markdown.Note:
		openNote(r, c, class, title)
	default:
		openBox(r, class, title)
	}
	r.apart(func() {
		for child := n.FirstChild(); child != nil; child = child.NextSibling() {
			if _, isTitle := child.(*markdown.CalloutTitle); !isTitle {
				r.block(child)
			}
		}
	})
	switch {
	case form == markdown.Tab:
		closeTab(r, n)
	case folds:
		r.Raw("</details>\n")
	default:
		r.Raw("</div>\n")
	}
}

// openNote opens a callout that stands out from the text, with its title or what it is called.
func openNote(r *renderer, c *markdown.Callout, class string, title *markdown.CalloutTitle) {
	r.Raw(`<div class="callout ` + class + `" role=note>`)
	switch {
	case title != nil && title.HasChildren():
		r.Raw("<p class=name>")
		r.inlines(title)
	case !c.Title:
		r.Raw("<p class=name>")
		r.Literal([]byte(calloutName(c.Kind)))
	}
	r.Raw("\n")
}

// openBox opens a callout of which only the title and what is in it are shown.
func openBox(r *renderer, class string, title *markdown.CalloutTitle) {
	r.Raw("<div")
	if class != "" {
		r.Attr("class", class)
	}
	r.Raw(">")
	if title != nil && title.HasChildren() {
		r.Raw("\n<p><strong>")
		r.inlines(title)
		r.Raw("</strong>\n")
	}
}

// openDetails opens a part that folds away.
func openDetails(r *renderer, class string, open bool, title *markdown.CalloutTitle, name string) {
	r.Raw("<details")
	if class != "" {
		r.Attr("class", class)
	}
	if open {
		r.Raw(" open")
	}
	r.Raw("><summary>")
	if title != nil && title.HasChildren() {
		r.inlines(title)
	} else {
		r.Literal([]byte(name))
	}
	r.Raw("</summary>\n")
}

// calloutName is the title of a callout that has none: what it is called.
func calloutName(kind string) string {
	if kind == "" {
		return "Note"
	}
	return strings.ToUpper(kind[:1]) + strings.ReplaceAll(kind[1:], "-", " ")
}

// writeDefinitions writes a definition list.
func writeDefinitions(r *renderer, n *east.DefinitionList) {
	r.Raw("<dl>\n")
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() == east.KindDefinitionTerm {
			r.Raw("<dt>")
			r.inlines(c)
			r.Raw("\n")
			continue
		}
		r.Raw("<dd>")
		r.apart(func() { r.blocks(c) })
	}
	r.Raw("</dl>\n")
}

// writeContents writes the table of contents that a page asks for in its text.
func writeContents(r *renderer) {
	r.Raw("<nav class=contents><ul>\n")
	headings := r.doc.AllHeadings()
	for _, h := range headings[:min(len(headings), maxTableOfContents)] {
		if h.Level == 1 || h.Text == "" {
			continue
		}
		r.Raw("<li")
		if h.Level > 2 {
			r.Attr("class", "l"+strconv.Itoa(h.Level))
		}
		r.Raw("><a")
		r.Attr("href", "#"+EscapeFragment(h.ID))
		r.Raw(">")
		r.Literal([]byte(HeadingText(h.Text)))
		r.Raw("</a>\n")
	}
	r.Raw("</ul></nav>\n")
}

// writeListOfContents writes the table of contents that Kramdown puts in place of a list with
// {:toc} in it.
func writeListOfContents(r *renderer, n *ast.List) bool {
	item := n.FirstChild()
	if n.ChildCount() != 1 || item.FirstChild() == nil || item.FirstChild().Type() != ast.TypeBlock {
		return false
	}
	lines := item.FirstChild().Lines()
	if lines == nil || lines.Len() != 2 {
		return false
	}
	line := lines.At(1)
	if word := strings.TrimSpace(string(line.Value(r.doc.Text))); word != "{:toc}" && word != "{: toc }" {
		return false
	}
	writeContents(r)
	return true
}

// maxTableOfContents is the most headings that such a table lists.
const maxTableOfContents = 500

// asksForContents reports a paragraph that is nothing but [TOC] or [[_TOC_]].
func asksForContents(r *renderer, n ast.Node) bool {
	first := n.FirstChild()
	if first == nil || n.Lines() == nil || n.Lines().Len() != 1 {
		return false
	}
	if w, ok := first.(*markdown.WikiLink); ok {
		return first.NextSibling() == nil && w.IsContents()
	}
	line := n.Lines().At(0)
	if line.Len() > len("[[_TOC_]]")+2 {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(string(line.Value(r.doc.Text)))) {
	case "[toc]", "{:toc}", "${toc}", "{{toc}}":
		return true
	}
	return false
}

// writeDirective writes a block of MyST that holds no text to read as Markdown: code, a picture,
// a formula, a table of contents. Others are code with their name; false for a block that
// is not a directive.
func writeDirective(r *renderer, n *ast.FencedCodeBlock, code []byte) bool {
	if n.Info == nil {
		return false
	}
	info := strings.TrimSpace(string(n.Info.Segment.Value(r.doc.Text)))
	name, argument, ok := strings.Cut(strings.TrimPrefix(info, "{"), "}")
	if !ok || info[0] != '{' || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-:_") != "" {
		return false
	}
	argument = strings.TrimSpace(argument)
	options, body := directiveOptions(code)
	switch name {
	case "code-block", "code", "code-cell", "sourcecode", "parsed-literal":
		writeTitledCode(r, fenceInfo{language: argument, title: options["caption"]}, body)
	case "math":
		writeFormula(r, append([]byte(argument), body...))
	case "mermaid", "plantuml", "dot", "graphviz":
		return false
	case "image", "figure":
		r.Raw("<figure>")
		writePicture(r, picture{dest: cleanDest([]byte(argument)), alt: options["alt"], offset: n.Pos()})
		if caption := strings.TrimSpace(string(body)); caption != "" {
			r.textElement("figcaption", caption)
		}
		r.Raw("</figure>\n")
	case "glossary":
		writeGlossary(r, body)
	case "toctree":
		writeContentsTree(r, n, body)
	default:
		if name == "eval-rst" || strings.Contains(name, "python") {
			return false
		}
		writeTitledCode(r, fenceInfo{title: strings.TrimSpace(name + " " + argument)}, body)
	}
	return true
}

// directiveOptions takes the options off the head of a directive.
func directiveOptions(code []byte) (options map[string]string, body []byte) {
	options = map[string]string{}
	for line := range bytes.Lines(code) {
		if !markdown.IsOption(line) {
			break
		}
		key, value, _ := strings.Cut(strings.TrimSpace(string(line))[1:], ":")
		options[key] = strings.TrimSpace(value)
		code = code[len(line):]
	}
	if len(options) > 0 {
		code = bytes.TrimLeft(code, "\n")
	}
	return options, code
}

// writeGlossary writes terms with their definitions, which are the lines that are indented.
func writeGlossary(r *renderer, body []byte) {
	r.Raw("<dl>\n")
	defined := true // the last line
	for line := range bytes.Lines(body) {
		text := bytes.TrimSpace(line)
		switch indented := line[0] == ' ' || line[0] == '\t'; {
		case len(text) == 0:
			continue
		case !indented:
			r.Raw("<dt>")
			defined = false
		case !defined:
			r.Raw("<dd>")
			defined = true
		}
		r.Literal(text)
		r.Raw("\n")
	}
	r.Raw("</dl>\n")
}

// writeContentsTree writes the pages that a table of contents names as links: "page", or
// "Title <page>".
func writeContentsTree(r *renderer, n ast.Node, body []byte) {
	r.Raw("<ul>\n")
	for line := range strings.Lines(string(body)) {
		link := &markdown.WikiLink{Target: strings.TrimSpace(line)}
		if title, rest, ok := strings.Cut(link.Target, "<"); ok {
			link.Target, link.Label = strings.TrimSuffix(rest, ">"), strings.TrimSpace(title)
		}
		if link.Target == "" || strings.ContainsAny(link.Target, "*") {
			continue
		}
		r.Raw("<li>")
		writeWikiLink(r, link, n.Pos())
		r.Raw("\n")
	}
	r.Raw("</ul>\n")
}

// writeWikiLink writes a link to a page by its name that is at an offset.
func writeWikiLink(r *renderer, n *markdown.WikiLink, offset int) {
	line, column := r.doc.Position(max(offset, 0))
	noteWiki(r, n)
	writeWikiText(r, n, line, column)
}

// roleBefore is the role of MyST that a text ends in, when code follows it: {ref}`x`.
func roleBefore(run []byte, next ast.Node) (name string, rest []byte) {
	if next == nil || next.Kind() != ast.KindCodeSpan || len(run) < 3 || run[len(run)-1] != '}' {
		return "", run
	}
	open := bytes.LastIndexByte(run, '{')
	if open < 0 || len(run)-open < 3 {
		return "", run
	}
	name = string(run[open+1 : len(run)-1])
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-:") != "" || open > 0 && run[open-1] == '$' {
		return "", run
	}
	return name, run[:open]
}

// writeRole writes code that a role says something about; false for roles whose text is
// code.
func writeRole(r *renderer, role string, n *ast.CodeSpan) bool {
	text := r.doc.PlainText(n)
	shown, target, labelled := strings.Cut(text, "<")
	target = strings.TrimSuffix(target, ">")
	if !labelled {
		target = text
	}
	shown = strings.TrimSpace(shown)
	switch role {
	case "doc":
		if r.inLink {
			r.Literal([]byte(shown))
			return true
		}
		link := &markdown.WikiLink{Target: target}
		if labelled {
			link.Label = shown
		}
		writeWikiLink(r, link, n.Pos())
	case "ref", "numref", "term", "any", "eq", "cite", "cite:p", "cite:t", "abbr", "download", "guilabel", "menuselection", "index":
		r.Literal([]byte(shown))
	case "math":
		writeInlineFormula(r, []byte(text), false)
	case "kbd", "sub", "sup", "subscript", "superscript":
		r.textElement(role[:3], text)
	default:
		return false
	}
	return true
}

// Tabs are parts that fold away of which one is open: those of a group have one name. So
// they work without a script, by keys too, and what is in them is found by a search in the
// page and by links.

// tabs are the groups of an article.
type tabs struct {
	groups   map[ast.Node]int // numbers of the last group in a node
	count    int              // groups so far
	untitled bool             // titles of code are those of tabs
}

// isTab reports a tab.
func isTab(n ast.Node) bool {
	c, ok := n.(*markdown.CalloutNode)
	return ok && c.Callout.Kind == "tab"
}

// openTab opens a tab, and the group of those that are next to each other before the first.
func openTab(r *renderer, n ast.Node) {
	parent := n.Parent()
	first := !isTab(n.PreviousSibling())
	if first {
		r.tabs.count++
		r.tabs.groups[parent] = r.tabs.count
		r.Raw("<div class=tabset>\n")
	}
	openTabTag(r, r.doc.Inner[n], r.tabs.groups[parent], first)
}

// openTabTag opens a tab of a group; id is what links call it, "" when it has none.
func openTabTag(r *renderer, id string, group int, open bool) {
	r.Raw("<details class=tab")
	if id != "" {
		r.Attr("id", id)
	}
	r.Attr("name", "s.tabs-"+strconv.Itoa(group))
	if open {
		r.Raw(" open")
	}
	r.Raw("><summary>")
}

// writeTabTitle writes what a tab is called.
func writeTabTitle(r *renderer, title *markdown.CalloutTitle) {
	if title != nil && title.HasChildren() {
		r.inlines(title)
	} else {
		r.Raw("Tab")
	}
	r.Raw("</summary>\n")
}

// closeTab closes a tab, and its group after the last.
func closeTab(r *renderer, n ast.Node) {
	r.Raw("</details>\n")
	if !isTab(n.NextSibling()) {
		r.Raw("</div>\n")
	}
}

// writeCodeTabs writes blocks of code as tabs with their titles.
func writeCodeTabs(r *renderer, n ast.Node) {
	r.tabs.count++
	group, open := r.tabs.count, true
	r.Raw("<div class=tabset>\n")
	r.apart(func() {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			code, ok := c.(*ast.FencedCodeBlock)
			if _, title := c.(*markdown.CalloutTitle); title || c.Kind() == ast.KindHTMLBlock {
				continue
			}
			if !ok {
				r.block(c)
				continue
			}
			f := fenceOf(r, code)
			openTabTag(r, "", group, open)
			r.Literal([]byte(cmp.Or(f.title, f.language, "Code")))
			r.Raw("</summary>\n")
			open, r.tabs.untitled = false, true
			writeFenced(r, code)
			r.tabs.untitled = false
			r.Raw("</details>\n")
		}
	})
	r.Raw("</div>\n")
}

// writeComponent writes what a tag of a component says: its link, its text, its picture. One
// without content that says nothing is shown as the code it is, except an icon.
func writeComponent(r *renderer, n *markdown.ComponentTag) {
	name := "<" + n.Name // no element of HTML has this name
	switch {
	case n.Close:
		for i := len(r.html.open) - 1; i >= r.html.base; i-- {
			if r.html.open[i].name == name {
				closeTo(r, i)
				return
			}
		}
	case n.Picture != "":
		writePicture(r, picture{dest: cleanDest([]byte(n.Picture)), alt: n.Label, offset: n.Pos()})
	case !n.Alone:
		if n.Link != "" && !r.inLink && len(r.html.open) < maxOpen && openLink(r, cleanDest([]byte(n.Link)), "", n.Pos()) {
			r.inLink = true
			r.html.open = append(r.html.open, opened{name: name, as: "a"})
		}
	case n.Link != "":
		writeComponentLink(r, n)
	case n.Label != "":
		writeComponentText(r, n)
	case !n.IsIcon():
		r.textElement("code", n.Written)
	}
}

// writeComponentLink writes a tag that is a link, with what it leads to.
func writeComponentLink(r *renderer, n *markdown.ComponentTag) {
	writeLinkText(r, cleanDest([]byte(n.Link)), "", cmp.Or(n.Label, n.Link), n.Pos())
	if n.About != "" {
		r.Raw("<br>\n")
		r.Literal([]byte(n.About))
	}
}

// writeComponentText writes a tag that is a text: the title of what follows when it is a
// paragraph, otherwise a badge.
func writeComponentText(r *renderer, n *markdown.ComponentTag) {
	as := "small"
	if n.Parent().Type() == ast.TypeBlock && n.PreviousSibling() == nil && n.NextSibling() == nil && r.html.para >= 0 {
		as = "strong"
	}
	r.textElement(as, EmojiText(n.Label))
}
