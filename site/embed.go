package site

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/tag"
)

// Limits of what a page shows of others by ![[…]].
const (
	maxEmbed = 64 << 10  // bytes of HTML of one page; of a larger one there is a link
	maxBody  = 512 << 10 // bytes of a page, from which on it embeds nothing more
)

// embed writes what ![[…]] asks for: a picture, a page or a section of it, or a link
// to what cannot be shown. A page that is embedded embeds nothing itself, so that no
// circle of pages has no end.
func (l linker) embed(w *writer, h hole) {
	ps := l.ps
	found := ps.table.Named(ps.names, l.file, h.target)
	n := ps.byPath[found.Path]
	switch {
	case h.target != "" && found.Path != "" && isImage(found.Path):
		h.target = found.Path
		if h.alt == "" {
			h.alt = strings.TrimSuffix(path.Base(found.Path), path.Ext(found.Path))
		}
		h.title = ""
		if h.class == "block" {
			h.class = ""
		}
		l.image(w, h)
		return
	case n != nil && n != l.from && n.out != l.out && h.class == "block" && !l.deep && len(w.B) < maxBody:
		if l.transclude(w, h, n) {
			return
		}
	}
	l.wiki(w, h)
	w.Literal([]byte(cmp.Or(h.alt, h.title)))
	w.Raw("</a>")
}

// transclude writes a page, or a section of it, into another one; false when it
// cannot.
func (l linker) transclude(w *writer, h hole, n *node) bool {
	article, err := l.ps.res.Blob(n.page.body)
	if err != nil {
		return false
	}
	holes, err := l.ps.holes(n)
	if err != nil {
		return false
	}
	id := ""
	if h.fragment != "" {
		var ok bool
		if id, ok = l.ps.fragment(n, h.fragment); !ok || id == "" && h.fragment != "top" {
			return false
		}
		from, to, ok := sectionOf(article, id)
		if !ok {
			return false
		}
		holes = holes[bytes.Count(article[:from], []byte{holeMark}):]
		article = article[from:to]
		holes = holes[:bytes.Count(article, []byte{holeMark})]
	}
	if len(article) > maxEmbed {
		return false
	}
	url, why := l.anchor(n, id)
	if why != "" {
		return false
	}
	w.Raw("<div class=embed><p class=from><a")
	w.Attr("href", url)
	w.Raw(">")
	w.Literal([]byte(emojiText(n.name())))
	w.Raw("</a>\n")
	inner := linker{ps: l.ps, from: n, file: n.path, out: l.out, deep: true}
	before := len(w.B)
	if err := w.fill(withoutIDs(article), holes, inner.open); err != nil {
		w.B = w.B[:before]
	}
	w.Raw("</div>\n")
	return true
}

// headingTag finds the headings of an article.
var headingTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<h([1-6])(?: id=("[^"]*"|[^ >]*))?[ >]`) })

// sectionOf finds the section of a heading in an article that we rendered: up to the
// next heading of its level or above.
func sectionOf(article []byte, id string) (from, to int, ok bool) {
	level := 0
	var quoted writer
	quoted.Attr("id", id)
	want := strings.TrimPrefix(string(quoted.B), " id=")
	for _, m := range headingTag().FindAllSubmatchIndex(article, -1) {
		here, _ := strconv.Atoi(string(article[m[2]:m[3]]))
		switch {
		case level > 0 && here <= level:
			return from, m[0], true
		case level == 0 && m[4] >= 0 && string(article[m[4]:m[5]]) == want:
			from, level = m[0], here
		}
	}
	return from, len(article), level > 0
}

// cutMark finds the marks where splits start.
var cutMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<p class=cut[^>]*>[^\n]*\n`) })

// withoutIDs returns an article without ids, which the page that embeds it may have
// too, and without the marks of splits.
func withoutIDs(article []byte) []byte {
	article = cutMark().ReplaceAll(article, nil)
	out := make([]byte, 0, len(article))
	for at := 0; at < len(article); {
		t := tag.Next(article, at)
		at = t.End
		id := -1
		for i, a := range t.Attrs {
			if a.Name == "id" {
				id = i
			}
		}
		if t.Kind != tag.Open || id < 0 {
			out = append(out, article[t.Start:t.End]...)
			continue
		}
		value := t.Attrs[id]
		from := bytes.LastIndex(article[t.Start:value.At], []byte(" id=")) + t.Start
		end := value.At + len(value.Value)
		if end < t.End && article[end] == '"' {
			end++
		}
		out = append(append(out, article[t.Start:from]...), article[end:t.End]...)
	}
	return out
}
