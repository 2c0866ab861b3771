package article

import (
	"bytes"
	"errors"
	"path"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/highlight"
	"github.com/packgen/packgen/templates"
)

// Options say how an article is rendered.
type Options struct {
	Paint  *highlight.Highlighter // of code; nil leaves it plain
	Linked func(path string) bool // paths in backticks that are links to their pages; nil: none
	Buffer []byte                 // its room is used again; may be nil
}

// Article is the HTML of a parsed file, with what the page needs beyond its text.
type Article struct {
	HTML         []byte
	Placeholders []Placeholder // in the order of the marks in HTML
	Targets      []string      // paths linked to
	Wiki         []string      // names in [[…]], with "|" and the label of links that have one
}

// Render renders the tree that compile made of a file; nothing is parsed twice. Splits
// are marked where they start when there is more than one.
func Render(doc *markdown.Document, splits []compiler.SplitText, o Options) Article {
	r := renderer{
		doc: doc, options: o, tabs: tabs{groups: map[ast.Node]int{}},
		html: elements{para: -1, sources: map[string]string{}, anchored: map[string]bool{}, left: map[string]int{}},
	}
	r.B = o.Buffer[:0]
	writeArticle(&r, splits)
	return Article{r.B, r.made.Placeholders, r.made.Targets, r.made.Wiki}
}

// renderer is what is known of an article while it is written.
type renderer struct {
	templates.Markup
	doc     *markdown.Document
	options Options
	made    Article // without its HTML, which is in Markup
	html    elements
	tabs    tabs
	outline outline

	inLink   bool
	inNotes  bool              // inside the list of footnotes
	heading  bool              // inside a heading: a closing {#id} is not shown
	ids      *markdown.IDs     // of the headings, made when asked for
	role     string            // of MyST, of the code that follows
	diagrams int               // drawn on the page
	abbr     map[string]string // what abbreviations stand for
	notes    []note            // footnotes seen, in order
}

// writeArticle writes the whole file. Splits are marked where they start when the
// file gave more than one.
func writeArticle(r *renderer, splits []compiler.SplitText) {
	if len(splits) == 1 && len(splits[0].Sections) < 2 {
		splits = nil
	}
	readAbbreviations(r)
	titled := len(r.doc.Blocks) > 0 && r.doc.Blocks[0].Heading == 0 && r.doc.Headings[0].Level == 1
	if !titled {
		writeProperties(r)
		writeHero(r)
	}
	for i, block := range r.doc.Blocks {
		for len(splits) > 0 && splits[0].Start < block.End {
			writeCut(r, splits[0])
			splits = splits[1:]
		}
		if block.Heading >= 0 {
			writeHeading(r, block.Node, r.doc.Headings[block.Heading])
			if i == 0 && titled {
				writeProperties(r)
				writeHero(r)
			}
		} else {
			r.block(block.Node)
		}
	}
	closeTo(r, 0)
	writeFootnotes(r)
}

// writeCut marks the start of a split with the stem of its file and its cost. The
// page's script makes a link of the stem (its folder is on the article):
// spelled out on each mark, the paths would be a tenth of the page. The mark
// carries those section ids of the split that no heading has, so that links
// to them arrive here.
func writeCut(r *renderer, s compiler.SplitText) {
	r.Raw(`<p class=cut`)
	if s.SectionID != "" && !r.hasHeading(s.SectionID) {
		r.Attr("id", s.SectionID)
	}
	r.Raw(">")
	for _, id := range s.Sections {
		if id != s.SectionID && !r.hasHeading(id) {
			r.Raw("<a")
			r.Attr("id", id)
			r.Raw("></a>")
		}
	}
	r.Raw("<b>")
	r.Literal([]byte(strings.TrimSuffix(path.Base(s.Path), ".md")))
	r.Raw("</b> " + amount.Grouped(s.TokenEstimate) + " tokens\n")
}

func (r *renderer) hasHeading(id string) bool {
	if r.ids == nil {
		r.ids = r.doc.IDs()
	}
	return r.ids.Has(id)
}

func writeHeading(r *renderer, n ast.Node, h markdown.Heading) {
	level := strconv.Itoa(h.Level)
	r.Raw("<h" + level)
	writeHeadingLevel(r, h.Level)
	r.Attr("id", h.ID)
	r.Raw(">")
	if id := r.doc.Inner[n]; id != "" {
		writePlace(r, id)
	}
	start := len(r.B)
	writeHeadingText(r, n)
	if len(r.B) == start { // it is a comment that names something
		r.Literal([]byte(h.Text))
	}
	r.Raw("</h" + level + ">\n")
}

func writeHeadingText(r *renderer, n ast.Node) {
	r.apart(func() {
		r.heading = true
		r.inlines(n)
		r.heading = false
	})
}

// writeInnerHeading writes a heading that is in something.
func writeInnerHeading(r *renderer, n *ast.Heading) {
	level := strconv.Itoa(n.Level)
	r.Raw("<h" + level)
	if id := r.doc.Inner[n]; id != "" {
		r.Attr("id", id)
	}
	r.Raw(">")
	writeHeadingText(r, n)
	r.Raw("</h" + level + ">\n")
}

