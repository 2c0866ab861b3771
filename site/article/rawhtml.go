package article

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"github.com/packgen/packgen/compiler/htmltag"
	"github.com/packgen/packgen/compiler/markdown"
)

// HTML in Markdown is read tag by tag, and what a page shows is written again: the
// names in allowedhtml.go, with values of a few attributes that were read and checked.
// Everything else is shown as the text it is. Every element that is opened here is
// closed here, so that no text can leave the place it is in.

// maxOpen is how many elements of HTML may be in each other.
const maxOpen = 64

// opened is an element of HTML that is not closed yet.
type opened struct {
	name string // as in the source
	as   string // as on the page; "" for one that is not written
}

// elements are what is known of the HTML in a text.
type elements struct {
	open     []opened          // elements that are not closed yet
	base     int               // how many of them were opened outside of this part
	para     int               // where the "<p>" of the open paragraph is; -1: nowhere
	division bool              // that paragraph became a <div>
	sources  map[string]string // of an open <picture>, by colour scheme
	anchored map[string]bool   // ids given to elements
	ahead    int               // bytes that were looked through for the ends of tables
	left     map[string]int    // elements that are left out and not closed yet, by their names
}

// closeTo closes the elements that were opened after a mark.
func closeTo(r *renderer, mark int) {
	for len(r.html.open) > mark {
		last := r.html.open[len(r.html.open)-1]
		r.html.open = r.html.open[:len(r.html.open)-1]
		if last.as != "" {
			r.Raw("</" + last.as + ">")
		}
		if last.name == "a" {
			r.inLink = false
		}
	}
}

// writeHTML writes HTML that is in the source. Elements are closed down to base at
// most: what is below was opened outside of the place this is in.
func writeHTML(r *renderer, source []byte, offset func(int) int) {
	unended := map[string]bool{} // elements whose end does not follow
	for at := 0; at < len(source); {
		t := htmltag.Next(source, at)
		at = t.End
		switch t.Kind {
		case htmltag.Comment:
		case htmltag.Text:
			writeHTMLText(r, source[t.Start:t.End])
		case htmltag.Close:
			if !closeTag(r, t.Name) && !closeUnshown(r, t.Name) {
				r.Literal(source[t.Start:t.End])
			}
		case htmltag.Open:
			if end := contentEnd(source, &t, unended); end > 0 {
				at = end
			} else if !openTag(r, &t, offset) && !openUnshown(r, &t, offset) {
				r.Literal(source[t.Start:t.End])
			}
		}
	}
}

// writeHTMLText writes text that is in HTML: its character references are resolved, and
// names of emoji are these but in code.
func writeHTMLText(r *renderer, text []byte) {
	text = util.ResolveEntityNames(util.ResolveNumericReferences(text))
	code := bytes.IndexByte(text, ':') < 0
	for _, o := range r.html.open {
		code = code || o.as == "code" || o.as == "pre" || o.as == "kbd" || o.as == "samp"
	}
	if code {
		r.Literal(text)
		return
	}
	eachEmoji(text, func(plain []byte) { r.Literal(plain) }, func(shown string) { r.Literal([]byte(shown)) })
}

// contentEnd returns the offset after an element whose content is not text; 0 for others,
// and for one that does not end, which is noted: no later one of its name ends either.
func contentEnd(source []byte, t *htmltag.Token, unended map[string]bool) int {
	if !isOf(unread, t.Name) || unended[t.Name] {
		return 0
	}
	closer := []byte("</" + t.Name + ">")
	if i := bytes.Index(source[t.End:], closer); i >= 0 {
		return t.End + i + len(closer)
	}
	unended[t.Name] = true
	return 0
}

