package article

import (
	"bytes"
	_ "embed"
	"path"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/site/mathml"
)

// inlines writes the inline children of a node. Neighbouring pieces of text are
// taken together, since the name of an emoji may reach us as several.
func (r *renderer) inlines(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			c = writeTextRun(r, t)
			continue
		}
		r.inline(c)
	}
}

// writeTextRun writes the text that starts at t and returns the last node of it.
func writeTextRun(r *renderer, t *ast.Text) ast.Node {
	start, stop := t.Segment.Start, t.Segment.Stop
	last := t
	for !last.IsRaw() && !last.SoftLineBreak() && !last.HardLineBreak() {
		next, ok := last.NextSibling().(*ast.Text)
		if !ok || next.IsRaw() || next.Segment.Start != stop {
			break
		}
		last, stop = next, next.Segment.Stop
	}
	run := r.doc.Text[start:stop]
	switch {
	case t.IsRaw():
		r.Literal(run)
	default:
		if r.heading && last.NextSibling() == nil {
			run = cutID(run)
		}
		r.role, run = roleBefore(run, last.NextSibling())
		writeProse(r, run)
	}
	switch {
	case last.HardLineBreak():
		r.Raw("<br>\n")
	case last.SoftLineBreak():
		r.Raw("\n")
	}
	return last
}

// cutID takes a closing {#id} off the text of a heading (agent-knowledge
// section 6.3), and {#id .class}.
func cutID(run []byte) []byte {
	if shown := markdown.WithoutAttributes(string(run)); len(shown) < len(bytes.TrimRight(run, " \t")) {
		return run[:len(shown)]
	}
	trimmed := bytes.TrimRight(run, " \t")
	at := bytes.LastIndex(trimmed, []byte("{#"))
	if at < 0 || !bytes.HasSuffix(trimmed, []byte("}")) || len(trimmed)-at < 4 {
		return run
	}
	inside := trimmed[at+2 : len(trimmed)-1]
	if bytes.ContainsAny(inside, " \t{}") || at > 0 && !strings.ContainsRune(" \t", rune(run[at-1])) {
		return run
	}
	return bytes.TrimRight(run[:at], " \t")
}

// writeProse writes text in which names of emoji stand for these.
func writeProse(r *renderer, run []byte) {
	write := func(text []byte) { writeText(r, text) }
	if r.abbr != nil && !r.heading {
		write = func(text []byte) { writeAbbreviated(r, text) }
	}
	if bytes.IndexByte(run, ':') < 0 {
		write(run)
		return
	}
	eachEmoji(run, write, func(shown string) { r.Literal([]byte(shown)) })
}

// writeText writes Markdown text: backslash escapes and character references are resolved, the
// rest is escaped.
func writeText(r *renderer, text []byte) {
	if bytes.ContainsAny(text, `\&`) {
		text = []byte(markdown.Unescape(text))
	}
	r.Literal(text)
}

// writeWiki writes [[Page]], or leaves room for what ![[Page]] embeds.
func writeWiki(r *renderer, n *markdown.WikiLink) {
	address, text := n.Outside()
	switch {
	case n.IsContents(): // in a paragraph of something else
	case n.Embed:
		if address == "" {
			noteWiki(r, n)
		}
		writeEmbed(r, n)
	case address != "" && r.inLink:
		r.Literal([]byte(n.Shown()))
	case address != "":
		writeLinkText(r, address, "", text, n.Pos())
	case r.inLink:
		noteWiki(r, n)
		r.Literal([]byte(n.Shown()))
	default:
		writeWikiLink(r, n, n.Pos())
	}
}

// writeEmbed leaves room for what a page shows of another one, or for a picture.
func writeEmbed(r *renderer, n *markdown.WikiLink) {
	h := Placeholder{Kind: Embed, Target: n.Target, Fragment: n.Fragment, Title: n.Shown(), Alt: n.Label}
	if text, width, height := sized("|" + n.Label); width != "" {
		h.Width, h.Height = pixels(width), pixels(height)
		h.Alt = strings.TrimPrefix(text, "|")
	}
	if holdsBlocks(n.Parent()) {
		h.Class = "block" // it may be a page
		makeRoom(r)
	}
	if a := markdown.AttributesOf(n); a != nil && h.Width == 0 {
		h.Width, h.Height = pixels(a.Values["width"]), pixels(a.Values["height"])
	}
	if r.inLink {
		r.Literal([]byte(n.Shown()))
		return
	}
	r.leaveRoomAt(h, n.Pos())
}