// writeParagraph writes a paragraph. It becomes a division when HTML in it needs one.
func writeParagraph(r *renderer, n ast.Node) {
	if r.abbr != nil && len(abbreviationsIn(n, r.doc.Text)) > 0 {
		return
	}
	if asksForContents(r, n) {
		writeContents(r)
		return
	}
	r.apart(func() {
		r.html.para, r.html.division = len(r.B), false
		r.Raw("<p>")
		r.inlines(n)
	})
	if r.html.para >= 0 && len(r.B) == r.html.para+len("<p>") { // a comment, or attributes, alone
		r.B = r.B[:r.html.para]
		r.html.para = -1
		return
	}
	r.html.para = -1
	if r.html.division {
		r.Raw("</div>")
		r.html.division = false
	}
	r.Raw("\n")
}

// blocks writes the block children of a node.
func (r *renderer) blocks(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.block(c)
	}
}

// apart writes a part that elements of HTML do not leave.
func (r *renderer) apart(write func()) {
	around := r.html.base
	r.html.base = len(r.html.open)
	write()
	closeTo(r, r.html.base)
	r.html.base = around
}

// block writes a block.
func (r *renderer) block(n ast.Node) {
	if c := markdown.CalloutOf(n); c != nil {
		writeCallout(r, n, c)
		return
	}
	switch n := n.(type) {
	case *ast.Heading:
		writeInnerHeading(r, n)
	case *ast.TextBlock:
		r.inlines(n)
		r.Raw("\n")
	case *ast.List:
		writeList(r, n)
	case *ast.Blockquote:
		r.Raw("<blockquote>\n")
		r.apart(func() { r.blocks(n) })
		r.Raw("</blockquote>\n")
	case *markdown.CommentBlock, *ast.LinkReferenceDefinition:
	case *markdown.MathBlock:
		writeFormula(r, n.Lines().Value(r.doc.Text))
	case *east.DefinitionList:
		writeDefinitions(r, n)
	case *east.Footnote:
		noteFootnotes(r, n)
	case *ast.FencedCodeBlock:
		writeFenced(r, n)
	case *ast.CodeBlock:
		writeCode(r, "", n.Lines().Value(r.doc.Text), nil)
	case *ast.ThematicBreak:
		r.Raw("<hr>\n")
	case *ast.HTMLBlock:
		writeHTMLBlock(r, n)
	case *east.Table:
		writeTable(r, n)
	default:
		if n.Kind() == ast.KindParagraph {
			writeParagraph(r, n)
			return
		}
		r.blocks(n)
	}
}

func writeList(r *renderer, n *ast.List) {
	if writeListOfContents(r, n) {
		return
	}
	tag := "ul"
	if n.IsOrdered() {
		tag = "ol"
	}
	r.Raw("<" + tag)
	if n.IsOrdered() && n.Start != 1 {
		r.Attr("start", strconv.Itoa(n.Start))
	}
	r.Raw(">\n")
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if isTask(item) {
			r.Raw(`<li class=task>`)
		} else {
			r.Raw("<li>")
		}
		r.apart(func() { r.blocks(item) })
	}
	r.Raw("</" + tag + ">\n")
}

// noteFootnotes takes a footnote, and those that are defined inside of it, to the end of the
// article. There they are not taken again.
func noteFootnotes(r *renderer, n ast.Node) {
	if r.inNotes {
		return
	}
	if footnote, ok := n.(*east.Footnote); ok {
		r.notes = append(r.notes, note{max(footnote.Index, 0), n})
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Type() == ast.TypeBlock {
			noteFootnotes(r, c)
		}
	}
}

// isTask reports a list item that starts with a task box.
func isTask(item ast.Node) bool {
	first := item.FirstChild()
	if first == nil || first.FirstChild() == nil {
		return false
	}
	_, ok := first.FirstChild().(*east.TaskCheckBox)
	return ok
}

func writeTable(r *renderer, n *east.Table) {
	known := tableHeadings(n)
	r.Raw(`<div class=scroll><table`)
	if known == none {
		r.Raw(" role=presentation")
	}
	r.Raw(">\n")
	body := false
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		if row.NextSibling() == nil && isAttributes(r, row) {
			continue
		}
		_, head := row.(*east.TableHeader)
		switch {
		case head:
			r.Raw("<thead>")
		case !body:
			r.Raw("<tbody>")
			body = true
		}
		r.Raw("<tr>")
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			writeCell(r, cell, head, known)
		}
		r.Raw("\n")
	}
	r.Raw("</table></div>\n")
}

func writeCell(r *renderer, cell ast.Node, head bool, known headings) {
	empty := cell.ChildCount() == 0
	switch {
	case head && (known == none || empty):
		r.Raw("<td")
	case head:
		r.Raw("<th")
	case known == byRow && isFirst(cell) && !empty:
		r.Raw("<th scope=row")
	default:
		r.Raw("<td")
	}
	if c, ok := cell.(*east.TableCell); ok {
		switch c.Alignment {
		case east.AlignRight:
			r.Raw(` class=r`)
		case east.AlignCenter:
			r.Raw(` class=c`)
		}
	}
	r.Raw(">")
	r.apart(func() { r.inlines(cell) })
}

