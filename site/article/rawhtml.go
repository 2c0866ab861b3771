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

// closeTo closes the elements that were opened after a mark.
func (r *renderer) closeTo(mark int) {
	for len(r.open) > mark {
		last := r.open[len(r.open)-1]
		r.open = r.open[:len(r.open)-1]
		if last.as != "" {
			r.Raw("</" + last.as + ">")
		}
		if last.name == "a" {
			r.inLink = false
		}
	}
}

// html writes HTML that is in the source. Elements are closed down to base at
// most: what is below was opened outside of the place this is in.
func (r *renderer) html(source []byte, offset func(int) int, base int) {
	unended := map[string]bool{} // elements whose end does not follow
	for at := 0; at < len(source); {
		t := htmltag.Next(source, at)
		at = t.End
		switch t.Kind {
		case htmltag.Comment:
		case htmltag.Text:
			r.htmlText(source[t.Start:t.End])
		case htmltag.Close:
			if !r.closeTag(t.Name, base) && !r.unshownEnd(t.Name) {
				r.Literal(source[t.Start:t.End])
			}
		case htmltag.Open:
			if end := contentEnd(source, &t, unended); end > 0 {
				at = end
			} else if !r.openTag(&t, offset, base) && !r.unshown(&t, offset) {
				r.Literal(source[t.Start:t.End])
			}
		}
	}
}

