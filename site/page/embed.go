package page

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/htmltag"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// Limits of what a page shows of others by ![[…]].
const (
	maxEmbed = 64 << 10  // bytes of HTML of one page; of a larger one there is a link
	maxBody  = 512 << 10 // bytes of a page, from which on it embeds nothing more
)

// embed writes what ![[…]] asks for: a picture, a page or a section of it, or a link
// to what cannot be shown. A page that is embedded embeds nothing itself, so that no
// circle of pages has no end.
func (l linker) embed(w *templates.Markup, h article.Placeholder) {
	ps := l.ps
	found := ps.Links.Table.Named(ps.Links.Names, l.file, h.Target)
	n := ps.ByPath[found.Path]
	switch {
	case h.Target != "" && found.Path != "" && model.IsImage(found.Path):
		h.Target = found.Path
		if h.Alt == "" {
			h.Alt = strings.TrimSuffix(path.Base(found.Path), path.Ext(found.Path))
		}
		h.Title = ""
		if h.Class == "block" {
			h.Class = ""
		}
		l.image(w, h)
		return
	case n != nil && n != l.from && n.Out != l.out && h.Class == "block" && !l.deep && len(w.B) < maxBody:
		if l.transclude(w, h, n) {
			return
		}
	}
	l.wiki(w, h)
	w.Literal([]byte(cmp.Or(h.Alt, h.Title)))
	w.Raw("</a>")
}

// transclude writes a page, or a section of it, into another one; false when it
// cannot.
func (l linker) transclude(w *templates.Markup, h article.Placeholder, n *model.Node) bool {
	text, err := l.ps.Result.Blob(n.Facts.Body)
	if err != nil {
		return false
	}
	placeholders, err := l.ps.Placeholders(n)
	if err != nil {
		return false
	}
	id := ""
	if h.Fragment != "" {
		var ok bool
		if id, ok = l.ps.FindID(n, h.Fragment); !ok || id == "" && h.Fragment != "top" {
			return false
		}
		from, to, ok := sectionOf(text, id)
		if strings.HasPrefix(id, "^") {
			from, to, ok = blockOf(text, id)
		}
		if !ok {
			return false
		}
		placeholders = placeholders[bytes.Count(text[:from], []byte{article.Mark}):]
		text = text[from:to]
		placeholders = placeholders[:bytes.Count(text, []byte{article.Mark})]
	}
	if len(text) > maxEmbed {
		return false
	}
	url, why := l.anchor(n, id)
	if why != "" {
		return false
	}
	w.Raw("<div class=embed><p class=from><a")
	w.Attr("href", url)
	w.Raw(">")
	w.Literal([]byte(article.EmojiText(n.Name())))
	w.Raw("</a>\n")
	inner := linker{ps: l.ps, from: n, file: n.Path, out: l.out, deep: true, report: l.report}
	before := len(w.B)
	if err := article.Fill(w, withoutIDs(text, model.Relative(l.out, n.Out)), placeholders, inner.open); err != nil {
		w.B = w.B[:before]
	}
	w.Raw("</div>\n")
	return true
}

// headingTag finds the headings of an article.
var headingTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<h([1-6])(?: id=("[^"]*"|[^ >]*))?[ >]`) })

// sectionOf finds the section of a heading in an article that we rendered: up to the
// next heading of its level or above.
func sectionOf(text []byte, id string) (from, to int, ok bool) {
	level := 0
	var quoted templates.Markup
	quoted.Attr("id", id)
	want := strings.TrimPrefix(string(quoted.B), " id=")
	for _, m := range headingTag().FindAllSubmatchIndex(text, -1) {
		here, _ := strconv.Atoi(string(text[m[2]:m[3]]))
		switch {
		case level > 0 && here <= level:
			return from, m[0], true
		case level == 0 && m[4] >= 0 && string(text[m[4]:m[5]]) == want:
			from, level = m[0], here
		}
	}
	return from, len(text), level > 0
}

// blockOf finds the paragraph or list item that an id of Obsidian, which is at its end,
// names in an article that we rendered.
func blockOf(text []byte, id string) (from, to int, ok bool) {
	var anchor templates.Markup
	anchor.Raw("<a")
	anchor.Attr("id", id)
	anchor.Raw("></a>")
	at := bytes.Index(text, anchor.B)
	if at < 0 {
		return 0, 0, false
	}
	from, head := -1, ""
	for _, tag := range []string{"<p>", "<li>", "<li class=task>", "<div class=p>"} {
		if i := bytes.LastIndex(text[:at], []byte(tag)); i > from {
			from, head = i, tag
		}
	}
	if from < 0 {
		return 0, 0, false
	}
	if head != "<p>" { // its end is not in what is shown
		from += len(head)
	}
	return from, at + len(anchor.B), true
}

// cutMark finds the marks where splits start.
var cutMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<p class=cut[^>]*>[^\n]*\n`) })

// withoutIDs returns an article without ids, which the page that embeds it may have
// too, and without the marks of splits. Links to its own footnotes lead to its page.
func withoutIDs(text []byte, page string) []byte {
	text = cutMark().ReplaceAll(text, nil)
	out := make([]byte, 0, len(text))
	for at := 0; at < len(text); {
		t := htmltag.Next(text, at)
		at = t.End
		done := t.Start
		for _, a := range t.Attrs {
			if a.At < t.Start {
				continue // without a value, such as checked
			}
			from := bytes.LastIndex(text[t.Start:a.At], []byte(" "+a.Name+"=")) + t.Start
			end := a.At + len(a.Value)
			if end < t.End && text[end] == '"' {
				end++
			}
			var w templates.Markup
			switch {
			case t.Kind != htmltag.Open || from < t.Start:
				continue
			case a.Name == "id":
			case a.Name == "name" && t.Name == "details": // tabs of one page do not close those of another
				w.Attr("name", page+"#"+a.Value)
			case a.Name == "href" && strings.HasPrefix(a.Value, "#s."):
				w.Attr("href", page+a.Value)
			default:
				continue
			}
			out = append(append(out, text[done:from]...), w.B...)
			done = end
		}
		out = append(out, text[done:t.End]...)
	}
	return out
}