// holdsBlocks reports a node in which a page may be shown beside text: a paragraph, an item
// of a list, a cell of a table.
func holdsBlocks(n ast.Node) bool {
	if n == nil || n.Kind() == east.KindTableCell && n.Parent() != nil && n.Parent().Kind() == east.KindTableHeader {
		return false
	}
	switch n.Kind() {
	case ast.KindParagraph, ast.KindTextBlock, east.KindTableCell:
		return true
	}
	return false
}

// writeWikiText leaves room for the opening tag of a link, followed by its text. The text of
// one with a label comes with the tag: which of its two parts is the page is not known yet.
func writeWikiText(r *renderer, n *markdown.WikiLink, line, column int) {
	r.leaveRoom(Placeholder{Kind: Wiki, Target: n.Target, Fragment: n.Fragment, Line: line, Column: column, Alt: n.Label})
	if n.Label == "" {
		r.Literal([]byte(EmojiText(n.Shown())))
	}
	r.Raw("</a>")
}

// noteWiki notes the page of a link, with its label after a "|".
func noteWiki(r *renderer, n *markdown.WikiLink) {
	name := n.Target
	if n.Label != "" && !n.Embed {
		name += "|" + n.Label
	}
	if n.Target != "" {
		r.made.Wiki = append(r.made.Wiki, name)
	}
}

// inline writes an inline node of Markdown.
func (r *renderer) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.CodeSpan:
		role := r.role
		if r.role = ""; role == "" || !writeRole(r, role, n) {
			writeCodeSpan(r, n)
		}
	case *ast.Emphasis:
		tag := "em"
		if n.Level == 2 {
			tag = "strong"
		}
		r.element(tag, n)
	case *ast.Link:
		writeLink(r, n)
	case *ast.AutoLink:
		writeAutoLink(r, n)
	case *ast.Image:
		writeImage(r, n)
	case *ast.RawHTML:
		writeRawHTML(r, n)
	case *east.Strikethrough:
		r.element("s", n)
	case *ast.String:
		r.Literal(n.Value)
	case *east.TaskCheckBox:
		writeCheckbox(r, n.IsChecked)
	default:
		r.ownInline(n)
	}
}

// ownInline writes an inline node that we have added to Markdown.
func (r *renderer) ownInline(n ast.Node) {
	switch n := n.(type) {
	case *markdown.ComponentTag:
		writeComponent(r, n)
	case *markdown.WikiLink:
		writeWiki(r, n)
	case *markdown.FootnoteRef:
		writeNoteNumber(r, n.Note.Index, n.Count == 1)
	case *markdown.Attributes, *markdown.Comment:
	case *markdown.Styled:
		r.element(n.Element, n)
	case *markdown.InlineNote:
		writeInlineNote(r, n)
	case *markdown.BlockID:
		writePlace(r, n.ID)
	case *markdown.Keys:
		writeKeys(r, n)
	case *markdown.Math:
		writeInlineFormula(r, r.doc.Text[n.Start:n.Stop], n.Display)
	case *markdown.AnchorNode:
		writeAnchors(r, n)
	case *markdown.MarkerNode:
		r.Raw(`<span class="badge ` + string(n.Value) + `">` + strings.ReplaceAll(string(n.Value), "-", " ") + "</span>")
	default:
		r.inlines(n)
	}
}

// element writes an element with the inline children of a node.
func (r *renderer) element(name string, n ast.Node) {
	r.Raw("<" + name + ">")
	r.inlines(n)
	r.Raw("</" + name + ">")
}

// textElement writes an element with a text.
func (r *renderer) textElement(name, text string) {
	r.Raw("<" + name + ">")
	r.Literal([]byte(text))
	r.Raw("</" + name + ">")
}

func writeCodeSpan(r *renderer, n *ast.CodeSpan) {
	if t, ok := n.FirstChild().(*ast.Text); ok && r.options.Linked != nil && !r.inLink {
		target, fragment, _ := strings.Cut(string(t.Segment.Value(r.doc.Text)), "#")
		if (strings.HasSuffix(target, ".md") || strings.HasSuffix(target, "/")) && r.options.Linked(target) {
			r.leaveRoom(Placeholder{Kind: Page, Target: target, Fragment: fragment})
			defer r.Raw("</a>")
		}
	}
	r.Raw("<code>")
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			r.Literal(bytes.ReplaceAll(t.Segment.Value(r.doc.Text), []byte("\n"), []byte(" ")))
		}
	}
	r.Raw("</code>")
}