// htmlText writes text that is in HTML: its character references are resolved, and
// names of emoji are these but in code.
func (r *renderer) htmlText(text []byte) {
	text = util.ResolveEntityNames(util.ResolveNumericReferences(text))
	code := bytes.IndexByte(text, ':') < 0
	for _, o := range r.open {
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
	if !unread[t.Name] || unended[t.Name] {
		return 0
	}
	closer := []byte("</" + t.Name + ">")
	if i := bytes.Index(source[t.End:], closer); i >= 0 {
		return t.End + i + len(closer)
	}
	unended[t.Name] = true
	return 0
}

// unshown reports an opening tag that is left out, of an element that has attributes or
// is closed: a name alone may be a placeholder of the text. A box to tick is shown.
func (r *renderer) unshown(t *htmltag.Token, offset func(int) int) bool {
	own := strings.Contains(t.Name, "-") // an element of the site
	if !unshown[t.Name] && (!own || len(t.Attrs) == 0) {
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
		r.checkbox(checked)
	}
	if r.left == nil {
		r.left = map[string]int{}
	}
	r.left[t.Name]++
	return true
}

// checkbox writes the box of a task, with a name for those who do not see it.
func (r *renderer) checkbox(checked bool) {
	if checked {
		r.Raw("<input type=checkbox disabled checked aria-label=done>")
	} else {
		r.Raw("<input type=checkbox disabled aria-label=open>")
	}
}

// maxAhead is how far the end of such an element is looked for, in bytes.
const maxAhead = 4 << 10

// unshownEnd reports the closing tag of an element that is left out.
func (r *renderer) unshownEnd(name string) bool {
	if r.left[name] == 0 {
		return false
	}
	r.left[name]--
	return true
}

// closeTag closes the nearest open element of a name. One that is not open is left
// out; false is for names that no page has.
func (r *renderer) closeTag(name string, base int) bool {
	if name == "picture" {
		r.sources = nil
		return true
	}
	if _, ok := allowed[name]; !ok {
		return false
	}
	for i := len(r.open) - 1; i >= base; i-- {
		if r.open[i].name == name {
			r.closeTo(i)
			break
		}
	}
	return true
}

// openTag writes an opening tag; false is for what no page has.
func (r *renderer) openTag(t *htmltag.Token, offset func(int) int, base int) bool {
	switch t.Name {
	case "picture":
		r.sources = nil
		return true
	case "source":
		r.source(t)
		return true
	case "iframe", "video", "audio", "embed":
		return r.elsewhere(t, offset)
	}
	e, ok := allowed[t.Name]
	if !ok {
		return false
	}
	if e.flow && !r.flow() || len(r.open) >= maxOpen {
		return true
	}
	r.closeSame(t.Name, base)
	switch t.Name {
	case "a":
		r.htmlLink(t, offset)
		return true
	case "img":
		r.htmlImage(t, offset)
		return true
	}
	if t.Name == "table" {
		r.Raw("<div class=scroll>")
	}
	r.Raw("<" + e.as)
	r.attributes(t, e)
	switch {
	case t.Name == "table" && r.arranges(offset(t.Start)):
		r.Raw(" role=presentation")
	case len(t.Name) == 2 && t.Name[0] == 'h' && '1' <= t.Name[1] && t.Name[1] <= '6':
		r.headingLevel(int(t.Name[1] - '0'))
	}
	if h := r.htmlHeading(t, offset); h == nil {
		r.Raw(">")
	} else if own, _ := t.Get("id"); own == "" {
		r.anchorID(h.ID)
		r.Raw(">")
	} else { // GitHub gives it both
		r.Raw("><a")
		r.anchorID(h.ID)
		r.Raw("></a>")
	}
	switch {
	case e.void:
	case t.Name == "table":
		r.open = append(r.open, opened{"table", "table></div"})
	default:
		r.open = append(r.open, opened{t.Name, e.as})
	}
	return true
}

// htmlHeading is the heading that a tag opens; nil for other tags.
func (r *renderer) htmlHeading(t *htmltag.Token, offset func(int) int) *markdown.HTMLHeading {
	if len(r.doc.HTMLHeadings) == 0 || len(t.Name) != 2 || t.Name[0] != 'h' {
		return nil
	}
	return r.doc.HTMLHeadingAt(offset(t.Start))
}

// flow makes room for an element that may not be in a paragraph: the paragraph
// becomes a division. It reports false where there is no room, in a heading.
func (r *renderer) flow() bool {
	if r.heading {
		return false
	}
	if r.para >= 0 {
		r.B = append(r.B[:r.para], append([]byte("<div class=p>"), r.B[r.para+len("<p>"):]...)...)
		r.para, r.division = -1, true
	}
	return true
}

// closeSame closes an open element that one of this name ends.
func (r *renderer) closeSame(name string, base int) {
	parents, ok := inside[name]
	if !ok {
		return
	}
	for i := len(r.open) - 1; i >= base; i-- {
		open := r.open[i].name
		if open == name || (name == "td" || name == "th" || name == "dt" || name == "dd") && len(open) == 2 && inside[open] == parents {
			r.closeTo(i)
			return
		}
		if strings.Contains(" "+parents+" ", " "+open+" ") {
			return
		}
	}
}

// attributes writes those attributes of a tag that pages have.
func (r *renderer) attributes(t *htmltag.Token, e element) {
	var classes []string
	if e.class != "" {
		classes = append(classes, e.class)
	}
	for _, a := range t.Attrs {
		value := strings.TrimSpace(decodeText([]byte(a.Value)))
		switch {
		case a.Name == "align" && e.flow:
			switch strings.ToLower(value) {
			case "center", "middle":
				classes = append(classes, "c")
			case "right":
				classes = append(classes, "r")
			}
		case a.Name == "class" && t.Name == "div" && slices.Contains(strings.Fields(value), "grid"):
			classes = append(classes, "grid")
		case a.Name == "id":
			r.anchorID(value)
		case a.Name == "open" && t.Name == "details":
			r.Raw(" open")
		case a.Name == "title" && value != "":
			r.Attr("title", value)
		case (a.Name == "colspan" || a.Name == "rowspan") && (t.Name == "td" || t.Name == "th"),
			a.Name == "start" && t.Name == "ol", a.Name == "value" && t.Name == "li":
			if n, err := strconv.Atoi(value); err == nil && 0 < n && n <= 1000 {
				r.Attr(a.Name, strconv.Itoa(n))
			}
		}
	}
	if len(classes) > 0 {
		r.Attr("class", strings.Join(classes, " "))
	}
}

// anchorID writes an id that links may point at, unless a heading of the page, or
// the page itself, has it.
func (r *renderer) anchorID(id string) {
	if id == "" || len(id) > maxID || strings.HasPrefix(id, "s.") || strings.ContainsAny(id, " \t\n\"'<>`=&\x00") || r.hasHeading(id) || r.anchored[id] {
		return
	}
	if r.anchored == nil {
		r.anchored = map[string]bool{}
	}
	r.anchored[id] = true
	r.Attr("id", id)
}

// maxID is the longest id in HTML that is kept, in bytes.
const maxID = 200

// htmlLink writes <a>. Without an address it is a place to point at.
func (r *renderer) htmlLink(t *htmltag.Token, offset func(int) int) {
	for _, name := range []string{"id", "name"} {
		if id, ok := t.Get(name); ok {
			r.Raw("<a")
			r.anchorID(strings.TrimSpace(decodeText([]byte(id))))
			r.Raw("></a>")
			break
		}
	}
	as := ""
	if href, ok := t.Get("href"); ok && !r.inLink {
		r.inLink = true
		title, _ := t.Get("title")
		if r.openLink(cleanDest([]byte(href)), decodeText([]byte(title)), offset(t.Start)) {
			as = "a"
		}
		r.open = append(r.open, opened{"a", as})
	}
}

// htmlImage writes <img>, of a picture for dark and light both.
func (r *renderer) htmlImage(t *htmltag.Token, offset func(int) int) {
	src, _ := t.Get("src")
	alt, _ := t.Get("alt")
	title, _ := t.Get("title")
	width, _ := t.Get("width")
	height, _ := t.Get("height")
	p := picture{
		dest: cleanDest([]byte(src)), alt: decodeText([]byte(alt)), title: decodeText([]byte(title)),
		width: width, height: height, offset: offset(t.Start),
	}
	if p.dest == "" {
		r.Literal([]byte(p.alt))
		return
	}
	dark := r.sources["dark"]
	if light := r.sources["light"]; light != "" {
		if dark == "" {
			dark = p.dest
		}
		p.dest = light
	}
	if dark != "" && scheme(dark) == "" && scheme(p.dest) == "" {
		p.scheme = "light"
		r.picture(p)
		p.dest, p.scheme = dark, "dark"
	}
	r.picture(p)
}

// source remembers the picture that a <source> names for one colour scheme.
func (r *renderer) source(t *htmltag.Token) {
	media, _ := t.Get("media")
	set, _ := t.Get("srcset")
	set, _, _ = strings.Cut(strings.TrimSpace(set), " ")
	for _, scheme := range []string{"dark", "light"} {
		if strings.Contains(media, "prefers-color-scheme") && strings.Contains(media, scheme) {
			if r.sources == nil {
				r.sources = map[string]string{}
			}
			r.sources[scheme] = cleanDest([]byte(set))
		}
	}
}

// elsewhere writes a link to what an element would load from another site.
func (r *renderer) elsewhere(t *htmltag.Token, offset func(int) int) bool {
	src, _ := t.Get("src")
	dest := cleanDest([]byte(src))
	if s := scheme(dest); r.inLink || s != "http" && s != "https" || !r.openLink(dest, "", offset(t.Start)) {
		return false
	}
	name := dest
	if title, _ := t.Get("title"); title != "" {
		name = decodeText([]byte(title))
	}
	r.Literal([]byte(name))
	r.Raw("</a>")
	r.open = append(r.open, opened{t.Name, ""})
	return true
}

// htmlBlock writes an HTML block. One without any element that pages have is shown
// as code, as it was written.
func (r *renderer) htmlBlock(n *ast.HTMLBlock) {
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
	case isProgram(text): // it says nothing to a reader
	case !hasAllowed(text):
		r.Raw("<pre><code>")
		r.Literal(text)
		r.Raw("</code></pre>\n")
	default:
		r.html(text, offset, r.base)
		r.closeLink(n)
	}
}