// openUnshown reports an opening tag that is left out, of an element that has attributes or
// is closed: a name alone may be a placeholder of the text. A box to tick is shown.
func openUnshown(r *renderer, t *htmltag.Token, offset func(int) int) bool {
	own := strings.Contains(t.Name, "-") // an element of the site
	if !isOf(unshown, t.Name) && (!own || len(t.Attrs) == 0) {
		return false
	}
	if len(t.Attrs) == 0 {
		from := offset(t.Start)
		after := r.doc.Text[from:min(len(r.doc.Text), from+maxAhead)]
		if !bytes.Contains(after, []byte("</"+t.Name)) {
			return false
		}
	}
	if kind, _ := t.Get("type"); t.Name == "input" && kind == "checkbox" {
		_, checked := t.Get("checked")
		writeCheckbox(r, checked)
	}
	r.html.left[t.Name]++
	return true
}

// writeCheckbox writes the box of a task, with a name for those who do not see it.
func writeCheckbox(r *renderer, checked bool) {
	if checked {
		r.Raw("<input type=checkbox disabled checked aria-label=done>")
	} else {
		r.Raw("<input type=checkbox disabled aria-label=open>")
	}
}

// maxAhead is how far the end of such an element is looked for, in bytes.
const maxAhead = 4 << 10

// closeUnshown reports the closing tag of an element that is left out.
func closeUnshown(r *renderer, name string) bool {
	if r.html.left[name] == 0 {
		return false
	}
	r.html.left[name]--
	return true
}

// closeTag closes the nearest open element of a name. One that is not open is left
// out; false is for names that no page has.
func closeTag(r *renderer, name string) bool {
	if name == "picture" {
		clear(r.html.sources)
		return true
	}
	if _, ok := allowed()[name]; !ok {
		return false
	}
	for i := len(r.html.open) - 1; i >= r.html.base; i-- {
		if r.html.open[i].name == name {
			closeTo(r, i)
			break
		}
	}
	return true
}

// openTag writes an opening tag; false is for what no page has.
func openTag(r *renderer, t *htmltag.Token, offset func(int) int) bool {
	switch t.Name {
	case "picture":
		clear(r.html.sources)
		return true
	case "source":
		noteSource(r, t)
		return true
	case "iframe", "video", "audio", "embed":
		return openElsewhere(r, t, offset)
	}
	e, ok := allowed()[t.Name]
	if !ok {
		return false
	}
	if e.flow && !makeRoom(r) || len(r.html.open) >= maxOpen {
		return true
	}
	closeSame(r, t.Name)
	switch t.Name {
	case "a":
		openHTMLLink(r, t, offset)
		return true
	case "img":
		writeHTMLImage(r, t, offset)
		return true
	}
	if t.Name == "table" {
		r.Raw("<div class=scroll>")
	}
	r.Raw("<" + e.as)
	writeAttributes(r, t, e)
	if t.Name == "table" && isArrangement(r, offset(t.Start)) {
		r.Raw(" role=presentation")
	}
	closeHeadingTag(r, t, offset(t.Start))
	switch {
	case e.void:
	case t.Name == "table":
		r.html.open = append(r.html.open, opened{"table", "table></div"})
	default:
		r.html.open = append(r.html.open, opened{t.Name, e.as})
	}
	return true
}

// closeHeadingTag ends an opening tag, of a heading with its level and the id that it has as on
// GitHub, which comes beside its own.
func closeHeadingTag(r *renderer, t *htmltag.Token, start int) {
	if len(t.Name) == 2 && t.Name[0] == 'h' && '1' <= t.Name[1] && t.Name[1] <= '6' {
		writeHeadingLevel(r, int(t.Name[1]-'0'))
	}
	h := r.doc.HTMLHeadingAt(start)
	if h == nil {
		r.Raw(">")
		return
	}
	own, _ := t.Get("id")
	if own != "" {
		r.Raw("><a")
	}
	writeID(r, h.ID)
	if own != "" {
		r.Raw("></a>")
	} else {
		r.Raw(">")
	}
}

// makeRoom makes room for an element that may not be in a paragraph: the paragraph
// becomes a division. It reports false where there is no room, in a heading.
func makeRoom(r *renderer) bool {
	if r.heading {
		return false
	}
	if r.html.para >= 0 {
		r.B = append(r.B[:r.html.para], append([]byte("<div class=p>"), r.B[r.html.para+len("<p>"):]...)...)
		r.html.para, r.html.division = -1, true
	}
	return true
}