// isAttributes reports a row that is a list of attributes of Kramdown, which belong to the
// table above: {: .wide }.
func isAttributes(r *renderer, row ast.Node) bool {
	cell := row.FirstChild()
	if cell == nil || cell.FirstChild() == nil {
		return false
	}
	_, ok := cell.FirstChild().(*markdown.Attributes)
	return ok && r.doc.PlainText(row) == ""
}

const hexDigits = "0123456789ABCDEF"

// EscapePath percent-encodes a slash path for use in a URL and in an HTML
// attribute: whatever is not a letter, a digit or harmless punctuation.
func EscapePath(p string) string {
	return escapeURL(p, "-._~/:@!$()*+,;=")
}

// EscapeFragment percent-encodes a fragment. Letters of other scripts are
// encoded too: browsers decode them before they look for the id.
func EscapeFragment(f string) string {
	return escapeURL(f, "-._~/:@!$()*+,;=?")
}

func escapeURL(s, keep string) string {
	clean := true
	for i := 0; i < len(s); i++ {
		if !plain(s[i]) && strings.IndexByte(keep, s[i]) < 0 {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	b := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if plain(c) || strings.IndexByte(keep, c) >= 0 {
			b = append(b, c)
			continue
		}
		b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
	}
	return string(b)
}

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// A Placeholder is in an article in place of a picture, or of the opening tag of a link,
// whose target is not known while the article is rendered: what it leads to may change
// while the page does not. [Fill] replaces it when the page is put together.
//
// In the article it is a NUL, which occurs nowhere else, because the renderer replaces
// it in text. What it represents is kept beside the article, in the same order.
type Placeholder struct {
	Kind     Kind
	Target   string // Page, Picture: pack path; Wiki, Embed: the name as written; Source: source path
	Fragment string // decoded, without "#"
	Line     int    // where the link or picture is, 1-based
	Column   int    // 1-based, in bytes
	Alt      string // of a picture; of Wiki: the label, which Fill writes after the tag
	Title    string // of a picture; of an embed: what is shown when it leads nowhere
	Class    string // of a picture; "block" of an embed in a paragraph of its own
	Width    int    // of a picture, in pixels; 0 when it is not written
	Height   int    // the same
}

// Kind is what a placeholder represents.
type Kind byte

// The kinds of placeholders.
const (
	Page    Kind = 'p' // a link to a Markdown file of the pack
	Wiki    Kind = 'w' // [[Page]]
	Source  Kind = 's' // a source anchor
	Picture Kind = 'i' // a picture of the pack
	Embed   Kind = 'e' // ![[Page]] or ![[picture]]
)

// Mark is the byte of an article that is a placeholder.
const Mark = 0

// leaveRoom writes a placeholder.
func (r *renderer) leaveRoom(h Placeholder) {
	for _, field := range []*string{&h.Target, &h.Fragment, &h.Alt, &h.Title} {
		*field = strings.Map(dropControl, *field)
	}
	r.B = append(r.B, Mark)
	r.made.Placeholders = append(r.made.Placeholders, h)
}

// leaveRoomAt writes a placeholder for what is at an offset.
func (r *renderer) leaveRoomAt(h Placeholder, offset int) {
	h.Line, h.Column = r.doc.Position(max(offset, 0))
	r.leaveRoom(h)
}

// Pack writes a placeholder into a record, for [Unpack] to read.
func (h *Placeholder) Pack(w *store.Writer) {
	w.Uint(int(h.Kind))
	w.Str(h.Target)
	w.Str(h.Fragment)
	w.Uint(h.Line)
	w.Uint(h.Column)
	w.Str(h.Alt)
	w.Str(h.Title)
	w.Str(h.Class)
	w.Uint(h.Width)
	w.Uint(h.Height)
}

// Unpack reads a placeholder from a record.
func Unpack(r *store.Reader) Placeholder {
	return Placeholder{Kind(r.Uint()), r.Str(), r.Str(), r.Uint(), r.Uint(), r.Str(), r.Str(), r.Str(), r.Uint(), r.Uint()}
}

func dropControl(r rune) rune {
	if r < ' ' {
		return -1
	}
	return r
}

// Fill appends an article to m with every placeholder replaced by what open writes for
// it: the opening tag of a link, whose text and "</a>" follow in the article, or all of a
// picture.
func Fill(m *templates.Markup, text []byte, placeholders []Placeholder, open func(m *templates.Markup, h Placeholder)) error {
	for {
		before, rest, found := bytes.Cut(text, []byte{Mark})
		m.B = append(m.B, before...)
		if !found {
			break
		}
		if len(placeholders) == 0 {
			return errors.New("fill the links of a page: there are more placeholders than links")
		}
		open(m, placeholders[0])
		placeholders, text = placeholders[1:], rest
	}
	if len(placeholders) > 0 {
		return errors.New("fill the links of a page: there are fewer placeholders than links")
	}
	return nil
}
