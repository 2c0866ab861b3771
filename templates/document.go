package templates

import "github.com/packgen/packgen/compiler/amount"

// write writes the page of a document, a wiki page or a view.
func (v Document) write(m *Markup) {
	m.head(&v.Frame)
	m.Raw("<div class=doc>\n<main id=s.main>\n")
	v.crumbs(m)
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
	if v.Heading != "" {
		m.Put("<h1>%s</h1>\n", v.Heading)
	}
	m.B = append(m.B, v.Body...) // escaped by the site's renderer
	m.Raw("</article>\n")
	v.care(m)
	v.backlinks(m)
	v.turn(m)
	m.Raw("</main>\n")
	v.branch(m)
	m.Raw("</div>\n")
	m.foot(&v.Frame)
}

func (v *Document) crumbs(m *Markup) {
	m.Put("<nav class=crumbs aria-label=Breadcrumb><a%[href]>%s</a>", v.Pack.URL, v.Pack.Text)
	for _, l := range v.Trail {
		if l.URL == "" {
			m.Put("<span>%s</span>", l.Text)
		} else {
			m.link(l)
		}
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
	if v.Markdown != "" {
		m.Put(`<a rel=alternate type="text/markdown"%[href]>Markdown</a><button type=button class="quiet copy">Copy Markdown</button>`, v.Markdown)
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
	m.Raw("<section class=back><h2 class=label>Linked from</h2><ul>")
	for _, l := range v.Back {
		m.Put("<li><a%[href]>%s</a>", l.URL, l.Text)
	}
	m.Raw("</ul>")
	if v.MoreBack != 0 {
		m.Put("<p class=more>and %s</p>", amount.Counted(v.MoreBack, "more page"))
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

// branch writes the folder that the page is in.
func (v *Document) branch(m *Markup) {
	if v.Branch.All.URL == "" {
		return
	}
	m.Raw("<nav class=side aria-label=Folder>")
	for _, l := range v.Branch.Up {
		m.Raw("<p class=up>")
		m.link(l)
		m.Raw("</p>")
	}
	m.Raw("<ul>")
	for _, p := range v.Branch.Pages {
		if p.Here {
			m.Put("<li><b>%s</b>", p.Text)
		} else {
			m.Put("<li><a%[href]>%s</a>", p.URL, p.Text)
		}
	}
	m.Put("</ul><p class=more><a%[href]>%s</a></p></nav>\n", v.Branch.All.URL, v.Branch.All.Text)
}
