package templates

import (
	"bytes"

	"github.com/packgen/packgen/compiler/amount"
)

// The title of a page is above the facts about it, whoever wrote it.
var cutStart, h1Start, h1End = []byte("<p class=cut"), []byte("<h1"), []byte("</h1>\n")

// longTitle is how many bytes of a title, tags included, would fill a phone's screen.
const longTitle = 180

// write writes the page of a document, a wiki page or a view.
func (v Document) write(m *Markup) {
	v.Menu = v.Branch.All.URL != ""
	m.head(&v.Frame)
	if v.Menu {
		m.Raw("<div class=doc>\n<main id=s.main>\n")
	} else {
		m.Raw("<div class=\"doc lone\">\n<main id=s.main>\n")
	}
	m.trail(v.Pack, v.Trail)
	mark, title, body := v.parts()
	if v.Heading != "" {
		m.Put("<h1>%s</h1>\n", v.Heading)
	}
	if len(title) > longTitle {
		m.Raw("<h1 class=long")
		title = title[len(h1Start):]
	}
	m.B = append(m.B, title...)
	v.meta(m)
	for _, n := range v.Notices {
		m.notice(n)
	}
	v.contents(m)
	m.Raw("<article class=prose")
	if v.Splits != "" {
		m.Attr("data-splits", v.Splits)
	}
	m.Raw(">")
	m.B = append(append(m.B, mark...), body...)
	m.Raw("</article>\n")
	v.care(m)
	v.backlinks(m)
	v.turn(m)
	m.Raw("</main>\n")
	m.branch(&v.Branch)
	m.Raw("</div>\n")
	m.foot(&v.Frame)
}

// parts takes the title out of a body that begins with it, or with the mark of a split and
// then the title.
func (v *Document) parts() (mark, title, body []byte) {
	body = v.Body // escaped by the site's renderer
	if bytes.HasPrefix(body, cutStart) {
		at := bytes.IndexByte(body, '\n') + 1
		mark, body = body[:at], body[at:]
	}
	end := bytes.Index(body, h1End)
	if end < 0 || !bytes.HasPrefix(body, h1Start) {
		return nil, nil, v.Body
	}
	end += len(h1End)
	return mark, body[:end], body[end:]
}

// trail writes the breadcrumb below a pack.
func (m *Markup) trail(pack Link, trail []Link) {
	m.Put("<nav class=crumbs aria-label=Breadcrumb><a%[href]>%s</a>", pack.URL, pack.Text)
	for _, l := range trail {
		m.link(l)
	}
	m.Raw("</nav>\n")
}

// meta writes the line of facts below the breadcrumb.
func (v *Document) meta(m *Markup) {
	m.Raw("<p class=meta>")
	if v.Status != "" {
		m.badge(v.Status)
		m.Raw(" ")
	}
	m.Put("<span>%s</span>", v.Kind)
	if v.Tokens != 0 {
		m.Put("<span>%s tokens</span>", amount.Grouped(v.Tokens))
	}
	if v.Claims != 0 {
		m.Put("<a%[href]>%s</a>", v.ClaimURL, amount.Counted(v.Claims, "claim"))
	}
	if v.Split.URL != "" {
		m.link(v.Split)
	}
	if v.Changed != "" {
		m.Put("<span>changed <time>%s</time></span>", v.Changed)
	}
	if v.Edit != "" {
		m.Put("<a%[href]>Edit this page</a>", v.Edit)
	}
	if v.Markdown != "" {
		m.Put(`<a rel=alternate type="text/markdown"%[href]>Markdown</a>`, v.Markdown)
	}
	m.Raw("</p>\n")
}

func (v *Document) contents(m *Markup) {
	if len(v.Contents) == 0 {
		return
	}
	m.Raw("<details class=toc><summary>On this page</summary><ul>")
	for _, h := range v.Contents {
		m.Raw("<li")
		if h.Sub {
			m.Raw(" class=sub")
		}
		m.Raw("><a")
		m.Attr("href", "#"+h.ID)
		m.Put(">%s</a>", h.Text)
	}
	m.Raw("</ul></details>\n")
}

// care lists the claims that are not confirmed.
func (v *Document) care(m *Markup) {
	if len(v.Care) == 0 {
		return
	}
	m.Raw("<section class=care aria-labelledby=s.care><h2 id=s.care class=label>Claims to handle with care</h2><ul>")
	for _, c := range v.Care {
		m.Raw("<li>")
		m.badge(c.Status)
		m.Put(" %s\n", c.Text)
	}
	m.Raw("</ul>")
	if v.MoreCare != 0 {
		m.Put("<p class=more><a%[href]>%s</a></p>", v.ClaimURL, amount.Counted(v.MoreCare, "more claim"))
	}
	m.Raw("</section>\n")
}

func (v *Document) backlinks(m *Markup) {
	if len(v.Back) == 0 {
		return
	}
	m.Raw("<section class=back><h2 class=label>Linked from</h2>")
	m.linked(v.Back)
	if v.MoreBack != 0 {
		m.Put("<p class=more>and <a%[href]>%s</a></p>", v.BackURL, amount.Counted(v.MoreBack, "more page"))
	}
	m.Raw("</section>\n")
}

// turn links to the previous and the next page.
func (v *Document) turn(m *Markup) {
	if v.Prev.URL == "" && v.Next.URL == "" {
		return
	}
	m.Raw("<nav class=turn aria-label=Turn>")
	if v.Prev.URL != "" {
		m.Put("<a rel=prev%[href]>%s</a>", v.Prev.URL, v.Prev.Text)
	}
	if v.Next.URL != "" {
		m.Put("<a rel=next%[href]>%s</a>", v.Next.URL, v.Next.Text)
	}
	m.Raw("</nav>\n")
}

// branch writes the folder that the page is in: beside the text where there is room, and
// behind the button in the header where there is none. The script puts the whole tree in
// its place.
func (m *Markup) branch(b *Branch) {
	if b.All.URL == "" {
		return
	}
	m.Raw("<nav class=side id=s.side popover aria-label=Pages><ul>")
	for _, p := range b.Pages {
		if p.Here {
			m.Put("<li><b>%s</b>", p.Text)
		} else {
			m.Put("<li><a%[href]>%s</a>", p.URL, p.Text)
		}
	}
	m.Put("<li><a%[href]>", b.All.URL)
	if b.Left > 0 {
		m.Put("%s more in ", amount.Grouped(b.Left))
	}
	m.Put("%s</a></ul></nav>\n", b.All.Text)
}