// isProgram reports an HTML block that is a script or a style sheet and nothing more.
func isProgram(text []byte) bool {
	name := htmltag.Next(text, 0).Name
	closing := []byte("</" + name + ">")
	return (name == "script" || name == "style") && bytes.Count(text, closing) == 1 && bytes.HasSuffix(bytes.TrimSpace(text), closing)
}

// closeLink closes a link that HTML opened and the blocks after it do not close.
func (r *renderer) closeLink(n ast.Node) {
	if !r.inLink || len(r.open) == 0 {
		return
	}
	for i := 0; i < maxLinked && n.NextSibling() != nil; i++ {
		n = n.NextSibling()
		if h, ok := n.(*ast.HTMLBlock); ok && bytes.Contains(r.lines(h), []byte("</a>")) {
			return
		}
	}
	for i := len(r.open) - 1; i >= r.base; i-- {
		if r.open[i].name == "a" {
			r.closeTo(i)
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
		if _, ok := allowed[t.Name]; ok || t.Name == "picture" || unshown[t.Name] || unread[t.Name] || strings.Contains(t.Name, "-") && len(t.Attrs) > 0 {
			return true
		}
	}
	return false
}

// rawHTML writes a tag that is in a line.
func (r *renderer) rawHTML(n *ast.RawHTML) {
	if n.Segments.Len() == 0 {
		return
	}
	var text []byte
	for i := range n.Segments.Len() {
		s := n.Segments.At(i)
		text = append(text, s.Value(r.doc.Text)...)
	}
	start := n.Segments.At(0)
	r.html(text, func(at int) int { return start.Start + at }, r.base)
}