// closeSame closes an open element that one of this name ends.
func closeSame(r *renderer, name string) {
	parents, ok := inside[name]
	if !ok {
		return
	}
	for i := len(r.html.open) - 1; i >= r.html.base; i-- {
		open := r.html.open[i].name
		if open == name || (name == "td" || name == "th" || name == "dt" || name == "dd") && len(open) == 2 && inside[open] == parents {
			closeTo(r, i)
			return
		}
		if isOf(" "+parents+" ", open) {
			return
		}
	}
}

// writeAttributes writes those attributes of a tag that pages have.
func writeAttributes(r *renderer, t *htmltag.Token, e element) {
	classes := strings.Fields(e.class)
	for _, a := range t.Attrs {
		value := strings.TrimSpace(markdown.Unescape([]byte(a.Value)))
		switch a.Name {
		case "align":
			classes = append(classes, alignment(value, e)...)
		case "class":
			if t.Name == "div" && slices.Contains(strings.Fields(value), "grid") {
				classes = append(classes, "grid")
			}
		case "id":
			writeID(r, value)
		case "open":
			if t.Name == "details" {
				r.Raw(" open")
			}
		case "title":
			if value != "" {
				r.Attr("title", value)
			}
		default:
			if n, _ := strconv.Atoi(value); isOf(numbers[a.Name], t.Name) && 0 < n && n <= 1000 {
				r.Attr(a.Name, strconv.Itoa(n))
			}
		}
	}
	if len(classes) > 0 {
		r.Attr("class", strings.Join(classes, " "))
	}
}

// numbers are the attributes that are numbers, with the elements that have them.
var numbers = map[string]string{"colspan": " td th ", "rowspan": " td th ", "start": " ol ", "value": " li "}

// alignment is the class of an element that is aligned.
func alignment(value string, e element) []string {
	switch strings.ToLower(value) {
	case "center", "middle":
		if e.flow {
			return []string{"c"}
		}
	case "right":
		if e.flow {
			return []string{"r"}
		}
	}
	return nil
}

// writeID writes an id that links may point at, unless a heading of the page, or
// the page itself, has it.
func writeID(r *renderer, id string) {
	if id == "" || len(id) > maxID || strings.HasPrefix(id, "s.") || strings.ContainsAny(id, " \t\n\"'<>`=&\x00") || r.hasHeading(id) || r.html.anchored[id] {
		return
	}
	r.html.anchored[id] = true
	r.Attr("id", id)
}

// writePlace writes a place that links may point at.
func writePlace(r *renderer, id string) {
	r.Raw("<a")
	writeID(r, id)
	r.Raw("></a>")
}

// maxID is the longest id in HTML that is kept, in bytes.
const maxID = 200

// openHTMLLink writes <a>. Without an address it is a place to point at.
func openHTMLLink(r *renderer, t *htmltag.Token, offset func(int) int) {
	for _, name := range []string{"id", "name"} {
		if id, ok := t.Get(name); ok {
			r.Raw("<a")
			writeID(r, strings.TrimSpace(markdown.Unescape([]byte(id))))
			r.Raw("></a>")
			break
		}
	}
	as := ""
	if href, ok := t.Get("href"); ok && !r.inLink {
		r.inLink = true
		title, _ := t.Get("title")
		if openLink(r, cleanDest([]byte(href)), markdown.Unescape([]byte(title)), offset(t.Start)) {
			as = "a"
		}
		r.html.open = append(r.html.open, opened{"a", as})
	}
}

// writeHTMLImage writes <img>, of a picture for dark and light both.
func writeHTMLImage(r *renderer, t *htmltag.Token, offset func(int) int) {
	src, _ := t.Get("src")
	alt, _ := t.Get("alt")
	title, _ := t.Get("title")
	width, _ := t.Get("width")
	height, _ := t.Get("height")
	p := picture{
		dest: cleanDest([]byte(src)), alt: markdown.Unescape([]byte(alt)), title: markdown.Unescape([]byte(title)),
		width: width, height: height, offset: offset(t.Start),
	}
	if p.dest == "" {
		r.Literal([]byte(p.alt))
		return
	}
	dark := r.html.sources["dark"]
	if light := r.html.sources["light"]; light != "" {
		if dark == "" {
			dark = p.dest
		}
		p.dest = light
	}
	if dark != "" && scheme(dark) == "" && scheme(p.dest) == "" {
		p.scheme = "light"
		writePicture(r, p)
		p.dest, p.scheme = dark, "dark"
	}
	writePicture(r, p)
}