// writeAnchors shows the parts of a source anchor as chips. A chip links to what it
// names when that is on the site.
func writeAnchors(r *renderer, n *markdown.AnchorNode) {
	for i, a := range n.Parts {
		if i > 0 {
			r.Raw(" ")
		}
		label := path.Base(a.Path)
		if a.Fragment != "" {
			label += "#" + a.Fragment
		}
		if !a.Usable {
			label = a.Written
		}
		if r.inLink {
			r.Raw(`<span class=src>`)
			r.Literal([]byte(label))
			r.Raw("</span>")
			continue
		}
		h := Placeholder{Kind: Source, Target: a.Path, Fragment: a.Fragment}
		if !a.Usable {
			h.Target = ""
		}
		r.leaveRoomAt(h, a.Offset)
		r.Literal([]byte(label))
		r.Raw("</a>")
	}
}

// writeKeys writes keys that are pressed together.
func writeKeys(r *renderer, n *markdown.Keys) {
	for i, name := range n.Names {
		if i > 0 {
			r.Raw("+")
		}
		r.textElement("kbd", name)
	}
}

// Abbreviations are explained in paragraphs of lines "*[HTML]: Hyper Text Markup
// Language", as MkDocs and PHP Markdown Extra write them. Such a paragraph is not shown;
// the words it names are marked wherever they are on the page.

// maxAbbreviations is how many of them a page may have.
const maxAbbreviations = 500

// readAbbreviations finds those of a page.
func readAbbreviations(r *renderer) {
	if !bytes.Contains(r.doc.Text[r.doc.Body:], []byte("\n*[")) {
		return
	}
	for _, block := range r.doc.Blocks {
		for name, title := range abbreviationsIn(block.Node, r.doc.Text) {
			if r.abbr == nil {
				r.abbr = map[string]string{}
			}
			if len(r.abbr) < maxAbbreviations {
				r.abbr[name] = title
			}
		}
	}
}

// abbreviationsIn reads a paragraph; nil when a line of it explains none.
func abbreviationsIn(n ast.Node, text []byte) map[string]string {
	if n.Kind() != ast.KindParagraph {
		return nil
	}
	found := map[string]string{}
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		rest, ok := bytes.CutPrefix(bytes.TrimSpace(line.Value(text)), []byte("*["))
		name, title, named := bytes.Cut(rest, []byte("]:"))
		if !ok || !named || len(name) == 0 || !isWord(name) {
			return nil
		}
		found[string(name)] = markdown.Unescape(bytes.TrimSpace(title))
	}
	return found
}

func isWord(s []byte) bool {
	for _, c := range s {
		if !util.IsAlphaNumeric(c) {
			return false
		}
	}
	return true
}

// writeAbbreviated writes text in which abbreviations are marked.
func writeAbbreviated(r *renderer, run []byte) {
	done := 0
	for at := 0; at < len(run); {
		end := at
		for end < len(run) && util.IsAlphaNumeric(run[end]) {
			end++
		}
		if end == at {
			at++
			continue
		}
		inWord := at > 0 && run[at-1] >= 0x80 || end < len(run) && run[end] >= 0x80
		if title, ok := r.abbr[string(run[at:end])]; ok && !inWord {
			writeText(r, run[done:at])
			r.Raw("<abbr")
			r.Attr("title", title)
			r.Raw(">")
			r.Literal(run[at:end])
			r.Raw("</abbr>")
			done = end
		}
		at = end
	}
	writeText(r, run[done:])
}

// maxEmoji is the longest name between two colons, in bytes.
const maxEmoji = 64

// emojiList has a line for each name that GitHub gives an emoji: the name and the emoji.
//
//go:embed emoji.txt
var emojiList string

var emojiByName = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(emojiList) {
		name, emoji, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		m[name] = emoji
	}
	return m
})

// readEmoji reads the ":name:" that starts a text: an emoji of GitHub, or the name of
// an icon of MkDocs, which is not shown. Size is 0 when it is neither.
func readEmoji(text []byte) (shown string, size int) {
	end := bytes.IndexByte(text[1:min(len(text), maxEmoji)], ':')
	if end < 1 {
		return "", 0
	}
	name := text[1 : 1+end]
	for _, c := range name {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '+' && c != '-' {
			return "", 0
		}
	}
	if emoji, ok := emojiByName()[string(name)]; ok {
		return emoji, end + 2
	}
	if who, what, ok := strings.Cut(string(name), "_"); ok && (who == "man" || who == "woman") { // as others name them
		if emoji, ok := emojiByName()[what+"_"+who]; ok {
			return emoji, end + 2
		}
	}
	if set, _, ok := bytes.Cut(name, []byte("-")); ok {
		switch string(set) {
		case "material", "fontawesome", "octicons", "simple":
			return "", end + 2
		}
	}
	return "", 0
}

// HeadingText returns the text of a heading as pages show it.
func HeadingText(s string) string { return EmojiText(markdown.WithoutAttributes(s)) }

// EmojiText replaces the names of emoji in a text.
func EmojiText(s string) string {
	if !strings.Contains(s, ":") {
		return s
	}
	var b []byte
	eachEmoji([]byte(s), func(plain []byte) { b = append(b, plain...) }, func(shown string) { b = append(b, shown...) })
	return string(b)
}

// eachEmoji splits a text at the names of emoji.
func eachEmoji(text []byte, plain func([]byte), emoji func(string)) {
	from := 0
	for at := 0; at < len(text); {
		i := bytes.IndexByte(text[at:], ':')
		if i < 0 {
			break
		}
		at += i
		shown, size := readEmoji(text[at:])
		if size == 0 || at > 0 && text[at-1] == '\\' {
			at++
			continue
		}
		plain(text[from:at])
		emoji(shown)
		at += size
		if shown == "" && len(bytes.TrimSpace(text[:at-size])) == 0 {
			at += dashSize(text[at:])
		}
		from = at
	}
	plain(text[from:])
}

// dashSize is the size of the dash that a text starts with, between blanks: that between
// an icon that is not shown and what it is about.
func dashSize(text []byte) int {
	for _, dash := range []string{" - ", " – ", " — "} {
		if bytes.HasPrefix(text, []byte(dash)) {
			return len(dash)
		}
	}
	return 0
}

// isNumbered reports an ordered list.
func isNumbered(n ast.Node) bool {
	list, ok := n.(*ast.List)
	return ok && list.IsOrdered()
}

// withoutMarks writes the annotations of MkDocs in code, which the list after it
// explains, as the numbers they are: "# (1)!" without the signs of a comment.
func withoutMarks(code []byte) []byte {
	var out []byte
	for line := range bytes.Lines(code) {
		text := bytes.TrimRight(line, " \t\r\n")
		text = bytes.TrimSuffix(bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("-->")), []byte("*/")), []byte(" "))
		marks := text
		for bytes.HasSuffix(marks, []byte(")!")) {
			open := bytes.LastIndexByte(marks, '(')
			if open < 0 || len(bytes.Trim(marks[open+1:len(marks)-2], "0123456789")) > 0 || len(marks)-open < 4 {
				break
			}
			marks = bytes.TrimRight(marks[:open], " ")
		}
		if len(marks) == len(text) {
			out = append(out, line...)
			continue
		}
		before := bytes.TrimRight(marks, "#/-*<!;% ")
		out = append(out, before...)
		if len(before) > 0 {
			out = append(out, ' ')
		}
		out = append(out, bytes.ReplaceAll(bytes.TrimSpace(text[len(marks):]), []byte(")!"), []byte(")"))...)
		out = append(out, '\n')
	}
	return out
}

// writeIncluded writes a code block that is nothing but a file to include as a link to it.
func writeIncluded(r *renderer, n ast.Node, code []byte) bool {
	name := ""
	if code = bytes.TrimSpace(code); bytes.IndexByte(code, '\n') < 0 {
		name = markdown.Include(code)
	}
	if name == "" || r.inLink {
		return false
	}
	r.Raw("<p>")
	writeWikiLink(r, &markdown.WikiLink{Target: name}, n.Pos())
	r.Raw("\n")
	return true
}

// writeFormula writes a formula in a block of its own: drawn by the browser, or as it was
// typed when it holds what package mathml does not know.
func writeFormula(r *renderer, latex []byte) {
	if markup, ok := mathml.Write(string(latex), true); ok {
		r.Raw("<div class=\"scroll formula\">" + markup + "</div>\n")
		return
	}
	r.Raw("<pre class=math><code>")
	r.Literal(latex)
	r.Raw("</code></pre>\n")
}

// wideFormula is how long a formula in a line is that may be wider than a page, in bytes.
const wideFormula = 24

// writeInlineFormula writes a formula in a line.
func writeInlineFormula(r *renderer, latex []byte, display bool) {
	if markup, ok := mathml.Write(string(latex), display); ok {
		if len(latex) > wideFormula { // a formula does not break, and a narrow page does not widen
			markup = "<span class=scroll>" + markup + "</span>"
		}
		r.Raw(markup)
		return
	}
	r.Raw("<code class=math>")
	r.Literal(latex)
	r.Raw("</code>")
}