// noteSource remembers the picture that a <source> names for one colour scheme.
func noteSource(r *renderer, t *htmltag.Token) {
	media, _ := t.Get("media")
	set, _ := t.Get("srcset")
	set, _, _ = strings.Cut(strings.TrimSpace(set), " ")
	for _, scheme := range []string{"dark", "light"} {
		if strings.Contains(media, "prefers-color-scheme") && strings.Contains(media, scheme) {
			r.html.sources[scheme] = cleanDest([]byte(set))
		}
	}
}

// openElsewhere writes a link to what an element would load from another site.
func openElsewhere(r *renderer, t *htmltag.Token, offset func(int) int) bool {
	src, _ := t.Get("src")
	dest := cleanDest([]byte(src))
	if s := scheme(dest); r.inLink || s != "http" && s != "https" || !openLink(r, dest, "", offset(t.Start)) {
		return false
	}
	name := dest
	if title, _ := t.Get("title"); title != "" {
		name = markdown.Unescape([]byte(title))
	}
	r.Literal([]byte(name))
	r.Raw("</a>")
	r.html.open = append(r.html.open, opened{t.Name, ""})
	return true
}

// writeHTMLBlock writes an HTML block. One without any element that pages have is shown
// as code, as it was written.
func writeHTMLBlock(r *renderer, n *ast.HTMLBlock) {
	text, offset := r.doc.HTML(n)
	switch {
	case markdown.OnlyComments(text):
		if word := markdown.MacroWord(text); word != "" {
			r.Raw("<p class=macro")
			r.Attr("id", "+"+word)
			r.Raw("><code>")
			if link, ok := strings.CutPrefix(word, "["); ok { // [text][reference]
				word, _, _ = strings.Cut(link, "]")
			}
			r.Literal([]byte(word))
			r.Raw("</code></p>\n")
		}
	case markdown.IsProgram(text): // it says nothing to a reader
	case !hasAllowed(text):
		r.Raw("<pre><code>")
		r.Literal(text)
		r.Raw("</code></pre>\n")
	default:
		writeHTML(r, text, offset)
		closeLink(r, n)
	}
}

// closeLink closes a link that HTML opened and the blocks after it do not close.
func closeLink(r *renderer, n ast.Node) {
	if !r.inLink || len(r.html.open) == 0 {
		return
	}
	for i := 0; i < maxLinked && n.NextSibling() != nil; i++ {
		n = n.NextSibling()
		if h, ok := n.(*ast.HTMLBlock); ok && bytes.Contains(h.Lines().Value(r.doc.Text), []byte("</a>")) {
			return
		}
	}
	for i := len(r.html.open) - 1; i >= r.html.base; i-- {
		if r.html.open[i].name == "a" {
			closeTo(r, i)
			return
		}
	}
}

// maxLinked is how many blocks a link of HTML may hold.
const maxLinked = 4

// hasAllowed reports whether HTML has an element that pages have.
func hasAllowed(source []byte) bool {
	for at := 0; at < len(source); {
		t := htmltag.Next(source, at)
		at = t.End
		if _, ok := allowed()[t.Name]; ok || t.Name == "picture" || isOf(unshown, t.Name) || isOf(unread, t.Name) || strings.Contains(t.Name, "-") && len(t.Attrs) > 0 {
			return true
		}
	}
	return false
}

// writeRawHTML writes a tag that is in a line.
func writeRawHTML(r *renderer, n *ast.RawHTML) {
	text, offset := r.doc.RawHTML(n)
	writeHTML(r, text, offset)
}
